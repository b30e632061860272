#pragma once
/// One line on the terminal that says how far a long command is.

#include <chrono>
#include <string>

namespace takt::cli {

/// Writes to stderr, and only where that is a terminal, at most ten times a second.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  /// Takes the line away.
  ~ProgressLine();

  void show(const std::string& text);

 private:
  bool is_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace takt::cli
