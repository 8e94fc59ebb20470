/* oneDNN's layer normalisation with the RMS flag behind the C ABI. Built by impls/peers/peers.py with a libdnnl of 3.7 or later.
 *
 * variant: "reference" asks for its plain implementation; none: the first that it offers, a JIT on most CPUs. */
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <string.h>

#include "ulpgate_kernel.h"

static int want_reference;
static dnnl_engine_t engine;

static dnnl_data_type_t type_of(const ulpgate_tensor *t) {
    return t->type == ULPGATE_BF16 ? dnnl_bf16 : t->type == ULPGATE_F16 ? dnnl_f16 : dnnl_f32;
}

static int describe_rows(const ulpgate_rmsnorm *a, const ulpgate_tensor *t, dnnl_memory_desc_t *made) {
    const dnnl_dims_t size = {a->rows, a->d}, stride = {a->rows > 1 ? t->stride[0] : a->d, 1};
    return dnnl_memory_desc_create_with_strides(made, 2, size, type_of(t), stride);
}

static int is_reference(const_dnnl_primitive_desc_t d) {
    const char *name = "";
    dnnl_primitive_desc_query(d, dnnl_query_impl_info_str, 0, &name);
    return strstr(name, "ref") != NULL;
}

static int run(const ulpgate_rmsnorm *a, dnnl_primitive_desc_t d, dnnl_memory_desc_t x, dnnl_memory_desc_t y, dnnl_memory_desc_t w) {
    dnnl_primitive_t norm = NULL;
    dnnl_stream_t stream = NULL;
    dnnl_memory_t memory[3] = {NULL};
    int bad = dnnl_primitive_create(&norm, d) || dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) ||
              dnnl_memory_create(&memory[0], x, engine, a->x.data) || dnnl_memory_create(&memory[1], y, engine, a->y.data) ||
              dnnl_memory_create(&memory[2], w, engine, a->w.data);
    const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, memory[0]}, {DNNL_ARG_DST, memory[1]}, {DNNL_ARG_SCALE, memory[2]}};
    bad = bad || dnnl_primitive_execute(norm, stream, 3, args) || dnnl_stream_wait(stream);
    for (int k = 0; k < 3; ++k) dnnl_memory_destroy(memory[k]);
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(norm);
    return bad;
}

static int rms_norm(const ulpgate_rmsnorm *a) {
    if (!a->rows) return ULPGATE_OK;
    dnnl_memory_desc_t x = NULL, y = NULL, w = NULL;
    dnnl_primitive_desc_t d = NULL;
    const dnnl_dims_t gain = {a->d}, one = {1};
    int bad = describe_rows(a, &a->x, &x) || describe_rows(a, &a->y, &y) || dnnl_memory_desc_create_with_strides(&w, 1, gain, type_of(&a->w), one);
    dnnl_status_t made = bad ? dnnl_runtime_error
                             : dnnl_layer_normalization_forward_primitive_desc_create_v2(&d, engine, dnnl_forward_inference, x, y, NULL, type_of(&a->w),
                                                                                         (float)a->eps, dnnl_use_scale | dnnl_rms_norm, NULL);
    while (made == dnnl_success && want_reference && !is_reference(d)) made = dnnl_primitive_desc_next_impl(d);
    if (made == dnnl_success) bad = run(a, d, x, y, w);
    dnnl_primitive_desc_destroy(d);
    dnnl_memory_desc_destroy(x);
    dnnl_memory_desc_destroy(y);
    dnnl_memory_desc_destroy(w);
    if (made == dnnl_unimplemented || made == dnnl_last_impl_reached) return ULPGATE_REFUSED;
    return bad || made != dnnl_success ? ULPGATE_FAILED : ULPGATE_OK;
}

const ulpgate_descriptor *ulpgate_describe(const char *variant) {
    static const char *types[] = {"bf16", "fp16", "f32"};
    static ulpgate_entry entries[3];
    static ulpgate_descriptor d = {ULPGATE_HEAD, .device = ULPGATE_CPU, .entry_count = 3, .name = "oneDNN layer normalisation, RMS", .entries = entries};
    want_reference = variant && !strcmp(variant, "reference");
#ifdef ULPGATE_OPENCL /* the runtime that PyPI's build computes on */
    setenv("OCL_ICD_FILENAMES", ULPGATE_OPENCL, 0);
#endif
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) return NULL;
    for (int k = 0; k < 3; ++k) entries[k] = (ulpgate_entry){.size = sizeof(ulpgate_entry), .contract = types[k], .rmsnorm = rms_norm};
    return &d;
}
