#pragma once
/// A child process whose output is read line by line.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace takt::pipeline {

/// Returns `died of signal 9 (Killed)` or `ended with exit code 1` for a status from waitpid.
[[nodiscard]] std::string end_text(int status);

/// A child process in its own process group, so that Ctrl-C in the terminal does not reach it; it receives
/// SIGTERM when this process dies. Orphans of the child are adopted by this process. Several objects must end
/// in the reverse order of their start. One thread must make all of them.
class ChildProcess {
 public:
  /// Throws WorkError when the program cannot be started.
  ChildProcess(const std::vector<std::string>& command,
               const std::vector<std::pair<std::string, std::string>>& environment);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  /// Asks a running child to end, kills it after 3 s, then kills its
  /// orphans.
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Readable when there is output.
  [[nodiscard]] int output() const { return output_; }
  /// Returns the lines of stdout and stderr since the last call: complete ones, or everything left after the
  /// child's end.
  [[nodiscard]] std::vector<std::string> read_lines();
  /// Returns the child's status from waitpid once it has ended.
  [[nodiscard]] std::optional<int> ended();
  void signal(int number) const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  bool was_subreaper_ = false;
  /// Set in the environment of everything that the child starts.
  std::string mark_;
  std::string partial_;
  std::optional<int> status_;
};

}  // namespace takt::pipeline
