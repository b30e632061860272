#include "pipeline/protocol/locked_folder.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

/// Opens and locks a folder, until its descriptor is closed; nothing if another process has locked it.
std::optional<int> lock_folder(const fs::path& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && ::flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
  if (folder >= 0) ::close(folder);
  return std::nullopt;
}

void remove_abandoned(const fs::path& parent, std::string_view prefix) {
  // A folder is made shortly before it is locked.
  const auto latest = fs::file_time_type::clock::now() - std::chrono::minutes{1};
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored))
    if (entry.path().filename().string().starts_with(prefix) &&
        fs::last_write_time(entry.path(), ignored) <= latest)
      remove_unless_locked(entry.path());
}

}  // namespace

LockedFolder::LockedFolder(const fs::path& parent, std::string_view prefix) {
  remove_abandoned(parent, prefix);
  std::string pattern = parent / fmt::format("{}XXXXXX", prefix);
  if (::mkdtemp(pattern.data()) == nullptr)
    throw WorkError(fmt::format("cannot make a folder, {}: {}", pattern, std::strerror(errno)));
  path_ = pattern;
  lock_ = lock_folder(path_).value_or(-1);
}

LockedFolder::~LockedFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

void remove_unless_locked(const fs::path& folder) {
  std::error_code ignored;
  const std::optional<int> lock = lock_folder(folder);
  if (!lock) return;
  fs::remove_all(folder, ignored);
  ::close(*lock);
}

}  // namespace takt::pipeline
