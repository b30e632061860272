#include "pipeline/launch/jobs/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Returns this process's environment with some variables replaced and a mark added.
std::vector<std::string> with_variables(const std::vector<std::pair<std::string, std::string>>& others,
                                        const std::string& mark) {
  std::vector<std::string> texts{mark};
  for (const auto& [name, value] : others) texts.push_back(name + '=' + value);
  const std::size_t replaced = texts.size();
  for (char** own = environ; *own != nullptr; ++own) {
    const std::string_view text = *own;
    const auto is_same = [&](const std::string& other) {
      return text.starts_with(std::string_view(other).substr(0, other.find('=') + 1));
    };
    if (std::none_of(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(replaced), is_same))
      texts.emplace_back(text);
  }
  return texts;
}

/// Kills the processes that the child left to this one, recognised by its environment, and not other children
/// of this process. Each kill may make this process the parent of further ones.
void kill_orphans(const std::string& mark) {
  while (true) {
    std::istringstream children(contents(fmt::format("/proc/self/task/{}/children", ::getpid())));
    std::vector<pid_t> pids;
    for (pid_t pid = 0; children >> pid;)
      if (contents(fmt::format("/proc/{}/environ", pid)).find(mark) != std::string::npos) pids.push_back(pid);
    if (pids.empty()) return;
    for (const pid_t pid : pids) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }
}

}  // namespace

std::string end_text(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  const char* const name = ::sigdescr_np(WTERMSIG(status));
  return fmt::format("died of signal {} ({})", WTERMSIG(status), name != nullptr ? name : "unknown");
}

ChildProcess::ChildProcess(const std::vector<std::string>& command,
                           const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);

  int was_subreaper = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper);
  was_subreaper_ = was_subreaper != 0;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  // This process may have several children.
  static int number = 0;
  mark_ = fmt::format("TAKT_LAUNCHER={}-{}.", ::getpid(), ++number);
  std::array<int, 2> output{}, failure{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0 || ::pipe2(failure.data(), O_CLOEXEC) != 0)
    throw WorkError(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  // Other threads may hold any lock at the fork, so the child must not allocate.
  const std::vector<std::string> texts = with_variables(environment, mark_);
  std::vector<char*> variables;
  for (const std::string& text : texts) variables.push_back(const_cast<char*>(text.c_str()));
  variables.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw WorkError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid_ == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(output[1], STDOUT_FILENO);
    ::dup2(output[1], STDERR_FILENO);
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, STDIN_FILENO);
    ::execvpe(arguments.front(), arguments.data(), variables.data());
    const int reason = errno;
    (void)!::write(failure[1], &reason, sizeof(reason));
    ::_exit(127);
  }
  ::close(output[1]);
  ::close(failure[1]);
  output_ = output[0];
  ::fcntl(output_, F_SETFL, O_NONBLOCK);
  int reason = 0;
  const bool failed = ::read(failure[0], &reason, sizeof(reason)) == sizeof(reason);
  ::close(failure[0]);
  if (failed) {
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
    ::close(output_);
    throw WorkError(fmt::format("cannot start '{}': {}", command.front(), std::strerror(reason)));
  }
}

ChildProcess::~ChildProcess() {
  using namespace std::chrono_literals;
  const auto latest = std::chrono::steady_clock::now() + 3s;
  signal(SIGTERM);
  while (!ended() && std::chrono::steady_clock::now() < latest) std::this_thread::sleep_for(10ms);
  if (!ended()) {
    signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  kill_orphans(mark_);
  ::prctl(PR_SET_CHILD_SUBREAPER, was_subreaper_);
  ::close(output_);
}

std::vector<std::string> ChildProcess::read_lines() {
  std::array<char, 4096> block{};
  ssize_t count = 0;
  while ((count = ::read(output_, block.data(), block.size())) > 0)
    partial_.append(block.data(), static_cast<std::size_t>(count));
  if (status_ && !partial_.empty() && !partial_.ends_with('\n')) partial_ += '\n';
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = 0; (end = partial_.find('\n', start)) != std::string::npos; start = end + 1) {
    std::string_view line = std::string_view(partial_).substr(start, end - start);
    // ssh ends lines with CR LF, as terminals do.
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  partial_.erase(0, start);
  return lines;
}

std::optional<int> ChildProcess::ended() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

void ChildProcess::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

}  // namespace takt::pipeline
