#pragma once
/// A control group of the system's that holds all processes of a run on one host: none can leave it by
/// starting others, changing its session or clearing its environment, and all of it is killed at once.

#include <filesystem>
#include <string>

namespace takt::pipeline {

/// Control groups of the second kind (cgroup v2; `cgroup.kill` is there since Linux 5.14), below the group
/// that this process is in. Where it may make none there (a user without delegation, a container), nothing is
/// caged.
class RunCgroup {
 public:
  /// That of the run with this folder on this host: it may not be there.
  explicit RunCgroup(const std::filesystem::path& run_folder);
  /// Makes it where it is not there, and moves this process into it. False where that cannot be.
  [[nodiscard]] bool enter() const;
  /// Kills all that is in it, and takes it away.
  void end() const;

 private:
  /// Empty: no such groups here.
  std::filesystem::path path_;
};

}  // namespace takt::pipeline
