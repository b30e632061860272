#pragma once
/// A device on which asynchronous tasks work, by the pipeline file or by their kernels.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"

namespace takt::pipeline {

/// A device of a run, with the tasks that work on it.
struct NamedDevice {
  struct TaskName {
    std::string name;
    SourceLocation where;
  };
  std::string name;
  std::vector<TaskName> tasks = {};
  /// Frames on which it works at once; nothing: by the kernels of its tasks, or 1 (assign_devices).
  std::optional<std::size_t> units = {};
  /// Speed of the link from the memory of the rank, and of that back, in bytes/s; nothing: by the kernels, or
  /// without a link of its own.
  std::optional<double> to = {}, from = {};
  /// The rank that owns it, or the host of ranks that share it; neither: the only host of the run.
  std::optional<std::size_t> rank = {};
  std::string host = {};
  SourceLocation where = {};
};

}  // namespace takt::pipeline
