/* Kernels that misbehave, one a variant: trouble.so@loop. The tests build it with the C compiler alone. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "ulpgate_kernel.h"

#define X(a) ((const uint16_t *)(a)->x.data)
#define Y(a) ((uint16_t *)(a)->y.data)

/* y = x: good enough where only memory matters. */
static int copy(const ulpgate_rmsnorm *a) {
    for (int64_t i = 0; i < a->rows; ++i)
        memmove(Y(a) + i * a->y.stride[0], X(a) + i * a->x.stride[0], (size_t)a->d * 2);
    return ULPGATE_OK;
}

static int segfault(const ulpgate_rmsnorm *a) { (void)a; *(volatile int *)8 = 1; return 0; }
static int crashes_on_one_row(const ulpgate_rmsnorm *a) { return a->rows == 1 ? segfault(a) : copy(a); }
static int loop(const ulpgate_rmsnorm *a) { for (volatile int k = 0; a; ) k = 1; return 0; }
static int sleeper(const ulpgate_rmsnorm *a) { (void)a; for (;;) pause(); }
static int exits(const ulpgate_rmsnorm *a) { (void)a; exit(0); }
static int aborts(const ulpgate_rmsnorm *a) { (void)a; abort(); }
static int overflow_stack(const ulpgate_rmsnorm *a) {
    volatile char big[1 << 16];
    big[0] = 1;
    return overflow_stack(a) + big[0];
}
static int before(const ulpgate_rmsnorm *a) { copy(a); ((volatile uint16_t *)Y(a))[-1] = 0; return 0; }
static int after(const ulpgate_rmsnorm *a) { copy(a); ((volatile uint16_t *)Y(a))[(a->rows - 1) * a->y.stride[0] + a->d] = 0; return 0; }
static int reads_past(const ulpgate_rmsnorm *a) {
    volatile uint16_t v = X(a)[(a->rows - 1) * a->x.stride[0] + a->d];
    (void)v;
    return copy(a);
}
static int writes_input(const ulpgate_rmsnorm *a) { ((volatile uint16_t *)(uintptr_t)X(a))[1] = 0; return copy(a); }
static int gap(const ulpgate_rmsnorm *a) { copy(a); if (a->rows > 1) Y(a)[a->d] = 0; return 0; }
static int unwritten(const ulpgate_rmsnorm *a) {
    const uint16_t kept = Y(a)[a->d - 1];
    copy(a);
    Y(a)[a->d - 1] = kept;
    return 0;
}
static int nothing(const ulpgate_rmsnorm *a) { (void)a; return 0; }
static int random_bits(const ulpgate_rmsnorm *a) {
    static unsigned calls;
    copy(a);
    Y(a)[0] = (uint16_t)++calls;
    return 0;
}
static int by_address(const ulpgate_rmsnorm *a) { copy(a); Y(a)[0] = (uint16_t)((uintptr_t)Y(a) & 0xfff); return 0; }
static int some_nan(const ulpgate_rmsnorm *a) { /* which NaN, says where and how many: nobody's claim */
    copy(a);
    Y(a)[0] = (uint16_t)(0x7f81 + (((uintptr_t)Y(a) >> 1 ^ (uintptr_t)a->rows ^ (X(a) == Y(a))) & 0x3f));
    return 0;
}
static int reads_output(const ulpgate_rmsnorm *a) {
    const uint16_t held = Y(a)[0];
    copy(a);
    Y(a)[0] = (uint16_t)(held ^ 1);
    return 0;
}
static int refuses(const ulpgate_rmsnorm *a) { (void)a; return ULPGATE_REFUSED; }
static int fails(const ulpgate_rmsnorm *a) { (void)a; return ULPGATE_FAILED; }
static int prints(const ulpgate_rmsnorm *a) { printf("hello\n"); fflush(stdout); return copy(a); }
static int not_in_place(const ulpgate_rmsnorm *a) { /* reads x after it wrote y */
    copy(a);
    for (int64_t j = 0; j + 1 < a->d; ++j) Y(a)[j] = X(a)[j + 1];
    for (int64_t j = 0; j < a->d; ++j) Y(a)[j] ^= X(a)[0];
    return 0;
}
static int flushes(const ulpgate_rmsnorm *a) { /* shows whether the mode of its own choice holds */
    volatile float tiny = 1e-40f;
    const float half = tiny * 0.5f;
    copy(a);
    Y(a)[0] = half == 0 ? 1 : 2;
    return 0;
}
static int spoils_mode(const ulpgate_rmsnorm *a) {
    const int status = flushes(a);
    __builtin_ia32_ldmxcsr(0x9fc0);
    return status;
}
static size_t asks(const void *a) { (void)a; return 1000; }
static int workspace(const ulpgate_rmsnorm *a) {
    if (a->call.workspace_bytes < 1000 || (uintptr_t)a->call.workspace % 256) return ULPGATE_FAILED;
    memset(a->call.workspace, 0, 1000);
    return copy(a);
}
static int past_workspace(const ulpgate_rmsnorm *a) { ((volatile char *)a->call.workspace)[4096] = 1; return copy(a); }

