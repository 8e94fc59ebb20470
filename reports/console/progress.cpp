#include "reports/console/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ulpgate {

Progress::Kind progress_kind(std::string_view when) {
    if (when == "bar") return Progress::Kind::bar;
    if (when == "counter") return Progress::Kind::counter;
    if (when == "none") return Progress::Kind::none;
    return ::isatty(STDERR_FILENO) ? Progress::Kind::bar : Progress::Kind::none;
}

void Progress::start(std::int64_t total) {
    const std::lock_guard lock(mutex_);
    total_ = total;
    done_ = 0;
}

void Progress::step(std::string_view what) {
    const std::lock_guard lock(mutex_);
    ++done_;
    if (kind_ == Kind::none) return;
    if (kind_ == Kind::counter) {  // a line each, for logs and tests
        fmt::print(stderr, "{}/{} {}\n", done_, total_, what);
        std::fflush(stderr);
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (shown_ && now - last_ < std::chrono::milliseconds(80)) return;
    last_ = now;
    shown_ = true;
    constexpr std::int64_t width = 24;
    const auto full = total_ ? std::min(width, width * done_ / total_) : 0;
    fmt::print(stderr, "\r\x1b[K[{}{}] {}/{} {}", std::string(static_cast<std::size_t>(full), '#'),
               std::string(static_cast<std::size_t>(width - full), '.'), done_, total_, what.substr(0, 48));
    std::fflush(stderr);
}

void Progress::wipe() {
    const std::lock_guard lock(mutex_);
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
}

}  // namespace ulpgate
