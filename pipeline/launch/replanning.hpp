#pragma once
/// Makes another plan during a run.

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "pipeline/planning/pipeline_plan.hpp"

namespace takt::pipeline {

/// Runs one plan search at a time on its own thread: the caller cannot wait for seconds.
class Replanning {
 public:
  struct Outcome {
    /// Nothing if no plan is better.
    std::optional<PipelinePlan> plan;
    /// Why the search failed; empty otherwise.
    std::string failure;
  };
  /// Must end soon after a stop request; exceptions are failures.
  using Work = std::function<std::optional<PipelinePlan>(const std::stop_token&)>;

  Replanning() = default;
  Replanning(const Replanning&) = delete;
  Replanning& operator=(const Replanning&) = delete;
  /// Requests a stop of the work and waits for it.
  ~Replanning();

  /// Starts the work; none may be in progress.
  void begin(Work work);
  [[nodiscard]] bool is_under_way() const { return thread_.joinable(); }
  /// Cancels the search, for good.
  void ask_to_stop() { stop_.request_stop(); }
  /// Returns the outcome once; nothing while the search continues.
  [[nodiscard]] std::optional<Outcome> take();

 private:
  void join();

  std::stop_source stop_;
  std::mutex mutex_;
  std::optional<Outcome> outcome_;
  std::thread thread_;
};

}  // namespace takt::pipeline
