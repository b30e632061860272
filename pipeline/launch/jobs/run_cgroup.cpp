#include "pipeline/launch/jobs/run_cgroup.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

/// Finds the mount point of cgroups (proc(5), mountinfo: the fifth field, and the first one after the dash).
fs::path mount_of_groups() {
  std::ifstream lines("/proc/self/mountinfo");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos || !line.substr(dash + 3).starts_with("cgroup2 ")) continue;
    std::istringstream fields(line);
    std::string field;
    for (int i = 0; i < 5; ++i) fields >> field;
    return field;
  }
  return {};
}

fs::path own_group() {
  const fs::path mount = mount_of_groups();
  if (mount.empty()) return {};
  std::ifstream lines("/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("0::/") && line.find("/..") == std::string::npos) return mount / line.substr(4);
  return {};
}

/// Writes to a file of the cgroup; returns true if the system accepted it.
bool write_control_file(const fs::path& file, const std::string& word) {
  std::ofstream stream(file);
  return stream.is_open() && static_cast<bool>(stream << word << std::flush);
}

}  // namespace

RunCgroup::RunCgroup(const fs::path& run_folder) {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  const std::string name = fmt::format("{}.{}", run_folder.filename().string(), host);
  const fs::path own = own_group();
  if (own.empty() || run_folder.filename().empty()) return;
  // The caller is in the cgroup already.
  path_ = own.filename() == name ? own : own / name;
}

bool RunCgroup::enter() const {
  if (path_.empty()) return false;
  std::error_code ignored;
  (void)::mkdir(path_.c_str(), S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH);
  if (!fs::exists(path_ / "cgroup.kill", ignored) ||
      !write_control_file(path_ / "cgroup.procs", fmt::format("{}", ::getpid()))) {
    (void)::rmdir(path_.c_str());
    return false;
  }
  return true;
}

void RunCgroup::end() const {
  std::error_code ignored;
  if (path_.empty() || !fs::exists(path_, ignored)) return;
  (void)write_control_file(path_ / "cgroup.kill", "1");
  // Dead processes leave it a moment later.
  for (int i = 0; i < 200 && ::rmdir(path_.c_str()) != 0 && fs::exists(path_, ignored); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
}

}  // namespace takt::pipeline
