// PR_SET_PDEATHSIG kills a child when the *thread* that spawned it ends, not the process. So children come from one
// thread that lives as long as the process does, and a subject may outlive the thread that started it.
#pragma once
#include <functional>

namespace ulpgate {

// Runs f on that thread, waits, returns its result. All signals are blocked there.
int on_lasting_thread(const std::function<int()>& f);

}  // namespace ulpgate
