#pragma once
/// A child process whose output is read line by line.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace takt::pipeline {

/// `died of signal 9 (Killed)` or `ended with exit code 1`: of a status as waitpid gives it.
[[nodiscard]] std::string end_text(int status);

/// Started with its own process group, so that a terminal's Ctrl-C reaches only us; it is asked to end when
/// we die. While one lives, this process adopts what the child leaves behind. Several end in the reverse
/// order of their start. One thread makes all of them.
class ChildProcess {
 public:
  /// Throws WorkError when the program cannot be started.
  ChildProcess(const std::vector<std::string>& command,
               const std::vector<std::pair<std::string, std::string>>& environment);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Asks the child to end when it still runs, and kills it when it takes longer than 3 s; then kills what it
  /// has left behind.
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Readable when there is output.
  [[nodiscard]] int output() const { return output_; }
  /// Lines of stdout and stderr that have come since the last call: complete ones, or after the child's end
  /// all that is left.
  [[nodiscard]] std::vector<std::string> read_lines();
  /// Whether the child has ended; then its status as waitpid gives it.
  [[nodiscard]] std::optional<int> ended();
  void signal(int number) const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  bool was_subreaper_ = false;
  /// In the environment of everything that the child starts.
  std::string mark_;
  std::string partial_;
  std::optional<int> status_;
};

}  // namespace takt::pipeline
