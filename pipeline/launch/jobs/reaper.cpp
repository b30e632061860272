#include "pipeline/launch/jobs/reaper.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pipeline/launch/jobs/run_cgroup.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {

namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Returns true for the first rank on its host; if that is unknown, for one of all ranks.
bool is_first_here() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
    if (const char* rank = std::getenv(variable)) return std::strcmp(rank, "0") == 0;
  return own_rank() == 0;
}

struct MarkedProcess {
  pid_t pid;
  bool starts_ranks;
  /// True if its parent starts ranks.
  bool is_rank;
};

std::string command_of(const std::string& pid) {
  std::string name = text_of("/proc/" + pid + "/comm");
  if (!name.empty()) name.pop_back();
  return name;
}

bool starts_ranks(const std::string& command) {
  static constexpr std::array<std::string_view, 6> names{"mpirun", "mpiexec", "orterun",
                                                         "orted",  "srun",    "slurmstepd"};
  return std::ranges::find(names, command) != names.end();
}

/// Returns the processes with this word in their initial environment.
std::vector<MarkedProcess> processes_with(const std::string& mark) {
  std::vector<MarkedProcess> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string environment = '\0' + text_of("/proc/" + pid + "/environ");
    if (environment.find('\0' + mark + '\0') == std::string::npos) continue;
    // `pid (command) state parent`
    const std::string stat = text_of("/proc/" + pid + "/stat");
    std::istringstream fields(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    std::string state, parent;
    fields >> state >> parent;
    if (state == "Z" || parent.empty()) continue;
    found.push_back(
        {std::atoi(pid.c_str()), starts_ranks(command_of(pid)), starts_ranks(command_of(parent))});
  }
  return found;
}

/// Excludes the starter of ranks: it ends when all of their outputs are closed, which orphans may hold
/// open.
std::vector<MarkedProcess> left_by_ranks(const std::string& mark) {
  std::vector<MarkedProcess> found = processes_with(mark);
  std::erase_if(found, [](const MarkedProcess& each) { return each.starts_ranks; });
  return found;
}

/// Hides the command line and environment, which are the rank's, from process lists, so that this process is
/// not taken for a rank (proc(5), stat: fields 48 to 51).
void show_another_name() {
  const std::string stat = text_of("/proc/self/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string field;
  for (int i = 3; i < 48; ++i) fields >> field;
  std::array<std::uintptr_t, 4> places{};
  for (std::uintptr_t& place : places) fields >> place;
  const auto [argument_begin, argument_end, environment_begin, environment_end] = places;
  if (!fields || argument_begin == 0) return;
  const auto clear = [](std::uintptr_t begin, std::uintptr_t end) {
    std::memset(reinterpret_cast<void*>(begin), 0, end - begin);  // NOLINT(performance-no-int-to-ptr)
  };
  clear(argument_begin, argument_end);
  clear(environment_begin, environment_end);
  constexpr std::string_view name = "takt-reaper";
  if (argument_end - argument_begin > name.size())
    std::memcpy(reinterpret_cast<void*>(argument_begin), name.data(), name.size());  // NOLINT
  ::prctl(PR_SET_NAME, name.data());
}

/// Leaves the rank's process group and session, and closes its output so that no process waits for
/// it.
void stand_aside() {
  ::setsid();
  ::close_range(0, ~0U, 0);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, STDOUT_FILENO);
  ::dup2(null, STDERR_FILENO);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(number, SIG_IGN);
}

void await_end_of(pid_t rank) {
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, rank, 0));
  pollfd end{process, POLLIN, 0};
  while (::getppid() == rank)
    if (process < 0)
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    else
      (void)::poll(&end, 1, -1);
}

[[noreturn]] void clean_up_after(pid_t rank, const std::string& folder, const RunCgroup& cgroup) {
  using namespace std::chrono_literals;
  constexpr auto nap = 100ms;
  const std::string mark = std::string(folder_variable) + '=' + folder;
  stand_aside();
  show_another_name();
  await_end_of(rank);
  const auto latest = std::chrono::steady_clock::now() + 15s;
  std::vector<MarkedProcess> left = left_by_ranks(mark);
  while (std::ranges::any_of(left, &MarkedProcess::is_rank) && std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(nap);
    left = left_by_ranks(mark);
  }
  // A process may have forked just before it was killed.
  for (int i = 0; i < 10 && !left.empty(); ++i) {
    for (const MarkedProcess& each : left) ::kill(each.pid, SIGKILL);
    std::this_thread::sleep_for(10ms);
    left = left_by_ranks(mark);
  }
  cgroup.end();
  // The starter of ranks has files of its own there. A live launcher holds a lock on the directory.
  for (int i = 0; i < 50 && !processes_with(mark).empty(); ++i) std::this_thread::sleep_for(nap);
  remove_unless_locked(folder);
  ::_exit(0);
}

}  // namespace

void run_reaper() {
  const char* const folder = std::getenv(folder_variable);
  if (!own_rank() || folder == nullptr) return;
  const RunCgroup cgroup(folder);
  if (is_first_here()) {
    const pid_t rank = ::getpid();
    const pid_t reaper = ::fork();
    if (reaper == 0) clean_up_after(rank, folder, cgroup);
  }
  (void)cgroup.enter();
}

}  // namespace takt::pipeline
