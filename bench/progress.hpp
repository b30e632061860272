#pragma once
/// Shows the progress of a bench as the long commands of takt do.

#include <cstddef>
#include <string>

#include "core/system/progress_line.hpp"

namespace takt::bench {

/// Removes `--progress auto|plain|none`, or `--progress=...`, from a bench's arguments and returns it; the
/// default is `auto`. Exits with 2 and a message when the style is unknown.
[[nodiscard]] ProgressStyle take_progress_style(int& count, char** arguments);

/// A known number of steps of similar length.
class Steps {
 public:
  Steps(ProgressStyle style, std::size_t total) : line_(style), total_(total) {}
  /// Begins a step: the steps that began earlier are done.
  void begin(const std::string& text);
  /// Clears the line, so that something else can be printed in its place.
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  std::size_t total_, begun_ = 0;
};

}  // namespace takt::bench
