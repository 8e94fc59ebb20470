/* The query path of MLA as the specification has it, and a plain projection (the head). Copy me.
 *
 * Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 662-688, 767-774, 1522, 1614-1616.
 *     q_a = T(h * a^T [+ bias]);  n = T(gain * T(q_a * r)), r = 1 / rms(q_a), latent_eps;  q = T(n * q_b^T)
 *     q [B, T, H, nope + rope] is written as q_nope [B, H, T, nope] and q_pe [B, H, T, rope].
 * q_rank 0: q = T(h * q_b^T). Weights of T or f32, or e4m3 with one f32 scale per block, applied in f32. Sums are sequential
 * in f32. Every stride is honoured. One thread.
 */
#include <math.h>
#include <string.h>

#include "ulpgate_kernel.h"

static float from_bits(uint32_t u) { float f; memcpy(&f, &u, sizeof f); return f; }
static uint32_t to_bits(float f) { uint32_t u; memcpy(&u, &f, sizeof u); return u; }

static float widen_bf16(uint16_t h) { return from_bits((uint32_t)h << 16); }
static uint16_t narrow_bf16(float f) {
    const uint32_t u = to_bits(f);
    return f != f ? 0x7fc0 : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
static float widen_fp16(uint16_t h) {
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, magnitude = (uint32_t)(h & 0x7fff) << 13;
    if (magnitude >= 0x0f800000) return from_bits(sign | 0x70000000 | magnitude);
    return from_bits(sign | to_bits(from_bits(magnitude) * 0x1p112f));
}
static uint16_t narrow_fp16(float f) {
    const uint32_t u = to_bits(f), sign = u >> 16 & 0x8000, a = u & 0x7fffffff;
    if (f != f) return 0x7e00;
    if (a >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
    if (a < 0x38800000) return (uint16_t)(sign | (to_bits(from_bits(a) + 0.5f) - to_bits(0.5f)));
    return (uint16_t)(sign | (a - 0x38000000 + 0xfff + (a >> 13 & 1)) >> 13);
}
static float widen_e4m3(uint8_t b) {
    const uint32_t sign = (uint32_t)(b & 0x80) << 24, a = b & 0x7f;
    if (a == 0x7f) return from_bits(sign | 0x7fc00000);
    if (a < 8) return from_bits(sign | to_bits((float)a * 0x1p-9f));
    return from_bits(sign | ((a << 20) + (120u << 23)));
}

static float load(const ulpgate_tensor *t, int64_t at) {
    switch (t->type) {
    case ULPGATE_BF16: return widen_bf16(((const uint16_t *)t->data)[at]);
    case ULPGATE_F16: return widen_fp16(((const uint16_t *)t->data)[at]);
    case ULPGATE_E4M3: return widen_e4m3(((const uint8_t *)t->data)[at]);
    default: return ((const float *)t->data)[at];
    }
}
static void store(const ulpgate_tensor *t, int64_t at, float v) {
    switch (t->type) {
    case ULPGATE_BF16: ((uint16_t *)t->data)[at] = narrow_bf16(v); break;
    case ULPGATE_F16: ((uint16_t *)t->data)[at] = narrow_fp16(v); break;
    default: ((float *)t->data)[at] = v;
    }
}
static float round_to(uint32_t type, float v) {
    switch (type) {
    case ULPGATE_BF16: return widen_bf16(narrow_bf16(v));
    case ULPGATE_F16: return widen_fp16(narrow_fp16(v));
    default: return v;
    }
}

/* Row o of the matrix with a vector of floats; the scale multiplies the weight, in f32. */
static float dot(const float *x, const ulpgate_weight *w, int64_t o, int64_t n) {
    float sum = 0;
    if (w->w.type == ULPGATE_BF16 && w->w.stride[1] == 1) {
        const uint16_t *row = (const uint16_t *)w->w.data + o * w->w.stride[0];
        for (int64_t k = 0; k < n; ++k) sum += x[k] * widen_bf16(row[k]);
        return sum;
    }
    for (int64_t k = 0; k < n; ++k) {
        float v = load(&w->w, o * w->w.stride[0] + k * w->w.stride[1]);
        if (w->scale.data) v *= load(&w->scale, o / w->block[0] * w->scale.stride[0] + k / w->block[1] * w->scale.stride[1]);
        sum += x[k] * v;
    }
    return sum;
}

static void tap(const ulpgate_tensor *t, int64_t b, int64_t token, int64_t j, float v) {
    if (t->data) store(t, b * t->stride[0] + token * t->stride[1] + j * t->stride[2], v);
}

static size_t workspace(const void *args) {
    const ulpgate_mla_query *a = args;
    return (size_t)(a->hidden + a->q_rank) * sizeof(float);
}

static void norm(const ulpgate_mla_query *a, float *z) {
    const uint32_t type = a->h.type;
    float sum = 0;
    for (int64_t k = 0; k < a->q_rank; ++k) sum += z[k] * z[k];
    const float r = 1.0f / sqrtf(sum / (float)a->q_rank + (float)a->latent_eps);
    for (int64_t k = 0; k < a->q_rank; ++k)
        z[k] = round_to(type, load(&a->q_gain, k * a->q_gain.stride[0]) * round_to(type, z[k] * r));
}

static void one_token(const ulpgate_mla_query *a, int64_t b, int64_t t, float *h, float *z) {
    const uint32_t type = a->h.type;
    const int64_t per_head = a->nope + a->rope;
    for (int64_t k = 0; k < a->hidden; ++k) h[k] = load(&a->h, b * a->h.stride[0] + t * a->h.stride[1] + k * a->h.stride[2]);
    const float *in = a->q_rank ? z : h;
    for (int64_t k = 0; k < a->q_rank; ++k) {
        float s = dot(h, &a->a, k, a->hidden);
        if (a->a.bias.data) s += load(&a->a.bias, k * a->a.bias.stride[0]);
        z[k] = round_to(type, s);
        tap(&a->tap_a, b, t, k, z[k]);
    }
    if (a->q_rank) norm(a, z);
    for (int64_t k = 0; k < a->q_rank; ++k) tap(&a->tap_norm, b, t, k, z[k]);
    for (int64_t o = 0; o < a->heads * per_head; ++o) {
        const int64_t head = o / per_head, j = o % per_head;
        const float v = dot(in, &a->q_b, o, a->q_rank ? a->q_rank : a->hidden);
        tap(&a->tap_q_b, b, t, o, v);
        const ulpgate_tensor *q = j < a->nope ? &a->q_nope : &a->q_pe;
        const int64_t col = j < a->nope ? j : j - a->nope;
        if (q->data) store(q, b * q->stride[0] + head * q->stride[1] + t * q->stride[2] + col * q->stride[3], v);
    }
}

static int query(const ulpgate_mla_query *a) {
    if (a->batch < 0 || a->tokens < 0 || a->hidden < 1 || a->q_rank < 0) return ULPGATE_BAD_ARGUMENT;
    if (a->k_c.data || a->positions.data || a->q.data || (a->q_rank && a->a.w.size[0] != a->q_rank)) return ULPGATE_REFUSED;
    float *h = a->call.workspace, *z = h + a->hidden;
    for (int64_t b = 0; b < a->batch; ++b)
        for (int64_t t = 0; t < a->tokens; ++t) one_token(a, b, t, h, z);
    return ULPGATE_OK;
}

static size_t linear_workspace(const void *args) { return (size_t)((const ulpgate_linear *)args)->x.size[1] * sizeof(float); }

/* T(dot), then widened: every logit is a value of T. */
static int head(const ulpgate_linear *a) {
    float *x = a->call.workspace;
    const int64_t n = a->x.size[1], out = a->w.w.size[0];
    for (int64_t t = 0; t < a->tokens; ++t) {
        for (int64_t k = 0; k < n; ++k) x[k] = load(&a->x, t * a->x.stride[0] + k * a->x.stride[1]);
        for (int64_t o = 0; o < out; ++o)
            store(&a->y, t * a->y.stride[0] + o * a->y.stride[1], round_to(a->x.type, dot(x, &a->w, o, n)));
    }
    return ULPGATE_OK;
}

#define QUERY(text) {.size = sizeof(ulpgate_entry), .contract = text, .mla_query = query, .workspace = workspace}
static const ulpgate_entry entries[] = {
    QUERY("bf16,cast_first"), QUERY("bf16,cast_first,taps=out"), QUERY("fp16,cast_first,taps=out"), QUERY("f32,cast_first,taps=out"),
    QUERY("bf16,cast_first,weights=e4m3:128x128,taps=out"), QUERY("bf16,cast_first,bias=before,taps=out"),
    {.size = sizeof(ulpgate_entry), .contract = "bf16,cast_first", .linear = head, .workspace = linear_workspace},
    {.size = sizeof(ulpgate_entry), .contract = "fp16,cast_first", .linear = head, .workspace = linear_workspace},
};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static const ulpgate_descriptor descriptor = {
        ULPGATE_HEAD, .threading = ULPGATE_REENTRANT, .name = "scalar query path",
        .entries = entries, .entry_count = sizeof entries / sizeof *entries};
    return variant ? NULL : &descriptor;
}
