/* ulpgate_kernel.h: how a kernel shows itself to ulpgate. C99, nothing to link.
 *
 * A kernel is a shared library that exports ulpgate_describe(). It is loaded and called in a child process (by libFuzzer:
 * in the fuzzer's own). Calls come one at a time unless it says ULPGATE_REENTRANT; memory at one address may hold other
 * values in the next call.
 *
 *   Absent     a tensor whose data is NULL. The harness passes an optional tensor only to an entry whose contract
 *              asks for it, so a kernel never meets an option that it did not claim.
 *   Strides    in elements, never negative; they are always to be honoured. A shape, stride, address or option
 *              that the kernel cannot do: return ULPGATE_REFUSED and write nothing. It is counted, not held against it.
 *   Addresses  every tensor starts at a multiple of entry.align (0: of its element), and so does every row of it
 *              where the row stride allows. Inputs are read-only, outputs hold poison. The elements between the rows
 *              of a strided tensor belong to someone else.
 *   Versions   every struct that may grow begins with its size; new fields come at the end and 0 means "as before".
 *              The harness never calls an entry with a field set that lies beyond the size its author compiled with.
 *              ulpgate_tensor, ulpgate_weight and ulpgate_call never change.
 */
#ifndef ULPGATE_KERNEL_H
#define ULPGATE_KERNEL_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define ULPGATE_ABI 1u

enum { /* what a call returns; anything else counts as ULPGATE_FAILED */
    ULPGATE_OK = 0,
    ULPGATE_REFUSED = 1, /* this combination is not implemented; nothing was written */
    ULPGATE_BAD_ARGUMENT = 2,
    ULPGATE_FAILED = 3 /* out of memory, device error */
};

enum { /* types: DLPack type code << 8 | bits */
    ULPGATE_I8 = 0x0008, ULPGATE_I32 = 0x0020, ULPGATE_I64 = 0x0040,
    ULPGATE_F16 = 0x0210, ULPGATE_F32 = 0x0220, ULPGATE_BF16 = 0x0410,
    ULPGATE_E4M3 = 0x0a08 /* e4m3fn */, ULPGATE_E5M2 = 0x0c08, ULPGATE_E8M0 = 0x0e08
};

typedef struct ulpgate_tensor {
    void *data; /* NULL: absent */
    uint32_t type;
    uint32_t rank; /* dimensions used below, outermost first */
    int64_t size[4];
    int64_t stride[4];
} ulpgate_tensor;

typedef struct ulpgate_weight { /* y = x * transpose(w) */
    ulpgate_tensor w;     /* [out, in] */
    ulpgate_tensor bias;  /* [out], or absent */
    ulpgate_tensor scale; /* [ceil(out / block[0]), ceil(in / block[1])], multiplies; or absent */
    int64_t block[2];     /* {128, 128}; {1, in}: a channel; {out, in}: the whole */
} ulpgate_weight;

typedef struct ulpgate_call { /* begins every argument struct */
    size_t size;          /* of the whole argument struct */
    void *workspace;      /* as many bytes as entry.workspace() asked for, aligned to 256, poisoned before each call */
    size_t workspace_bytes;
    void *stream;         /* device cuda: a CUstream; otherwise NULL */
    const struct ulpgate_entry *entry; /* the entry that is called: one function may serve several */
    uint32_t threads;     /* how many to use at most; 0: the kernel's choice */
    uint32_t reserved[5]; /* 0 */
} ulpgate_call;

typedef struct ulpgate_rmsnorm {
    ulpgate_call call;
    int64_t rows, d;      /* rows = batch * tokens; may be 0 */
    int64_t batch, tokens;
    int64_t d_stat;       /* columns that the mean square is taken over; = d unless the contract says stat_width */
    double eps;
    ulpgate_tensor x;     /* in   [rows, d] */
    ulpgate_tensor w;     /* in   [d];       contract gain=none: absent */
    ulpgate_tensor y;     /* out  [rows, d]; contract inplace: may be x's memory */
    ulpgate_tensor beta;          /* in   [d];        contract beta=given */
    ulpgate_tensor residual;      /* in   [rows, d];  contract residual=... */
    ulpgate_tensor residual_out;  /* out  [rows, d];  may be residual's memory where inplace is claimed */
    ulpgate_tensor rstd;          /* out  [rows] f32; contract rstd=out */
    ulpgate_tensor scale;         /* f32; contract quant: given [1] in, token [rows] out, group [rows, ceil(d / scale_group)] out */
    int64_t scale_group;
    double scale_limit;           /* upper bound of a computed scale; 0: none */
} ulpgate_rmsnorm;

