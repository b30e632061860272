#pragma once
/// A cgroup for all processes of a run on one host: none can leave it by forking, changing its session or
/// clearing its environment, and all of them can be killed together.

#include <filesystem>
#include <string>

namespace takt::pipeline {

/// A cgroup of version 2 (`cgroup.kill` needs Linux 5.14), below that of this process. Without
/// permission to create one there (a user without delegation, a container), processes are not
/// confined.
class RunCgroup {
 public:
  /// Refers to the cgroup of the run with this directory on this host, which may not exist.
  explicit RunCgroup(const std::filesystem::path& run_folder);
  /// Creates it if necessary and moves this process into it. Returns false on failure.
  [[nodiscard]] bool enter() const;
  /// Kills all of its processes and removes it.
  void end() const;

 private:
  /// Empty: cgroups are not available.
  std::filesystem::path path_;
};

}  // namespace takt::pipeline
