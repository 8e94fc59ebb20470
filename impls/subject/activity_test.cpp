#include "impls/subject/activity.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace ulpgate {
namespace {

struct Child {
    explicit Child(void (*body)()) : pid(fork()) {
        if (pid == 0) {
            prctl(PR_SET_NAME, "a) S 1 (b");  // a name that looks like the fields after it
            body();
            _exit(0);
        }
    }
    ~Child() {
        ::kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
    }
    Child(const Child&) = delete;
    pid_t pid;
};

bool becomes(bool wanted, pid_t pid) {
    for (int k = 0; k < 2000; ++k) {
        if (works(pid) == wanted) return true;
        usleep(5000);
    }
    return false;
}

TEST(Activity, ARunnableProcessWorksThoughItGetsNoCpu) {
    const Child spins([] {
        for (;;) asm volatile("");
    });
    EXPECT_TRUE(becomes(true, spins.pid));
    ::kill(spins.pid, SIGSTOP);
    EXPECT_TRUE(becomes(false, spins.pid)) << "it is stopped";
    ::kill(spins.pid, SIGCONT);
    EXPECT_TRUE(becomes(true, spins.pid));
}

TEST(Activity, ASleeperWaits) {
    const Child sleeps([] {
        for (;;) pause();
    });
    EXPECT_TRUE(becomes(false, sleeps.pid));
    EXPECT_TRUE(works(getpid()));
    EXPECT_FALSE(works(1 << 30)) << "there is none";
}

}  // namespace
}  // namespace ulpgate
