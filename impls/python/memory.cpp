#include "impls/python/memory.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <vector>

namespace ulpgate::python {
namespace {

struct Named {
    std::uint32_t type;
    const char* name;
};
constexpr Named types[] = {{ULPGATE_BF16, "bfloat16"}, {ULPGATE_F16, "float16"},         {ULPGATE_F32, "float32"},
                           {ULPGATE_I8, "int8"},       {ULPGATE_E4M3, "float8_e4m3fn"}, {ULPGATE_I64, "int64"}};

std::string name_of(std::uint32_t type) {
    for (const auto& t : types)
        if (t.type == type) return t.name;
    return fmt::format("DLPack type {}, {} bits", type >> 8, type & 0xff);
}

nb::dlpack::dtype dtype_of(std::uint32_t type) { return {static_cast<std::uint8_t>(type >> 8), static_cast<std::uint8_t>(type & 0xff), 1}; }

struct Shape {
    std::vector<std::size_t> size;
    std::vector<std::int64_t> stride;
    explicit Shape(const ulpgate_tensor& t) {
        for (std::uint32_t k = 0; k < t.rank; ++k) {
            size.push_back(static_cast<std::size_t>(t.size[k]));
            stride.push_back(t.stride[k]);
        }
    }
};

std::string shape_text(const std::vector<std::size_t>& s) { return fmt::format("({}{})", fmt::join(s, ", "), s.size() == 1 ? "," : ""); }

}  // namespace

std::string Memory::type() const { return name_of(tensor_.type); }

nb::capsule Memory::owner() const {
    return nb::capsule(new std::shared_ptr<void>(keep_), [](void* p) noexcept { delete static_cast<std::shared_ptr<void>*>(p); });
}

nb::ndarray<> Memory::dlpack() const {
    const Shape s(tensor_);
    return nb::ndarray<>(tensor_.data, s.size.size(), s.size.data(), owner(), s.stride.data(), dtype_of(tensor_.type));
}

nb::ndarray<nb::numpy> Memory::words() const {
    const Shape s(tensor_);
    const nb::dlpack::dtype word{static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt), static_cast<std::uint8_t>(tensor_.type & 0xff), 1};
    return nb::ndarray<nb::numpy>(tensor_.data, s.size.size(), s.size.data(), owner(), s.stride.data(), word);
}

void Memory::copy(const nb::ndarray<nb::ro>& from) const {
    if (from.device_type() != nb::device::cpu::value)
        throw nb::type_error(fmt::format("{} is not on the CPU: move the result back before it is returned", name_).c_str());
    const Shape mine(tensor_);
    std::vector<std::size_t> theirs;
    for (std::size_t k = 0; k < from.ndim(); ++k) theirs.push_back(from.shape(k));
    if (theirs != mine.size)
        throw nb::value_error(fmt::format("{} has shape {}, wanted is {}", name_, shape_text(theirs), shape_text(mine.size)).c_str());
    const std::size_t bytes = (tensor_.type & 0xff) / 8, inner = mine.size.empty() ? 1 : mine.size.back();
    std::size_t rows = 1;
    for (std::size_t k = 0; k + 1 < mine.size.size(); ++k) rows *= mine.size[k];
    const auto* source = static_cast<const char*>(from.data());
    auto* target = static_cast<char*>(tensor_.data);
    for (std::size_t row = 0; row < rows; ++row) {
        std::int64_t a = 0, b = 0;
        for (std::size_t k = mine.size.size() - 1, left = row; k-- > 0; left /= mine.size[k]) {
            const auto at = static_cast<std::int64_t>(left % mine.size[k]);
            a += at * from.stride(k);
            b += at * mine.stride[k];
        }
        const std::int64_t step = mine.size.empty() ? 1 : from.stride(mine.size.size() - 1);
        const std::int64_t own = mine.size.empty() ? 1 : mine.stride.back(), es = static_cast<std::int64_t>(bytes);
        if (step == 1 && own == 1) std::memcpy(target + b * es, source + a * es, inner * bytes);
        else
            for (std::int64_t j = 0; j < static_cast<std::int64_t>(inner); ++j) std::memcpy(target + (b + j * own) * es, source + (a + j * step) * es, bytes);
    }
}

void Memory::store(nb::ndarray<nb::ro> from) const {
    const auto t = from.dtype();
    const std::uint32_t type = static_cast<std::uint32_t>(t.code) << 8 | t.bits;
    if (type != tensor_.type || t.lanes != 1)
        throw nb::type_error(fmt::format("{} is {}, wanted is {}: a result of another type needs a contract that says y=", name_, name_of(type), this->type()).c_str());
    copy(from);
}

void Memory::store_words(nb::ndarray<nb::ro> from) const {
    if (from.dtype().bits != (tensor_.type & 0xff)) throw nb::type_error(fmt::format("{} has words of {} bits, wanted are {}", name_, from.dtype().bits, tensor_.type & 0xff).c_str());
    copy(from);
}

void bind_memory(nb::module_& m) {
    nb::class_<Memory>(m, "Memory")
        .def_prop_ro("name", &Memory::name)
        .def_prop_ro("dtype", &Memory::type)
        .def("dlpack", &Memory::dlpack)
        .def("words", &Memory::words)
        .def("store", &Memory::store)
        .def("store_words", &Memory::store_words);
}

}  // namespace ulpgate::python
