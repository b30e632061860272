#pragma once
/// Ctrl-C while costs are measured in this process.

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "pipeline/costs/group_profile.hpp"
#include "pipeline/launch/jobs/stop_requests.hpp"

namespace takt::pipeline {

/// While it lives, a request to stop ends this process with one message and exit code 1, whatever is at work:
/// a call that is measured cannot be interrupted otherwise. Nothing is cleared up then, so nobody who has it
/// holds anything that outlasts the process. The counterpart for kernels that do not come back is HangWatch.
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

/// profile_with_groups under such a watch.
[[nodiscard]] std::vector<StageCost> profile_in_this_process(const Pipeline& pipeline,
                                                             const ProfileOptions& options = {});

}  // namespace takt::pipeline
