// A child process with one loaded subject: spawn, one step at a time, limits, and what its death means in words.
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "impls/subject/callee.hpp"

namespace ulpgate {

class ChildProcess final : public Callee {
  public:
    // command: a program by its path (a name without '/' is looked up in PATH) and its arguments; it serves as child.hpp says.
    // library: a file that must look like a shared library; "": none is loaded.
    ChildProcess(std::vector<std::string> command, std::string library, SubjectOptions);
    ~ChildProcess() override;
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    bool alive() const override { return pid_ > 0; }
    Outcome spawn() override;  // kills what ran
    Outcome step(unsigned threads) override;
    void kill() override;
    std::string error() const override;

    child::Control& control() override { return *control_; }
    unsigned char* arena() override { return arena_; }
    unsigned char* inputs() override { return inputs_; }  // what no child can write
    bool grow_arena(std::uint64_t bytes) override;
    bool grow_inputs(std::uint64_t bytes) override;
    // The child gets a copy and may spoil it; the harness uses its own.
    const Layout& layout() const override { return layout_; }
    void set_layout(const Layout&, std::uint64_t reservation) override;

  private:
    Outcome wait(double cpu_limit);
    Outcome died(int status);
    Outcome fault() const;
    void kill_group() const;

    std::vector<std::string> command_;
    std::string library_;
    SubjectOptions options_;
    pid_t pid_ = -1;
    int socket_ = -1, control_fd_ = -1, arena_fd_ = -1, inputs_fd_ = -1;
    child::Control* control_ = nullptr;
    unsigned char *arena_ = nullptr, *inputs_ = nullptr;
    std::uint64_t arena_size_ = 0, inputs_size_ = 0, mapping_ = 0, reservation_ = 0;
    double counted_ = 0;  // CPU seconds of the child that earlier outcomes hold
    Layout layout_{};
};

}  // namespace ulpgate
