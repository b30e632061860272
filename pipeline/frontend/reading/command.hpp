#pragma once
/// Runs other programs: compilers, make, mpirun.

#include <filesystem>
#include <string>
#include <vector>

namespace takt::frontend {

/// A new folder under the system's folder for temporary files, removed with all its contents at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Where a program's output goes; empty: to takt's own.
struct CommandFiles {
  std::filesystem::path output = {};
  std::filesystem::path errors = {};
};

/// Runs a program found in PATH and waits for it. Returns its exit code, 128 + N if signal N ended it, and
/// 127 if there is no such program.
[[nodiscard]] int run_command(const std::vector<std::string>& words, const CommandFiles& files = {});

}  // namespace takt::frontend