typedef struct ulpgate_mla_query {
    ulpgate_call call;
    int64_t batch, tokens, hidden, heads;
    int64_t q_rank;               /* 0: no low rank, no norm: q_b is q_proj [heads * (nope + rope), hidden] */
    int64_t kv_rank, nope, rope;
    double config_eps, latent_eps;
    ulpgate_tensor h;             /* in  [batch, tokens, hidden] */
    ulpgate_weight a;             /* in  [q_rank, hidden], or fused [q_rank + kv_rank + rope, hidden] (size[0] tells) */
    ulpgate_tensor q_gain;        /* in  [q_rank] */
    ulpgate_tensor kv_gain;       /* in  [kv_rank], with the fused weight */
    ulpgate_weight q_b;           /* in  [heads * (nope + rope), q_rank] */
    ulpgate_tensor k_c;           /* in  [heads, kv_rank, nope]: absorption, or absent */
    ulpgate_tensor positions;     /* in  [batch, tokens] i64: rotate q_pe, or absent */
    ulpgate_tensor cos_sin;       /* in  [positions, rope]: rope/2 cosines, then rope/2 sines; or absent */
    /* Outputs: each may be absent, at least one is not. */
    ulpgate_tensor q;             /* out [batch, heads, tokens, nope + rope] */
    ulpgate_tensor q_nope, q_pe;  /* out [batch, heads, tokens, nope] and [..., rope]; may be views of one buffer */
    ulpgate_tensor q_absorbed;    /* out [batch, tokens, heads, kv_rank + rope] */
    ulpgate_tensor k_input;       /* out [batch, tokens, kv_rank + rope] */
    /* Taps: out [batch, tokens, size of the stage]; fill those that are not absent. */
    ulpgate_tensor tap_a, tap_norm, tap_q_b;
} ulpgate_mla_query;

typedef struct ulpgate_linear { /* a projection alone: the head, q_a_proj, a GEMM under test */
    ulpgate_call call;
    int64_t tokens;
    ulpgate_tensor x;     /* in  [tokens, in] */
    ulpgate_weight w;     /* in */
    ulpgate_tensor y;     /* out [tokens, out] */
} ulpgate_linear;

typedef struct ulpgate_entry {
    size_t size;
    const char *contract; /* "bf16,cast_first": the x type, then what differs from the defaults. "bf16": no claim. */
    /* Exactly one: it says which operation this is. */
    int (*rmsnorm)(const ulpgate_rmsnorm *);
    int (*mla_query)(const ulpgate_mla_query *);
    int (*linear)(const ulpgate_linear *);
    size_t (*workspace)(const void *args); /* bytes for this call; NULL: none */
    int64_t d_min, d_max, d_divisor;       /* 0: any */
    uint32_t align;             /* bytes; 0: the element's */
    uint32_t readable_past_end; /* bytes that may be read, not used, after the end of an input, at most 65536; 0: none */
    const void *user;           /* the author's own */
} ulpgate_entry;

enum { ULPGATE_CPU = 0, ULPGATE_CUDA = 1 };
enum { ULPGATE_NOT_REENTRANT = 0, ULPGATE_REENTRANT = 1 }; /* may be called from several threads at once */

typedef struct ulpgate_descriptor {
    size_t size;
    uint32_t abi; /* ULPGATE_ABI */
    uint32_t device, threading;
    uint32_t entry_size; /* sizeof(ulpgate_entry) */
    uint32_t args_size[3]; /* sizeof of the three argument structs, as compiled */
    uint32_t entry_count;
    const char *name, *version; /* version may be NULL */
    const ulpgate_entry *entries;
    const char *unavailable; /* NULL: runs here; else why not ("no AVX-512"): the subject is skipped with that reason */
} ulpgate_descriptor;

/* The first members of a descriptor, filled in. */
#define ULPGATE_HEAD                                                                      \
    .size = sizeof(ulpgate_descriptor), .abi = ULPGATE_ABI, .entry_size = sizeof(ulpgate_entry), \
    .args_size = {sizeof(ulpgate_rmsnorm), sizeof(ulpgate_mla_query), sizeof(ulpgate_linear)}

#if defined(__GNUC__)
#define ULPGATE_EXPORT __attribute__((visibility("default")))
#else
#define ULPGATE_EXPORT
#endif
#ifndef ULPGATE_DESCRIBE /* renamed where several kernels are linked into one program */
#define ULPGATE_DESCRIBE ulpgate_describe
#endif

/* variant: what follows '@' in the subject ("libk.so@tile64"); NULL without one. NULL back: no such variant. */
ULPGATE_EXPORT const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant);

/* Optional: why the last call failed, or why ulpgate_describe returned NULL, in words; NULL: nothing to say. */
ULPGATE_EXPORT const char *ulpgate_why(void);

#ifdef __cplusplus
}
#endif
#endif
