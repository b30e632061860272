#pragma once
/// Ends this process when a task hangs while it is loaded, checked or measured.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "pipeline/watching/deadlines.hpp"

namespace takt::pipeline {

/// During its lifetime, work of the main thread that exceeds its deadline ends this process, with one message
/// on stderr and exit code 1, as it cannot be interrupted otherwise. Ranks have monitors for that once they
/// are connected to their launcher (runtime/rank/monitor.hpp); both use a Watchdog.
class HangWatch {
 public:
  explicit HangWatch(const Deadlines& deadlines);
  HangWatch(const HangWatch&) = delete;
  HangWatch& operator=(const HangWatch&) = delete;
  ~HangWatch();

 private:
  void run(const Deadlines& deadlines);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace takt::pipeline
