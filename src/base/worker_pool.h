#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace partita {

// WorkerPool: a few threads for work that takes too long for a connection's thread. Thread-safe.
//
// Bounded: when `waiting_max` tasks wait already, submit() refuses. The destructor finishes what was accepted.
class WorkerPool {
 public:
  using Task = std::move_only_function<void()>;

  WorkerPool(size_t threads, size_t waiting_max);
  ~WorkerPool();

  // False, without having touched the task, when there is too much to do already.
  [[nodiscard]] bool submit(Task& task);

 private:
  void run();

  const size_t waiting_max_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace partita
