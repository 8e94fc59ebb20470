/* The query path of MLA as the specification has it, and a plain projection (the head). Copy me.
 *
 * Source: moonshotai/Kimi-K2-Instruct modeling_deepseek.py at fd1984e2b7a3, lines 662-688, 767-774, 1522, 1614-1616.
 *     q_a = T(h * a^T [+ bias]);  n = T(gain * T(q_a * r)), r = 1 / rms(q_a), latent_eps;  q = T(n * q_b^T)
 *     q [B, T, H, nope + rope] is written as q_nope [B, H, T, nope] and q_pe [B, H, T, rope].
 * An `a` of q_rank + kv_rank + rope rows: its kv slice is normalised with kv_gain, the rest is k_pe: k_input. With positions, pairs
 * of q_pe and k_pe are rotated. With k_c: T(q_nope * k_c^T) and q_pe, q_absorbed [B, T, H, kv_rank + rope].
 * q_rank 0: q = T(h * q_b^T). Weights of T or f32, or e4m3 with one f32 scale per block, applied in f32. Sums are sequential
 * in f32. Every stride is honoured. One thread.
 */
#include <math.h>
#include <stdbool.h>
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
    const int64_t latent = a->q_rank ? a->a.w.size[0] : 0;
    return (size_t)(a->hidden + latent + a->heads * (a->nope + a->rope)) * sizeof(float);
}

static void norm(const ulpgate_mla_query *a, float *z, int64_t n, const ulpgate_tensor *gain) {
    const uint32_t type = a->h.type;
    float sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += z[k] * z[k];
    const float r = 1.0f / sqrtf(sum / (float)n + (float)a->latent_eps);
    for (int64_t k = 0; k < n; ++k) z[k] = round_to(type, load(gain, k * gain->stride[0]) * round_to(type, z[k] * r));
}

/* Pairs of v by the token's row of the table. Three roundings to T (products, then their sum), or one. */
static void rotate(const ulpgate_mla_query *a, int64_t b, int64_t t, float *v) {
    if (!a->positions.data) return;
    const uint32_t type = a->h.type;
    const bool three = a->call.entry->user != NULL;
    const int64_t at = ((const int64_t *)a->positions.data)[b * a->positions.stride[0] + t * a->positions.stride[1]] * a->cos_sin.stride[0];
    for (int64_t k = 0; k < a->rope / 2; ++k) {
        const float c = load(&a->cos_sin, at + k * a->cos_sin.stride[1]), s = load(&a->cos_sin, at + (a->rope / 2 + k) * a->cos_sin.stride[1]);
        float xc = v[2 * k] * c, ys = v[2 * k + 1] * s, yc = v[2 * k + 1] * c, xs = v[2 * k] * s;
        if (three) xc = round_to(type, xc), ys = round_to(type, ys), yc = round_to(type, yc), xs = round_to(type, xs);
        v[2 * k] = round_to(type, xc - ys);
        v[2 * k + 1] = round_to(type, yc + xs);
    }
}

static void give_key(const ulpgate_mla_query *a, int64_t b, int64_t t, float *kv) {
    norm(a, kv, a->kv_rank, &a->kv_gain);
    rotate(a, b, t, kv + a->kv_rank);
    for (int64_t k = 0; k < a->kv_rank + a->rope; ++k) tap(&a->k_input, b, t, k, kv[k]);
}

static void give_head(const ulpgate_mla_query *a, int64_t b, int64_t t, int64_t head, float *q) {
    rotate(a, b, t, q + a->nope);
    for (int64_t j = 0; j < a->nope + a->rope; ++j) {
        const ulpgate_tensor *to = j < a->nope ? &a->q_nope : &a->q_pe;
        const int64_t col = j < a->nope ? j : j - a->nope;
        if (to->data) store(to, b * to->stride[0] + head * to->stride[1] + t * to->stride[2] + col * to->stride[3], q[j]);
    }
    const ulpgate_tensor *y = &a->q_absorbed, *w = &a->k_c;
    if (!y->data) return;
    const int64_t at = b * y->stride[0] + t * y->stride[1] + head * y->stride[2];
    for (int64_t o = 0; o < a->kv_rank; ++o) {
        float sum = 0;
        for (int64_t j = 0; j < a->nope; ++j) sum += q[j] * load(w, head * w->stride[0] + o * w->stride[1] + j * w->stride[2]);
        store(y, at + o * y->stride[3], sum);
    }
    for (int64_t j = 0; j < a->rope; ++j) store(y, at + (a->kv_rank + j) * y->stride[3], q[a->nope + j]);
}

