#pragma once
/// Runs the program `takt` (or another one) like a user, and keeps its output.

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace takt::test {

struct Result {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// A running program. The destructor ends it with SIGKILL.
class Program {
 public:
  /// Starts `command`; the first word is searched in PATH.
  explicit Program(std::vector<std::string> command);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Returns the output on stdout so far.
  [[nodiscard]] std::string out_so_far() const;
  /// Returns the output on stderr so far.
  [[nodiscard]] std::string err_so_far() const;
  /// Waits until the condition holds, the program ends, or a minute passes; returns whether it holds.
  [[nodiscard]] bool await(const std::function<bool()>& condition) const;
  /// Waits in the same way for a text on stderr.
  bool await_err(const std::string& text) const;
  /// Waits for the end; kills a program that exceeds the limit, which then has
  /// exit code -1. Signal n yields exit code 128 + n.
  Result wait(std::chrono::seconds limit = std::chrono::seconds{110});

 private:
  pid_t pid_ = -1;
  std::filesystem::path out_, err_;
};

/// Runs `takt` with these arguments until it ends.
Result takt(std::vector<std::string> arguments);
/// Returns the command that runs `takt` with these arguments.
std::vector<std::string> takt_command(std::vector<std::string> arguments);

/// An empty folder of one test, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Writes a file into the folder; returns its path.
  std::string file(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// Returns the recordings' folder (TAKT_TEST_DATA), or an empty path when it is not set.
[[nodiscard]] std::filesystem::path test_data();

/// The Python that runs references and scripts in tests.
inline constexpr const char* python = "/usr/bin/python3";
/// Returns whether it has numpy.
[[nodiscard]] bool python_has_numpy();

/// Returns the letters of the widest line, not its bytes: of UTF-8, all but the continuation bytes.
[[nodiscard]] std::size_t letters_of_widest_line(const std::string& text);

[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace takt::test
