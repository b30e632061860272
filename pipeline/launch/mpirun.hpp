#pragma once
/// How ranks are started under mpirun.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace takt::pipeline {

/// Whether ranks that are started here may come up on other computers: a batch system or the user's own
/// settings of mpirun say where.
[[nodiscard]] bool has_allocation();

/// Which rank this process is, when it was started by mpirun or srun; known before MPI is initialised.
[[nodiscard]] std::optional<int> own_rank();

/// A folder for Open MPI's shared memory and session files, removed at the end, so that nothing of a run
/// that died is left behind. The folder of a launcher that was killed itself is removed by the next one.
class RunFolder {
 public:
  /// Throws WorkError.
  RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  /// The folder itself, locked: it is in use.
  int lock_ = -1;
};

/// Folders of runs, of this user's and others.
[[nodiscard]] std::vector<std::filesystem::path> run_folders();

/// Variables of an environment: names and values.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// `mpirun -n RANKS --bind-to none OPTIONS COMMAND`.
[[nodiscard]] std::vector<std::string> mpirun_command(std::size_t ranks,
                                                      const std::vector<std::string>& options,
                                                      const std::vector<std::string>& command);

/// Keeps Open MPI's files in the folder, and lets root run it.
[[nodiscard]] Variables mpirun_environment(const RunFolder& folder);

}  // namespace takt::pipeline
