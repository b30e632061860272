#pragma once
/// Margins that nobody asked for.

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Whether the goal has the margin that a file has without a word: it is for costs that no trial has seen,
/// and may be less where one has. A user's own is kept.
[[nodiscard]] inline bool has_usual_margin(const schedulers::Goal& goal) {
  return goal.margin == Pipeline::default_margin;
}

}  // namespace takt::pipeline
