#include "pipeline/service/left_over.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pipeline/config/files.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

/// Returns true if a process runs a stream of the service: its command line names files in the directory.
bool is_ours(std::int64_t pid, const fs::path& folder) {
  std::ostringstream words;
  words << std::ifstream(fmt::format("/proc/{}/cmdline", pid)).rdbuf();
  return words.str().find((folder / "streams").string() + '/') != std::string::npos;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &utc);
  return text;
}

}  // namespace

void await_end_of_launcher(std::int64_t pid, const fs::path& folder) {
  using namespace std::chrono_literals;
  if (pid <= 1) return;
  const auto begin = std::chrono::steady_clock::now();
  bool was_asked = false;
  while (is_ours(pid, folder)) {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (!was_asked) ::kill(static_cast<pid_t>(pid), SIGTERM);
    was_asked = true;
    if (waited > 10s) ::kill(static_cast<pid_t>(pid), SIGKILL);
    if (waited > 15s) return;
    std::this_thread::sleep_for(20ms);
  }
}

void reap_adopted(const std::vector<pid_t>& own) {
  std::ifstream children(fmt::format("/proc/self/task/{}/children", ::getpid()));
  for (pid_t pid = 0; children >> pid;)
    if (std::ranges::find(own, pid) == own.end()) ::waitpid(pid, nullptr, WNOHANG);
}

std::vector<std::string> set_aside_outputs(const Pipeline& pipeline, const fs::path& folder) {
  std::vector<std::string> done;
  for (const StageFile& file : stage_files(pipeline)) {
    std::error_code error;
    const fs::path path = folder / file.path;
    if (!file.is_written || !fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) continue;
    fs::path other = path;
    other += ".before-" + utc_now();
    fs::rename(path, other, error);
    if (!error) done.push_back(fmt::format("its earlier file is now {}", other.string()));
  }
  return done;
}

}  // namespace takt::pipeline
