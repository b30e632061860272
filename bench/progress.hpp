#pragma once
/// How far a bench is, as the program's long commands show it.

#include <cstddef>
#include <string>

#include "core/system/progress_line.hpp"

namespace takt::bench {

/// Takes `--progress auto|plain|none`, or `--progress=...`, out of a bench's arguments; `auto` where there is
/// none. Ends the program with 2 and a message where the style is unknown.
[[nodiscard]] ProgressStyle take_progress_style(int& count, char** arguments);

/// Steps of about the same length, of which the number is known.
class Steps {
 public:
  Steps(ProgressStyle style, std::size_t total) : line_(style), total_(total) {}
  /// One begins: so many are done before.
  void begin(const std::string& text);
  /// Before something else is printed where the line stands.
  void clear() { line_.clear(); }

 private:
  ProgressLine line_;
  std::size_t total_, begun_ = 0;
};

}  // namespace takt::bench
