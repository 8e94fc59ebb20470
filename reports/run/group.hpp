// One row of the table: the cases of one claim on one op and type, in one child process.
#pragma once
#include <mutex>

#include "reports/run/runner.hpp"

namespace ulpgate {

// What is done of a group so far: readable while a kernel hangs.
class Published {
  public:
    void set(const Group& g) {
        const std::lock_guard lock(mutex_);
        group_ = g;
    }
    Group get() const {
        const std::lock_guard lock(mutex_);
        return group_;
    }

  private:
    mutable std::mutex mutex_;
    Group group_;
};

void run_group(const GroupPlan&, const SubjectOptions&, Watcher&, Published&);

}  // namespace ulpgate
