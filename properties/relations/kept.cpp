#include "properties/relations/kept.hpp"

namespace ulpgate {
namespace {

constexpr Kept kept[] = {
    {"cast_first", "cast_first"},
    {"cast_first", "cast_first,order=lanes:8x4,mean=recip"},
    {"cast_first,rsqrt=0", "cast_first,order=pairwise"},
    {"cast_first,rsqrt=1", "cast_first,order=cuda_block,fma"},
    {"cast_first", "cast_first,order=aten_cascade,rsqrt_form=recip_sqrt"},
    {"cast_first,acc=f64", "cast_first,acc=f64,order=lanes:16x1"},
    {"cast_first,acc=f64", "cast_first,acc=f64,mean_in=f64,rsqrt_form=recip_sqrt"},
    {"f32_gain,acc=f64,sq=f64", "f32_gain,acc=f64,sq=f64,mean_in=f64,order=pairwise"},
    {"cast_first", "cast_first,rsqrt_form=up:1,order=lanes:16x4,fma"},
    {"cast_first", "cast_first,rsqrt_form=down:1,mean=recip"},
    {"cast_first,rsqrt=3", "cast_first,rsqrt=3,rsqrt_form=up:2,order=butterfly,fma"},
    {"f32_gain,rsqrt=3", "f32_gain,rsqrt=3,rsqrt_form=down:2,order=pairwise,fma"},
    {"cast_first,order=masked:8x4", "cast_first,order=masked:8x4,fma,rsqrt_form=recip_sqrt"},
    {"cast_first,order=aten_cascade:16", "cast_first,order=aten_cascade:16,mean=div"},
    {"cast_first,by=div", "cast_first,by=div,order=butterfly"},
    {"cast_first,by=div", "cast_first,by=div,order=aten_cascade:4,fma,mean=recip"},
    {"f32_gain", "f32_gain,assoc=xr_w,order=lanes:16x2"},
    {"f32_gain", "f32_gain,assoc=x_rw,fma"},
    {"f32_gain", "f32_gain,assoc=xw_r,mean=recip,order=masked"},
    {"f32_gain,assoc=x_rw,by=div", "f32_gain,assoc=x_rw,by=div"},
    {"cast_first,gain=one_plus", "cast_first,gain=one_plus,order=lanes:4x2"},
    {"f32_gain,gain=one_plus_t", "f32_gain,gain=one_plus_t,assoc=xr_w"},
    {"cast_first,gain=none", "cast_first,gain=none"},
    {"cast_first,w=f32", "cast_first,w=f32,order=pairwise"},
    {"cast_first,residual=rounded", "cast_first,residual=rounded,order=lanes:8x1"},
    {"cast_first,residual=unrounded", "cast_first,residual=unrounded,order=lanes:8x1"},
    {"cast_first,residual=var_unrounded", "cast_first,residual=var_unrounded"},
    {"f32_gain,residual=norm_unrounded,res=f32", "f32_gain,assoc=xr_w,residual=norm_unrounded,res=f32"},
    {"cast_first+f32_gain", "f32_gain,assoc=xw_r,order=butterfly"},
    {"", "f32_gain,assoc=xr_w,order=lanes:8x8"},
};

}  // namespace

std::span<const Kept> kept_contracts() { return kept; }

}  // namespace ulpgate