static void one_token(const ulpgate_mla_query *a, int64_t b, int64_t t, float *h, float *z, float *q) {
    const uint32_t type = a->h.type;
    const int64_t per_head = a->nope + a->rope, latent = a->q_rank ? a->a.w.size[0] : 0;
    for (int64_t k = 0; k < a->hidden; ++k) h[k] = load(&a->h, b * a->h.stride[0] + t * a->h.stride[1] + k * a->h.stride[2]);
    const float *in = a->q_rank ? z : h;
    for (int64_t k = 0; k < latent; ++k) {
        float s = dot(h, &a->a, k, a->hidden);
        if (a->a.bias.data) s += load(&a->a.bias, k * a->a.bias.stride[0]);
        z[k] = round_to(type, s);
        tap(&a->tap_a, b, t, k, z[k]);
    }
    if (latent > a->q_rank) give_key(a, b, t, z + a->q_rank);
    if (a->q_rank) norm(a, z, a->q_rank, &a->q_gain);
    for (int64_t k = 0; k < a->q_rank; ++k) tap(&a->tap_norm, b, t, k, z[k]);
    for (int64_t o = 0; o < a->heads * per_head; ++o) {
        q[o] = round_to(type, dot(in, &a->q_b, o, a->q_rank ? a->q_rank : a->hidden));
        tap(&a->tap_q_b, b, t, o, q[o]);
    }
    for (int64_t head = 0; head < a->heads; ++head) give_head(a, b, t, head, q + head * per_head);
}

static int query(const ulpgate_mla_query *a) {
    if (a->batch < 0 || a->tokens < 0 || a->hidden < 1 || a->q_rank < 0) return ULPGATE_BAD_ARGUMENT;
    const int64_t fused = a->q_rank + a->kv_rank + a->rope, latent = a->q_rank ? a->a.w.size[0] : 0;
    if (a->q.data || (a->q_rank && latent != a->q_rank && latent != fused)) return ULPGATE_REFUSED;
    float *h = a->call.workspace, *z = h + a->hidden, *q = z + latent;
    for (int64_t b = 0; b < a->batch; ++b)
        for (int64_t t = 0; t < a->tokens; ++t) one_token(a, b, t, h, z, q);
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
#define THREE(text) {.size = sizeof(ulpgate_entry), .contract = text, .mla_query = query, .workspace = workspace, .user = text}
static const ulpgate_entry entries[] = {
    QUERY("bf16,cast_first"), QUERY("bf16,cast_first,taps=out"), QUERY("fp16,cast_first,taps=out"), QUERY("f32,cast_first,taps=out"),
    QUERY("bf16,cast_first,weights=e4m3:128x128,taps=out"), QUERY("bf16,cast_first,bias=before,taps=out"),
    QUERY("bf16,cast_first,kv=fused,absorb=yes,rope=one_cast"), QUERY("bf16,cast_first,bias=before,kv=fused,absorb=yes,rope=one_cast,taps=out"),
    THREE("bf16,cast_first,rope=three,taps=out"), QUERY("fp16,cast_first,kv=fused,rope=table_f32,taps=out"),
    {.size = sizeof(ulpgate_entry), .contract = "bf16,cast_first", .linear = head, .workspace = linear_workspace},
    {.size = sizeof(ulpgate_entry), .contract = "fp16,cast_first", .linear = head, .workspace = linear_workspace},
};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static const ulpgate_descriptor descriptor = {
        ULPGATE_HEAD, .threading = ULPGATE_REENTRANT, .name = "scalar query path",
        .entries = entries, .entry_count = sizeof entries / sizeof *entries};
    return variant ? NULL : &descriptor;
}