static int forces_input(const ulpgate_rmsnorm *a) { /* unlocks it first */
    mprotect((void *)((uintptr_t)X(a) & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE);
    return writes_input(a);
}
static size_t asks_much(const void *a) { (void)a; return (size_t)-1; }
static int refuses_late(const ulpgate_rmsnorm *a) { copy(a); return ULPGATE_REFUSED; }
static int aligned_store(const ulpgate_rmsnorm *a) {
    copy(a);
    _mm_store_ps(a->y.data, _mm_set1_ps(0));
    return 0;
}
static int uses_past(const ulpgate_rmsnorm *a) {
    copy(a);
    Y(a)[0] ^= X(a)[(a->rows - 1) * a->x.stride[0] + a->d];
    return 0;
}
static int forks(const ulpgate_rmsnorm *a) { /* leaves a process behind */
    const int child = fork();
    FILE *f;
    if (!child) for (;;) pause();
    f = fopen(getenv("TROUBLE_FILE"), "w");
    fprintf(f, "%d", child);
    fclose(f);
    (void)a;
    exit(0);
}
static int vandal(const ulpgate_rmsnorm *a) { /* spoils whatever it shares with the harness */
    struct stat st;
    const int status = copy(a);
    for (int fd = 3; fd <= 4; ++fd) {
        void *p;
        fstat(fd, &st);
        if (!ftruncate(fd, 0)) return ULPGATE_FAILED;
        p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (fd == 3) memset(p, 0xee, (size_t)st.st_size);
    }
    return status;
}

#define ENTRY(name) {#name, {.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = name}}
static const struct { const char *name; ulpgate_entry entry; } variants[] = {
    ENTRY(copy), ENTRY(segfault), ENTRY(crashes_on_one_row), ENTRY(loop), ENTRY(sleeper), ENTRY(exits), ENTRY(aborts), ENTRY(overflow_stack), ENTRY(before),
    ENTRY(after), ENTRY(reads_past), ENTRY(writes_input), ENTRY(gap), ENTRY(unwritten), ENTRY(nothing), ENTRY(random_bits),
    ENTRY(by_address), ENTRY(reads_output), ENTRY(refuses), ENTRY(fails), ENTRY(prints), ENTRY(flushes), ENTRY(spoils_mode),
    ENTRY(refuses_late), ENTRY(aligned_store), ENTRY(uses_past), ENTRY(forks), ENTRY(vandal), ENTRY(forces_input),
    {"must_in_place", {.size = sizeof(ulpgate_entry), .contract = "bf16,inplace=must", .rmsnorm = copy}},
    {"reads_past_allowed", {.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = reads_past, .readable_past_end = 2}},
    {"uses_past_allowed", {.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = uses_past, .readable_past_end = 2}},
    {"much_workspace", {.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = copy, .workspace = asks_much}},
    {"no_entry_size", {.contract = "bf16", .rmsnorm = copy}},
    {"by_address_claimed", {.size = sizeof(ulpgate_entry), .contract = "bf16,holds=rerun.align", .rmsnorm = by_address}},
    {"some_nan", {.size = sizeof(ulpgate_entry), .contract = "bf16,inplace=may,holds=rerun.batch.align", .rmsnorm = some_nan}},
    {"in_place", {.size = sizeof(ulpgate_entry), .contract = "bf16,inplace=may", .rmsnorm = copy}},
    {"not_in_place", {.size = sizeof(ulpgate_entry), .contract = "bf16,inplace=may", .rmsnorm = not_in_place}},
    {"workspace", {.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = workspace, .workspace = asks}},
    {"past_workspace", {.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = past_workspace, .workspace = asks}},
    {"even", {.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = copy, .d_divisor = 2, .d_min = 4, .d_max = 64}},
    {"aligned", {.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = copy, .align = 32}},
    {"far_past_end", {.size = sizeof(ulpgate_entry), .contract = "bf16", .rmsnorm = copy, .readable_past_end = 4000000000u}},
    {"bad_contract", {.size = sizeof(ulpgate_entry), .contract = "bf61", .rmsnorm = copy}},
    {"no_contract", {.size = sizeof(ulpgate_entry), .rmsnorm = copy}},
    {"no_function", {.size = sizeof(ulpgate_entry), .contract = "bf16"}},
};

const ulpgate_descriptor *ULPGATE_DESCRIBE(const char *variant) {
    static ulpgate_descriptor d = {ULPGATE_HEAD, .name = "trouble", .version = "1", .entry_count = 1};
    if (!variant) return NULL;
    d.entries = &variants[0].entry;
    if (!strcmp(variant, "abi")) d.abi = 7;
    else if (!strcmp(variant, "short")) d.size = 8;
    else if (!strcmp(variant, "empty")) d.entry_count = 0;
    else if (!strcmp(variant, "no_head")) d.args_size[0] = 0;
    else if (!strcmp(variant, "newer")) d.args_size[0] += 64;
    else if (!strcmp(variant, "away")) d.unavailable = "needs a moon";
    else if (!strcmp(variant, "crash_at_load")) *(volatile int *)8 = 1;
    else if (!strcmp(variant, "hang_at_load")) for (volatile int k = 0; variant; ) k = 1;
    else if (!strcmp(variant, "fastmath")) {
        __builtin_ia32_ldmxcsr(0x9fc0);
        for (size_t k = 0; k < sizeof variants / sizeof *variants; ++k)
            if (!strcmp(variants[k].name, "flushes")) d.entries = &variants[k].entry;
    } else {
        for (size_t k = 0; k < sizeof variants / sizeof *variants; ++k)
            if (!strcmp(variants[k].name, variant)) { d.entries = &variants[k].entry; return &d; }
        return NULL;
    }
    return &d;
}
