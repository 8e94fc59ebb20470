#include <fcntl.h>

#include "reports/cli/verb.hpp"

namespace {

// A standard stream that the caller closed would be the next file opened: a memory file, a socket to a kernel's process. What
// is printed to a closed stdout must still fail.
void keep_standard_streams() {
    for (const int fd : {0, 1, 2})
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
}

}  // namespace

int main(int argc, char** argv) {
    keep_standard_streams();
    return ulpgate::cli::run_program(argc, argv);
}
