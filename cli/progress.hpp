#pragma once
/// Options for the display of a command's progress.

#include <string>

#include "cli/arguments.hpp"
#include "core/system/progress_line.hpp"

namespace takt::cli {

/// `--progress STYLE`, and `--no-progress`, which is `--progress none`.
struct ProgressArguments {
  std::string style = "auto";
  bool is_off = false;
  /// Returns the style. Throws ConfigError with the nearest known one.
  [[nodiscard]] ProgressStyle chosen() const;
};
void add_progress_options(Command& command, ProgressArguments& arguments);

}  // namespace takt::cli
