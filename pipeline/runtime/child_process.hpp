#pragma once
/// A child process whose output is read line by line.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace takt::pipeline {

/// Started with its own process group, so that a terminal's Ctrl-C reaches only us; it is asked to end when
/// we die.
class ChildProcess {
 public:
  /// Throws WorkError when the program cannot be started.
  ChildProcess(const std::vector<std::string>& command,
               const std::vector<std::pair<std::string, std::string>>& environment);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Kills the child when it still runs.
  ~ChildProcess();

  /// Readable when there is output.
  [[nodiscard]] int output() const { return output_; }
  /// Complete lines of stdout and stderr that have come since the last call.
  [[nodiscard]] std::vector<std::string> read_lines();
  /// Whether the child has ended; then its status as waitpid gives it.
  [[nodiscard]] std::optional<int> ended();
  void signal(int number) const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string partial_;
  std::optional<int> status_;
};

}  // namespace takt::pipeline
