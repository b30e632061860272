#pragma once
/// One line on the terminal that says how far a long command is.

#include <chrono>
#include <string>

namespace takt::cli {

/// Writes to stderr, and only where that is a terminal and the line is wanted, at most ten times a second.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted = true);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  void show(const std::string& text);
  /// Takes the line away, before something else is printed.
  void clear();

 private:
  bool is_wanted_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace takt::cli
