// How far the run is, on stderr: a bar or a counter that is wiped away when done.
#pragma once
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace ulpgate {

class Progress {
  public:
    enum class Kind { none, counter, bar };
    explicit Progress(Kind kind) : kind_(kind) {}
    ~Progress() { wipe(); }
    void start(std::int64_t total);
    void step(std::string_view what);  // one more done; what runs
    void wipe();

  private:
    std::mutex mutex_;
    Kind kind_;
    std::int64_t total_ = 0, done_ = 0;
    std::chrono::steady_clock::time_point last_{};
    bool shown_ = false;
};

// when: auto (a bar on a terminal, else nothing), bar, counter, none.
Progress::Kind progress_kind(std::string_view when);

}  // namespace ulpgate
