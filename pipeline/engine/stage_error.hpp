#pragma once
/// What a stage's own code throws, with the stage.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/error.hpp"
#include "pipeline/activity.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// A failure of one stage.
struct StageError : std::runtime_error {
  StageError(std::size_t failed_stage, const std::string& reason, bool user_is_to_blame = false)
      : std::runtime_error(reason), stage(failed_stage), is_config_error(user_is_to_blame) {}
  std::size_t stage;
  /// What failed was a ConfigError.
  bool is_config_error;
};

/// Runs one stage's own code, so that whatever it throws names the stage.
template <class Work>
auto as_stage(const Pipeline& pipeline, std::size_t stage, std::uint64_t frame, Work work) {
  const AtWork at_work(pipeline.stages[stage].name, frame);
  try {
    return work();
  } catch (const ConfigError& error) {
    throw StageError(stage, error.what(), true);
  } catch (const std::exception& error) {
    throw StageError(stage, error.what());
  } catch (...) {
    throw StageError(stage, "threw an exception of unknown type");
  }
}

}  // namespace takt::pipeline
