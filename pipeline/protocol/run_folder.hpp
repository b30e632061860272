#pragma once
/// What ranks find around them: a batch system, their own number, a folder of the run.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/protocol/locked_folder.hpp"

namespace takt::pipeline {

/// Whether ranks that are started here may come up on other computers: a batch system or the user's own
/// settings of mpirun say where.
[[nodiscard]] bool has_allocation();

/// Which rank this process is, when it was started by mpirun or srun; known before MPI is initialised.
[[nodiscard]] std::optional<int> own_rank();

/// A folder for Open MPI's shared memory and session files, so that nothing of a run that died is left
/// behind: that of a launcher that was killed is removed by its ranks' reaper (reaper.hpp), or by the next
/// one.
class RunFolder : public LockedFolder {
 public:
  /// Throws WorkError.
  RunFolder();
};

/// Environment variable by which ranks find the folder of their run.
inline constexpr const char* folder_variable = "TAKT_FOLDER";

/// The run's folder as a rank has it: on other hosts than the launcher's it is made here, where Open MPI
/// wants it, and while this lives it is not taken for abandoned. It goes when it is empty at the end.
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

/// Folders of runs, of this user's and others.
[[nodiscard]] std::vector<std::filesystem::path> run_folders();

/// Variables of an environment: names and values.
using Variables = std::vector<std::pair<std::string, std::string>>;

}  // namespace takt::pipeline
