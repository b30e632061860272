#pragma once
/// Tasks that do not come back while this process loads, checks or measures them by itself.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "pipeline/watching/deadlines.hpp"

namespace takt::pipeline {

/// While it lives, work of the main thread that is past its deadline ends this process, with one message on
/// stderr and exit code 1: nothing else can end it. Ranks have monitors for that once they have begun to talk
/// to their launcher (runtime/rank/monitor.hpp); both ask a Watchdog.
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
