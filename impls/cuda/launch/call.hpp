// A kernel behind the ABI: a launch description and its PTX, decoded, called with the arguments of an operation.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "impls/cuda/launch/description.hpp"
#include "impls/cuda/launch/tensors.hpp"
#include "impls/cuda/ptx/decode.hpp"
#include "impls/ulpgate_kernel.h"

namespace ulpgate::launch {

// A member of the set of executions that a compiler and a GPU may make of the same PTX. Text: "sm_90", "sm_80,fuse=first",
// "approx=low", "floor=126", joined by commas; "" is sm_80 (or the file's only image), nothing fused, approximations to nearest.
struct Member {
    std::string arch;
    ptx::Fuse fuse = ptx::Fuse::none;
    ptx::Approximate approximate = ptx::Approximate::nearest;
    // What a tensor core aligns its terms to at least is 2^-floor: sources differ (reference/tensor_core). Left out: the target's.
    std::optional<int> floor = {};
};
Member parse_member(const std::string& text);  // throws std::runtime_error
std::string print(const Member&);

// Where the launches of a call run.
class Machine {
  public:
    virtual ~Machine() = default;
    virtual std::uint64_t scratch(std::uint64_t bytes) = 0;  // the address of so many bytes that live as long as the call
    virtual void launch(const std::string& kernel, const ptx::Program&, const ptx::Launch&) = 0;
};

class Callable {
  public:
    Callable(const Description&, const Member&);  // throws std::runtime_error: what is wrong with description or PTX
    const Description& description() const { return description_; }
    // ULPGATE_OK or ULPGATE_REFUSED. Throws ptx::Error or std::runtime_error.
    int call(std::size_t entry, const Tensors&) const;
    // The same on another machine, to which the tensors' addresses belong.
    int call(std::size_t entry, const Tensors&, Machine&) const;
    // On the executor. The first call of an entry with enough rows is held to the same with rows far apart (spread.cpp).
    int call(std::size_t entry, const ulpgate_rmsnorm&);
    const ptx::Program& program(const std::string& kernel) const { return programs_.at(kernel); }

  private:
    void check_spread(std::size_t entry, const ulpgate_rmsnorm&) const;

    Description description_;
    Member member_;
    std::map<std::string, ptx::Program> programs_;
    std::set<std::size_t> spread_checked_;
};

// What a reader should know of the PTX before its verdict, a line each: products that ptxas may contract, approximate
// instructions, flushed subnormals (a fast-math build), with their lines.
std::vector<std::string> remarks(const Description&, const std::string& arch);

// The members that a verdict must hold for: more than one where the PTX leaves something open.
std::vector<Member> members(const Description&, const std::string& arch);

}  // namespace ulpgate::launch
