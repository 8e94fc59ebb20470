#include "impls/subject/spawner.hpp"

#include <csignal>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

namespace ulpgate {
namespace {

class Lasting {
  public:
    Lasting() {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        std::thread([this] { serve(); }).detach();
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    int run(const std::function<int()>& f) {
        std::packaged_task<int()> task(f);
        auto result = task.get_future();
        {
            const std::lock_guard lock(mutex_);
            tasks_.push_back(std::move(task));
        }
        ready_.notify_one();
        return result.get();
    }

  private:
    void serve() {
        for (;;) {
            std::unique_lock lock(mutex_);
            ready_.wait(lock, [this] { return !tasks_.empty(); });
            auto task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
        }
    }
    std::mutex mutex_;
    std::condition_variable ready_;
    std::deque<std::packaged_task<int()>> tasks_;
};

}  // namespace

int on_lasting_thread(const std::function<int()>& f) {
    static auto& thread = *new Lasting;  // never destroyed: the thread uses it until the process ends
    return thread.run(f);
}

}  // namespace ulpgate
