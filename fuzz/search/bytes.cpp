#include "fuzz/search/bytes.hpp"

#include "fuzz/codec/codec.hpp"

namespace ulpgate::fuzzing {

ByteSearch::ByteSearch(Subject& subject, std::int64_t d) {
    const auto& entries = subject.entries();
    std::size_t chosen = entries.size();
    for (std::size_t k = 0; k < entries.size(); ++k) {
        Claim c;
        if (entries[k].abi != Abi::rmsnorm || parse(entries[k].contract, c)) continue;
        if (c[0].residual != Residual::none || c[0].quant != Quant::none || c[0].rstd != Emit::none || c[0].beta != Given::none) continue;
        const bool shows = shows_r(c[0]);
        if (chosen < entries.size() && !shows) continue;
        chosen = k;
        shape_.claim = std::move(c);
        objective_ = shows ? Objective::r : Objective::outside;
        if (shows) break;
    }
    if (chosen == entries.size()) {
        error_ = subject.text() + ": no RMSNorm entry without a residual";
        return;
    }
    shape_.d = d;
    shape_.program.fill = encode(contract().x, 1.0f);
    if (contract().gain != Gain::none) shape_.gain = "ones";
    row_ = std::make_unique<Row>(subject, chosen, shape_, objective_, true);
    error_ = row_->error();
}

double ByteSearch::operator()(std::span<const std::uint8_t> bytes) {
    ByteReader r(bytes);
    program_ = read_program(r, contract().x, shape_.d);
    return (*row_)(program_);
}

double ByteSearch::allowed() { return row_->allowed(program_); }

std::string ByteSearch::line() const { return print(row_->case_of(program_)); }

}  // namespace ulpgate::fuzzing
