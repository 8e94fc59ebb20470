#include "reports/run/interrupt.hpp"

#include <csignal>

namespace ulpgate {
namespace {

volatile std::sig_atomic_t seen = 0;

void on_signal(int) { seen = 1; }

}  // namespace

void catch_interrupts() {
    struct sigaction a {};
    a.sa_handler = on_signal;
    a.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&a.sa_mask);
    sigaction(SIGINT, &a, nullptr);
    sigaction(SIGTERM, &a, nullptr);
}

bool interrupted() { return seen != 0; }

}  // namespace ulpgate
