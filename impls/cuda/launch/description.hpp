// How kernels in PTX are called: a TOML file, schema ulpgate.launch/1.
//
//   schema = "ulpgate.launch/1"
//   module = "kernel.ptx"                # beside this file; ARCH in it stands for the architecture. PTX, or a library with PTX inside
//   name   = "my norm"
//   [[entry]]
//   op       = "rmsnorm"
//   contract = "bf16,cast_first"         # its claim; "bf16": none
//   requires = ["d % 8 == 0"]            # otherwise the call is refused
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
//
// Names in expressions: rows d d_stat batch tokens, and of each tensor T (x w y residual residual_out rstd beta) T.row, its row
// stride in elements, and T.align, the largest power of two up to 4096 that divides its address. Parameters: ptr i8 i32 i64
// f32 f64; of f32 and f64: eps, rcp_d (1/d rounded once) or a number.
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
    std::string kernel, when, shared;
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
