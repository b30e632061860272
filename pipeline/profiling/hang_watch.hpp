#pragma once
/// Stages that do not come back while their costs are measured in this process.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/units.hpp"

namespace takt::pipeline {

/// While it lives, a stage that is at one piece of work for longer than the deadline ends this process, with
/// a message on stderr and exit code 1: nothing else can end it. 0: never. Ranks have monitors for that
/// (engine/monitor.hpp).
class HangWatch {
 public:
  explicit HangWatch(Time deadline);
  HangWatch(const HangWatch&) = delete;
  HangWatch& operator=(const HangWatch&) = delete;
  ~HangWatch();

 private:
  void run(Time deadline);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace takt::pipeline
