#include "pipeline/runtime/mpirun.hpp"

#include <cstdlib>

#include <unistd.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

bool started_as_rank() {
  return std::getenv("OMPI_COMM_WORLD_RANK") != nullptr || std::getenv("PMIX_RANK") != nullptr;
}

RunFolder::RunFolder() {
  const fs::path shared_memory = "/dev/shm";
  std::string pattern =
      (fs::is_directory(shared_memory) ? shared_memory : fs::temp_directory_path()) / "takt-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw WorkError("cannot make a folder for the run: " + pattern);
  path_ = pattern;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
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
