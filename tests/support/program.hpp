#pragma once
/// Runs the program `takt` (or another one) as a user would, and keeps what it prints.

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

/// A running program. Ended (with SIGKILL) when it outlives this object.
class Program {
 public:
  /// Starts `command`; the first word is looked up in PATH.
  explicit Program(std::vector<std::string> command);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// What it printed on stdout so far.
  [[nodiscard]] std::string out_so_far() const;
  /// The same on stderr.
  [[nodiscard]] std::string err_so_far() const;
  /// Waits until it holds, or the program has ended, or a minute has passed; whether it holds.
  [[nodiscard]] bool await(const std::function<bool()>& condition) const;
  /// The same of a text on stderr.
  bool await_err(const std::string& text) const;
  /// Waits for the end; a program that takes longer is killed and has exit code -1. Killed by signal n: 128 +
  /// n.
  Result wait(std::chrono::seconds limit = std::chrono::seconds{110});

 private:
  pid_t pid_ = -1;
  std::filesystem::path out_, err_;
};

/// `takt` with these arguments, to its end.
Result takt(std::vector<std::string> arguments);
/// The same, still running.
std::vector<std::string> takt_command(std::vector<std::string> arguments);

/// An empty folder of this test alone, removed at its end.
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

/// The recordings' folder (TAKT_TEST_DATA), or an empty path when there is none.
[[nodiscard]] std::filesystem::path test_data();

/// The Python that references and scripts in tests run with.
inline constexpr const char* python = "/usr/bin/python3";
/// Whether it has numpy.
[[nodiscard]] bool python_has_numpy();

/// Letters on the screen, not bytes: of UTF-8, all but the continuation bytes.
[[nodiscard]] std::size_t letters_of_widest_line(const std::string& text);

[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace takt::test
