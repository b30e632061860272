#include "pipeline/frontend/reading/command.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::frontend {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "takt-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw WorkError(fmt::format("no temporary folder {}: {}", name, std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

int run_command(const std::vector<std::string>& words, const CommandFiles& files) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto redirect = [&](int descriptor, const std::filesystem::path& file) {
    if (!file.empty())
      posix_spawn_file_actions_addopen(&actions, descriptor, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0644);
  };
  redirect(STDOUT_FILENO, files.output);
  redirect(STDERR_FILENO, files.errors);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return 127;
  if (error != 0)
    throw WorkError(fmt::format("{} cannot be started: {}", words.front(), std::strerror(error)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace takt::frontend
