#pragma once
/// Environment of a rank: its batch system, its number, and the folder of its run.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/protocol/locked_folder.hpp"

namespace takt::pipeline {

/// True if ranks started here may run on other computers, which a batch system or the user's own settings of
/// mpirun select.
[[nodiscard]] bool has_allocation();

/// Returns the rank of this process if mpirun or srun started it; known before MPI is initialised.
[[nodiscard]] std::optional<int> own_rank();

/// Folder for Open MPI's shared memory and session files, so that a run that died leaves no files. If the
/// launcher was killed, the reaper of its ranks (reaper.hpp), or the next run, removes the folder.
class RunFolder : public LockedFolder {
 public:
  /// Throws WorkError.
  RunFolder();
};

/// Environment variable with the path of the folder of a run.
inline constexpr const char* folder_variable = "TAKT_FOLDER";

/// The run's folder on a rank's host. On hosts other than the launcher's, the rank makes it for Open MPI.
/// Locks the folder against removal as abandoned, and removes an empty one at the end.
class RankFolder {
 public:
  RankFolder();
  RankFolder(const RankFolder&) = delete;
  RankFolder& operator=(const RankFolder&) = delete;
  ~RankFolder();

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

/// Returns the folders of runs of all users.
[[nodiscard]] std::vector<std::filesystem::path> run_folders();

/// Variables of an environment: names and values.
using Variables = std::vector<std::pair<std::string, std::string>>;

}  // namespace takt::pipeline
