#include "reports/run/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace ulpgate {
namespace {

std::atomic<bool> seen{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) { seen = true; }

}  // namespace

void catch_interrupts() {
    struct sigaction a {};
    a.sa_handler = on_signal;
    a.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, nullptr);
    sigaction(SIGTERM, &a, nullptr);
}

bool interrupted() { return seen; }

}  // namespace ulpgate
