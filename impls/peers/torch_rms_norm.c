/* torch.nn.functional.rms_norm on the CPU behind the C ABI, through libtorch's stable C functions, which are declared here: no header of
 * torch is needed. Built by impls/peers/torch_c_abi_test.sh against the libtorch of a Python's torch.
 *
 * variant: the contract to claim ("cast_first"); none: nothing is claimed. */
#include <stdio.h>
#include <string.h>

#include "ulpgate_kernel.h"

typedef struct tensor_opaque *tensor;
extern int aoti_torch_cpu__fused_rms_norm(tensor input, const int64_t *shape, int64_t dims, tensor *weight, double *eps, tensor *y, tensor *rstd);
extern int aoti_torch_create_tensor_from_blob(void *data, int64_t dims, const int64_t *sizes, const int64_t *strides, int64_t storage_offset,
                                              int32_t dtype, int32_t device_type, int32_t device_index, tensor *made);
extern int aoti_torch_delete_tensor_object(tensor);
extern int aoti_torch_get_data_ptr(tensor, void **data);
extern int32_t aoti_torch_dtype_bfloat16(void), aoti_torch_dtype_float16(void), aoti_torch_dtype_float32(void), aoti_torch_device_type_cpu(void);

static int wrap(const ulpgate_tensor *t, tensor *made) {
    const int32_t type = t->type == ULPGATE_BF16 ? aoti_torch_dtype_bfloat16() : t->type == ULPGATE_F16 ? aoti_torch_dtype_float16() : aoti_torch_dtype_float32();
    return aoti_torch_create_tensor_from_blob(t->data, t->rank, t->size, t->stride, 0, type, aoti_torch_device_type_cpu(), 0, made);
}

static int rms_norm(const ulpgate_rmsnorm *a) {
    tensor x = NULL, w = NULL, y = NULL, rstd = NULL;
    double eps = a->eps;
    void *from = NULL;
    if (!a->rows) return ULPGATE_OK;
    int bad = wrap(&a->x, &x) || wrap(&a->w, &w) || aoti_torch_cpu__fused_rms_norm(x, &a->d, 1, &w, &eps, &y, &rstd) || aoti_torch_get_data_ptr(y, &from);
    const size_t es = (a->y.type & 0xff) / 8;
    for (int64_t r = 0; !bad && r < a->rows; ++r)
        memcpy((char *)a->y.data + (size_t)(r * a->y.stride[0]) * es, (char *)from + (size_t)(r * a->d) * es, (size_t)a->d * es);
    tensor all[] = {x, w, y, rstd};
    for (int k = 0; k < 4; ++k)
        if (all[k]) aoti_torch_delete_tensor_object(all[k]);
    return bad ? ULPGATE_FAILED : ULPGATE_OK;
}

const ulpgate_descriptor *ulpgate_describe(const char *variant) {
    static char contract[3][128];
    static ulpgate_entry entries[3];
    static const char *types[] = {"bf16", "fp16", "f32"};
    for (int k = 0; k < 3; ++k) {
        snprintf(contract[k], sizeof contract[k], "%s%s%s", types[k], variant ? "," : "", variant ? variant : "");
        entries[k] = (ulpgate_entry){.size = sizeof(ulpgate_entry), .contract = contract[k], .rmsnorm = rms_norm};
    }
    static ulpgate_descriptor d = {ULPGATE_HEAD, .device = ULPGATE_CPU, .entry_count = 3, .name = "torch.nn.functional.rms_norm, C ABI", .entries = entries};
    return &d;
}
