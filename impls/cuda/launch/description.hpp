// How kernels in PTX are called: a TOML file, schema ulpgate.launch/1.
//
//   schema = "ulpgate.launch/1"
//   module = "kernel.ptx"                # beside this file; ARCH in it stands for the architecture. PTX, or a library with PTX inside
//   name   = "my norm"
//   [[entry]]
//   op       = "rmsnorm"                 # or mla_query, linear; left out: rmsnorm
//   contract = "bf16,cast_first"         # its claim; "bf16": none. CORE in it stands for the architecture's tensor core, mma:8x24
//   requires = ["d % 8 == 0"]            # otherwise the call is refused
//   columns  = "strided"                 # left out: a call with elements of a row apart is refused
//   align    = 16                        # bytes; left out: the element's
//   [[entry.launch]]                     # one or more, in order
//   kernel = "rmsnorm_bf16"
//   when   = "d > 1024"                  # left out: always
//   grid   = "rows"                      # or up to three: ["rows", "1"]
//   block  = "min(1024, roundup(ceil(d, 8), 32))"
//   shared = "0"                         # dynamic, in bytes
//   params = [["ptr", "x"], ["ptr", "y"], ["ptr", "w"], ["i64", "x.row"], ["i32", "d"], ["f32", "eps"]]
//   [[entry.buffer]]                     # scratch memory: a name for ["ptr", NAME]
//   name  = "partial"
//   bytes = "rows * 4"
//   [[launch]]                           # what several entries share: launches by name, listed in an entry as
//   id = "norm"                          #   use = ["norm", ...]   # before its own; TYPE in a kernel's name is the entry's type
//   ...                                  # the keys of [[entry.launch]]; [[buffer]] likewise, where a launch names it
//   include = "shared.toml"              # above all tables: [[launch]] and [[buffer]] of another file; an own one replaces its namesake
//
// Names in expressions: sizes, and of each tensor T of the operation T.given (0 or 1), T.bytes of an element, T.row, its row stride in
// elements, T.s0 to T.s3, all its strides, outermost first, and T.align, the largest power of two up to 4096 that divides its address.
//   rmsnorm    rows d d_stat batch tokens; x w y residual residual_out rstd beta; eps, rcp_d (1/d rounded once)
//   mla_query  rows batch tokens hidden heads q_rank kv_rank nope rope a_out b_out b_in; h a a_bias a_scale q_gain kv_gain q_b q_b_scale
//              k_c positions cos_sin q q_nope q_pe q_absorbed k_input tap_a tap_norm tap_q_b; eps (the latent norm's), config_eps
//   linear     rows tokens in out; x w w_scale w_bias y
// Parameters: ptr i8 i32 i64 f32 f64; a ptr is a tensor (absent: null), a buffer or null; f32 and f64: a name above or a number.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ulpgate::launch {

struct Param {
    std::string type, value;
};
struct KernelLaunch {
    std::string path;  // of the file that it was included from; "": the description's own
    std::string id, kernel, when, shared;
    std::vector<std::string> grid, block;  // three each
    std::vector<Param> params;
    int line = 0;
};
struct Buffer {
    std::string name, bytes;
};
struct Entry {
    std::string op, contract;
    std::vector<std::string> requirements;
    bool any_columns = false;
    std::uint32_t align = 0;
    std::vector<KernelLaunch> launches;
    std::vector<Buffer> buffers;
    int line = 0;
};
struct Description {
    std::string path, module, name;  // module: as a path from here
    std::vector<Entry> entries;
};

// Throws std::runtime_error: "PATH:LINE: what".
Description read_description(const std::string& path, const std::string& arch);
// The same of a text; path: what errors name, and where module lies beside.
Description parse_description(std::string_view content, const std::string& path, const std::string& arch);

// A starting file for the kernels of a PTX file: their parameters listed, the meaning of each left to the author.
std::string launch_template(const std::string& ptx_path, const std::string& ptx_source);

}  // namespace ulpgate::launch
