#pragma once
/// How a command's progress is shown, as its user wants it.

#include <string>

#include "cli/arguments.hpp"
#include "core/system/progress_line.hpp"

namespace takt::cli {

/// `--progress STYLE`, and `--no-progress`, which is `--progress none`.
struct ProgressArguments {
  std::string style = "auto";
  bool is_off = false;
  /// Throws ConfigError with the nearest known style.
  [[nodiscard]] ProgressStyle chosen() const;
};
void add_progress_options(Command& command, ProgressArguments& arguments);

}  // namespace takt::cli
