#include "pipeline/protocol/kept_spills.hpp"

#include <chrono>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/system/host_name.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "takt-spill-";

/// Returns the path of the list of files, one name per line.
fs::path list_in(const fs::path& restart_folder) {
  return restart_folder / "spills";
}

/// True if a process has locked the file to write to it.
bool is_in_use(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return true;
  const bool is_free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  ::close(descriptor);
  return !is_free;
}

void remove_abandoned(const fs::path& folder) {
  const auto latest = fs::file_time_type::clock::now() - std::chrono::minutes{10};
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(prefix) && entry.last_write_time(ignored) < latest &&
        !is_in_use(entry.path()))
      fs::remove(entry.path(), ignored);
}

}  // namespace

fs::path kept_spill(const fs::path& restart_folder, const fs::path& folder, std::size_t stage) {
  const fs::path in = folder.empty() ? fs::temp_directory_path() : fs::absolute(folder);
  remove_abandoned(in);
  // The boot ID in the name excludes files from before a reboot, which may be incomplete.
  const fs::path file = in / fmt::format("{}{}-{}-{}-{}", prefix, restart_folder.filename().string(),
                                         host_name(), boot_id(), stage);
  std::ofstream(list_in(restart_folder), std::ios::app) << file.string() << '\n';
  return file;
}

void remove_kept_spills(const fs::path& restart_folder) {
  std::ifstream list(list_in(restart_folder));
  std::error_code ignored;
  for (std::string file; std::getline(list, file);) fs::remove(file, ignored);
}

}  // namespace takt::pipeline
