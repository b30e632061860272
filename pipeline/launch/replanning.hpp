#pragma once
/// Another plan for a run, made beside it.

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "pipeline/planning/pipeline_plan.hpp"

namespace takt::pipeline {

/// One plan at a time, on a thread of its own: whoever follows the run has no seconds to spare.
class Replanning {
 public:
  struct Outcome {
    /// Nothing where none is better.
    std::optional<PipelinePlan> plan;
    /// Why none could be made; empty otherwise.
    std::string failure;
  };
  /// Ends soon once it is asked to stop; what it throws is a failure.
  using Work = std::function<std::optional<PipelinePlan>(const std::stop_token&)>;

  Replanning() = default;
  Replanning(const Replanning&) = delete;
  Replanning& operator=(const Replanning&) = delete;
  /// Asks the work to stop, and waits for that.
  ~Replanning();

  /// While none is under way.
  void begin(Work work);
  [[nodiscard]] bool is_under_way() const { return thread_.joinable(); }
  /// Nobody wants it any more. For good.
  void ask_to_stop() { stop_.request_stop(); }
  /// What has come of it, once; nothing while it goes on.
  [[nodiscard]] std::optional<Outcome> take();

 private:
  void join();

  std::stop_source stop_;
  std::mutex mutex_;
  std::optional<Outcome> outcome_;
  std::thread thread_;
};

}  // namespace takt::pipeline
