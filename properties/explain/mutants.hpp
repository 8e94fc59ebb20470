// How well a diagnosis names: each fault of the bank in kernels whose order, mean and root it does not know, and kernels without
// a fault, of which nothing may be said.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/explain/explain.hpp"
#include "reference/faults/fault.hpp"

namespace ulpgate {

struct ForeignArithmetic {
    std::string_view name;    // "lanes8x4"
    std::string_view fields;  // of a model's text
    bool newton = false;      // r by a Newton step on a coarse estimate, with its residual by FMA
};
std::span<const ForeignArithmetic> foreign_arithmetics();

enum class Naming {
    right,      // the fault, and it alone
    tied,       // it among others that no row tells from it
    wrong,      // another fault
    unnamed,    // seen, and said to be unknown
    missed,     // not seen
    invisible,  // another function, and no output can show it
    same,       // the changed line computes what it did (T is f32, d is even): no mutant; outputs are compared
};
std::string_view name(Naming);

struct MutantCell {
    std::string kind;  // "": no fault, where anything but `missed` is a false alarm
    std::string contract;  // without the type
    std::string_view arithmetic;
    Type type = Type::none;
    std::int64_t d = 0;
    Naming naming = Naming::missed;
    std::string said;  // the names, or the reason why nothing can be seen
    std::int64_t rows = 0, calls = 0;
    double seconds = 0;
};

// One cell. fault null: none, and the contract is the kernel's; with a fault it is the fault's own.
MutantCell name_mutant(const Fault*, const ForeignArithmetic&, Type, std::int64_t d, std::string_view contract = "cast_first");

// Contracts that a kernel without a fault may claim, without the type.
std::span<const std::string_view> honest_contracts();
// The root by an instruction or a coarse step, far outside 3 ulp: told by running it, counted apart.
bool approximate_root(const Fault&);

}  // namespace ulpgate
