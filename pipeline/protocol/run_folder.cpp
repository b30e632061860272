#include "pipeline/protocol/run_folder.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace takt::pipeline {

namespace fs = std::filesystem;

bool has_allocation() {
  constexpr std::array<const char*, 4> variables{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID",
                                                 "OMPI_MCA_orte_default_hostfile"};
  return std::ranges::any_of(variables, [](const char* name) { return std::getenv(name) != nullptr; });
}

std::optional<int> own_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"})
    if (const char* rank = std::getenv(variable)) return std::atoi(rank);
  return std::nullopt;
}

namespace {

constexpr std::string_view folder_prefix = "takt-run-";

/// Returns the parent directory of the folders.
fs::path parent_of_folders() {
  const fs::path shared_memory = "/dev/shm";
  return fs::is_directory(shared_memory) ? shared_memory : fs::temp_directory_path();
}

}  // namespace

std::vector<fs::path> run_folders() {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent_of_folders(), ignored))
    if (entry.path().filename().string().starts_with(folder_prefix)) folders.push_back(entry.path());
  return folders;
}

RankFolder::RankFolder() {
  const char* path = std::getenv(folder_variable);
  if (path == nullptr) return;
  (void)::mkdir(path, S_IRWXU);
  // On the launcher's host the launcher has the lock; on other hosts ranks share it.
  lock_ = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock_ < 0 || ::flock(lock_, LOCK_SH | LOCK_NB) != 0) return;
  path_ = path;
}

RankFolder::~RankFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

RunFolder::RunFolder() : LockedFolder(parent_of_folders(), folder_prefix) {}

}  // namespace takt::pipeline
