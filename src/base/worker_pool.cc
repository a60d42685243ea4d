#include "base/worker_pool.h"

#include <sys/resource.h>
#include <unistd.h>

namespace partita {

WorkerPool::WorkerPool(size_t threads, size_t waiting_max, int niceness) : waiting_max_(waiting_max), niceness_(niceness) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::submit(Task& task) {
  {
    std::lock_guard lock(mutex_);
    if (waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(task));
  }
  wake_.notify_one();
  return true;
}

void WorkerPool::run() {
  // On Linux the priority is the thread's own.
  if (niceness_ != 0) ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), niceness_);
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

}  // namespace partita
