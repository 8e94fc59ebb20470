// Whether a process works or waits: a busy machine may give a runnable thread no CPU for long, which is no wait of its own.
#pragma once
#include <sys/types.h>

namespace ulpgate {

// True where a thread of the process can run (R) or waits for storage or a page (D); false where all sleep, are stopped, or are gone.
// Source: proc_pid_stat(5), the third field.
bool works(pid_t process);

}  // namespace ulpgate
