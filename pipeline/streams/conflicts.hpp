#pragma once
/// Finds resources that two pipelines cannot share.

#include <string>
#include <vector>

#include "core/error.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

struct NamedPipeline {
  std::string name;
  const Pipeline* pipeline = nullptr;
};

/// Adds an error, at its place, for each file that one pipeline writes and another one reads or writes, and
/// for each port or address on which two listen. Opens nothing.
void check_apart(const std::vector<NamedPipeline>& pipelines, ErrorList& errors);

}  // namespace takt::pipeline
