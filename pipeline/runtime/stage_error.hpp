#pragma once
/// Errors of a stage's own code, with the stage.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

/// A failure of one stage.
struct StageError : std::runtime_error {
  StageError(std::size_t failed_stage, const std::string& reason, bool user_is_to_blame = false)
      : std::runtime_error(reason), stage(failed_stage), is_config_error(user_is_to_blame) {}
  std::size_t stage;
  /// True if the failure was a ConfigError.
  bool is_config_error;
};

/// In a handler: rethrows the current exception as an error of this stage.
[[noreturn]] void throw_of_stage(std::size_t stage);

/// Runs a stage's own code, so that every exception names the stage, which has this index. Always inline:
/// each frame costs only a few stores.
template <class Work>
[[gnu::always_inline]] inline auto as_stage(const Stage& which, std::size_t stage, std::uint64_t frame,
                                            const Work& work) {
  const AtWork at_work(which.name, frame);
  try {
    return work();
  } catch (...) {
    throw_of_stage(stage);
  }
}
/// Does the same for work that belongs to no frame and has another deadline.
template <class Work>
auto as_stage_at(const Pipeline& pipeline, std::size_t stage, Deadline deadline, const Work& work) {
  const AtOtherWork at_work(pipeline.stages[stage].name, deadline);
  try {
    return work();
  } catch (...) {
    throw_of_stage(stage);
  }
}
template <class Work>
auto as_stage(const Pipeline& pipeline, std::size_t stage, std::uint64_t frame, const Work& work) {
  return as_stage(pipeline.stages[stage], stage, frame, work);
}

}  // namespace takt::pipeline
