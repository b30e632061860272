#pragma once
/// When a run that is not what was planned is planned again, and whether that is followed.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "pipeline/launch/replanning.hpp"
#include "pipeline/launch/run_watch.hpp"
#include "pipeline/protocol/run_record.hpp"

namespace takt::pipeline {

/// Another plan for a run that has shown this (adapted_plan); nothing where none is better. Gives up soon
/// once it is to stop.
using Replan = std::function<std::optional<PipelinePlan>(const SharedPlan& current, const Observed& observed,
                                                         const std::stop_token& stop)>;

/// Plans beside the run: every second window at most, and half as often behind each change and each time that
/// was of no use.
class Adapting {
 public:
  /// What is to be done now.
  struct Step {
    /// Change over to this one.
    std::optional<PipelinePlan> plan;
    /// What the user should know; empty: nothing new.
    std::string note;
  };

  Adapting(Replan replan, Time window) : replan_(std::move(replan)), window_(window) {}

  /// Several times a second, behind `watch.look`. Nothing is begun, or followed, in a run that is to end.
  Step look(std::int64_t now, const RunWatch& watch, const RunRecord& record, bool is_to_end);
  /// Whether a plan is being made, or was made since the last look.
  [[nodiscard]] bool is_planning() const { return replanning_.is_under_way(); }

 private:
  [[nodiscard]] Time interval() const;
  Step follow(std::int64_t now, bool is_wanted, const RunRecord& record);
  [[nodiscard]] std::string why_none_is_better(const Replanning::Outcome& outcome,
                                               const RunRecord& record) const;

  Replan replan_;
  Time window_;
  /// When the last plan was asked for, or came.
  std::int64_t last_ns_ = 0;
  /// Since when each look has seen that the run is not what was planned.
  std::optional<std::int64_t> off_plan_since_;
  /// How often plans were changed, and how often in a row none was better.
  int changes_ = 0, in_vain_ = 0;
  bool is_told_ = false;
  /// What the plan that is being made is for.
  std::optional<Observed> observed_;
  /// The last one: what it carries out reads the rest.
  Replanning replanning_;
};

}  // namespace takt::pipeline
