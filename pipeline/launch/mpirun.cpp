#include "pipeline/launch/mpirun.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

std::optional<int> own_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"})
    if (const char* rank = std::getenv(variable)) return std::atoi(rank);
  return std::nullopt;
}

namespace {

constexpr std::string_view folder_prefix = "takt-run-";

/// Opens a folder and locks it until it is closed; nothing when another process has locked it.
std::optional<int> lock_folder(const fs::path& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && ::flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
  if (folder >= 0) ::close(folder);
  return std::nullopt;
}

void remove_abandoned_folders(const fs::path& parent) {
  // A folder is made a moment before it is locked.
  const auto latest = fs::file_time_type::clock::now() - std::chrono::minutes{1};
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    if (!entry.path().filename().string().starts_with(folder_prefix)) continue;
    if (entry.last_write_time(ignored) > latest) continue;
    const std::optional<int> lock = lock_folder(entry.path());
    if (!lock) continue;
    fs::remove_all(entry.path(), ignored);
    ::close(*lock);
  }
}

}  // namespace

RunFolder::RunFolder() {
  const fs::path shared_memory = "/dev/shm";
  const fs::path parent = fs::is_directory(shared_memory) ? shared_memory : fs::temp_directory_path();
  remove_abandoned_folders(parent);
  std::string pattern = parent / fmt::format("{}XXXXXX", folder_prefix);
  if (::mkdtemp(pattern.data()) == nullptr)
    throw WorkError(fmt::format("cannot make a folder for the run, {}: {}", pattern, std::strerror(errno)));
  path_ = pattern;
  lock_ = lock_folder(path_).value_or(-1);
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

std::vector<std::string> mpirun_command(std::size_t ranks, const std::vector<std::string>& options,
                                        const std::vector<std::string>& command) {
  std::vector<std::string> words{"mpirun", "-n", std::to_string(ranks), "--bind-to", "none"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

Variables mpirun_environment(const RunFolder& folder) {
  Variables environment{{"OMPI_MCA_btl_vader_backing_directory", folder.path()},
                        {"OMPI_MCA_orte_tmpdir_base", folder.path()}};
  if (::geteuid() == 0) {
    environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT", "1");
    environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  return environment;
}

}  // namespace takt::pipeline
