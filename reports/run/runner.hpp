// A run: every subject, entry, op and type in its own child process, judged case by case; groups run side by side.
#pragma once
#include <string_view>

#include "reports/run/plan.hpp"

namespace ulpgate {

class Watcher {
  public:
    virtual ~Watcher() = default;
    virtual void planned(const Context&, std::int64_t cases) = 0;
    virtual void done(std::string_view what) = 0;  // from any thread
};

struct RunOutcome {
    std::string error;  // what the user can put right: exit 2
    Result result;
    bool stuck = false;  // interrupted while a kernel hangs: leave without waiting for the threads
};
RunOutcome run(const RunRequest&, Watcher&);

}  // namespace ulpgate
