#pragma once
/// Runs each stage as the run will, to measure it.

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/exception_text.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

/// Runs `work` as this stage's; exceptions name the stage whose cost was measured.
template <class Work>
void run_as_measured(const Stage& stage, Work&& work) {
  const AtWork at_work(stage.name);
  try {
    std::forward<Work>(work)();
  } catch (const ConfigError&) {
    throw;
  } catch (const std::exception& error) {
    throw WorkError(fmt::format(
        "task '{}' failed while its cost was measured: {}{}", stage.name, exception_text(error),
        stage.kind == StageKind::kernel ? " (on synthetic frames; with --profile FILE nothing is measured)"
                                        : ""));
  } catch (...) {
    throw WorkError(
        fmt::format("task '{}' threw an exception of unknown type while its cost was measured", stage.name));
  }
}

}  // namespace takt::pipeline
