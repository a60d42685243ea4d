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

  // The threads get less of the processors the nicer they are (as of nice(2)) when others want them too.
  WorkerPool(size_t threads, size_t waiting_max, int niceness = 0);
  ~WorkerPool();

  // False, without having touched the task, when there is too much to do already.
  [[nodiscard]] bool submit(Task& task);

 private:
  void run();

  const size_t waiting_max_;
  const int niceness_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace partita
