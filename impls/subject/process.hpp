// A child process with one loaded subject: spawn, one step at a time, limits, and what its death means in words.
#pragma once
#include <sys/types.h>

#include <array>
#include <string>

#include "impls/subject/protocol.hpp"
#include "impls/subject/subject.hpp"

namespace ulpgate {

using Layout = std::array<child::Slot, child::slots>;

class ChildProcess {
  public:
    ChildProcess(std::string library, std::string variant, const SubjectOptions&);
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    bool alive() const { return pid_ > 0; }
    Outcome spawn();                 // kills what ran; ok when the subject is loaded and described
    Outcome step(unsigned threads);  // one call of the kernel on what control() and arena() hold
    void kill();
    std::string error() const;  // of the last step: what the child itself could not do

    child::Control& control() { return *control_; }
    unsigned char* arena() { return arena_; }    // outputs
    unsigned char* inputs() { return inputs_; }  // what no child can write
    bool grow_arena(std::uint64_t bytes);        // keeps the content; false when there is no memory
    bool grow_inputs(std::uint64_t bytes);
    // Where the tensors lie. The child gets a copy and may spoil it; the harness uses its own.
    const Layout& layout() const { return layout_; }
    void set_layout(const Layout&, std::uint64_t reservation);

  private:
    Outcome wait(double cpu_limit);
    Outcome died(int status);
    Outcome fault() const;
    void kill_group() const;

    std::string library_, variant_;
    const SubjectOptions& options_;
    pid_t pid_ = -1;
    int socket_ = -1, control_fd_ = -1, arena_fd_ = -1, inputs_fd_ = -1;
    child::Control* control_ = nullptr;
    unsigned char *arena_ = nullptr, *inputs_ = nullptr;
    std::uint64_t arena_size_ = 0, inputs_size_ = 0, mapping_ = 0, reservation_ = 0;
    double counted_ = 0;  // CPU seconds of the child that earlier outcomes hold
    Layout layout_{};
};

}  // namespace ulpgate
