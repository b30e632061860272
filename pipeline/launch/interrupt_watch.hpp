#pragma once
/// Handles Ctrl-C while costs are measured in this process.

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "pipeline/costs/group_profile.hpp"
#include "pipeline/launch/jobs/stop_requests.hpp"

namespace takt::pipeline {

/// While an object exists, a stop request ends this process with one message and exit code 1: measured calls
/// cannot be interrupted otherwise. No destructors run, so its users must hold nothing that outlasts the
/// process. HangWatch is the counterpart for kernels that hang.
class InterruptWatch {
 public:
  InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;
  ~InterruptWatch();

 private:
  void run();

  const StopRequests stop_requests_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_ended_ = false;
  std::thread thread_;
};

/// Calls profile_with_groups with an InterruptWatch.
[[nodiscard]] std::vector<StageCost> profile_in_this_process(const Pipeline& pipeline,
                                                             const ProfileOptions& options = {});

}  // namespace takt::pipeline
