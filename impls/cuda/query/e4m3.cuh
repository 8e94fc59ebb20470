// Codes of e4m3 (OCP OFP8: no infinities, 7f and ff are NaN), read in f32.
#pragma once

struct E4m3 {
    using Storage = unsigned char;
    __device__ static float load(Storage v) {
        const unsigned sign = (v & 0x80u) << 24, a = v & 0x7fu;
        const float small = __fmul_rn(__uint2float_rn(a), 0x1p-9f);
        const unsigned magnitude = a == 0x7fu ? 0x7fc00000u : a < 8 ? __float_as_uint(small) : (a << 20) + (120u << 23);
        return __uint_as_float(sign | magnitude);
    }
};
