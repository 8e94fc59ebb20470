#pragma once
#include <string>
#include <vector>

#include "impls/subject/subject.hpp"
#include "properties/explain/explain.hpp"

namespace ulpgate::naming {

// A kernel that is known by its calls only.
class Called final : public Subject {
  public:
    Called(const KernelCall& call, const Contract& c) : call_(call) { entries_.push_back({print(c)}); }
    const std::string& text() const override { return text_; }
    Outcome start() override { return {}; }
    const std::vector<EntryInfo>& entries() const override { return entries_; }
    std::string name() const override { return text_; }
    std::string version() const override { return ""; }
    std::string mode() const override { return ""; }
    Outcome run(std::size_t, const Tensors& t) override { return call_(t); }

  private:
    const KernelCall& call_;
    std::string text_ = "a kernel";
    std::vector<EntryInfo> entries_;
};

}  // namespace ulpgate::naming
