#pragma once
/// What two pipelines cannot have at once.

#include <string>
#include <vector>

#include "core/error.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

struct NamedPipeline {
  std::string name;
  const Pipeline* pipeline = nullptr;
};

/// Adds, at its place, each file that a pipeline writes and an earlier one reads or writes, each one that it
/// reads and an earlier one writes, and each port or address at which two listen. Opens nothing.
void check_apart(const std::vector<NamedPipeline>& pipelines, ErrorList& errors);

}  // namespace takt::pipeline
