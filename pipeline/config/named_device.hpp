#pragma once
/// A device on which asynchronous tasks work.

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
  std::vector<TaskName> tasks;
  /// Frames on which it works at once.
  std::size_t units = 1;
  /// The rank that owns it, or the host of ranks that share it; neither: the only host of the run.
  std::optional<std::size_t> rank = {};
  std::string host = {};
  SourceLocation where = {};
};

}  // namespace takt::pipeline
