#include "tests/support/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace takt::test {

namespace {

namespace fs = std::filesystem;

fs::path temporary_path() {
  std::string pattern = fs::temp_directory_path() / "takt-test-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  return pattern;
}

}  // namespace

Program::Program(std::vector<std::string> command) {
  const fs::path folder = temporary_path();
  out_ = folder / "out";
  err_ = folder / "err";
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(::open(out_.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600), STDOUT_FILENO);
    ::dup2(::open(err_.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600), STDERR_FILENO);
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    // A test does not use plans of earlier runs, unless it sets the cache.
    ::setenv("XDG_CACHE_HOME", "/dev/null", 0);
    ::execvp(arguments.front(), arguments.data());
    ::_exit(127);
  }
}

Program::~Program() {
  if (pid_ > 0) {
    signal(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  fs::remove_all(out_.parent_path(), ignored);
}

void Program::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

std::string Program::out_so_far() const {
  return read_file(out_);
}

std::string Program::err_so_far() const {
  return read_file(err_);
}

bool Program::await(const std::function<bool()>& condition) const {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::minutes{1};
  while (!condition()) {
    siginfo_t ended{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == pid_ || std::chrono::steady_clock::now() > latest) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return true;
}

bool Program::await_err(const std::string& text) const {
  return await([&] { return err_so_far().find(text) != std::string::npos; });
}

Result Program::wait(std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  Result result;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      signal(SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = -1;
      result.out = read_file(out_);
      result.err = read_file(err_) + "\n(killed: it took too long)";
      return result;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  pid_ = -1;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_file(out_);
  result.err = read_file(err_);
  return result;
}

std::vector<std::string> takt_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), TAKT_PROGRAM);
  return arguments;
}

Result takt(std::vector<std::string> arguments) {
  return Program(takt_command(std::move(arguments))).wait();
}

TemporaryFolder::TemporaryFolder() : path_(temporary_path()) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return path_ / name;
}

std::filesystem::path test_data() {
  const char* chosen = std::getenv("TAKT_TEST_DATA");
  fs::path path = chosen != nullptr ? chosen : TAKT_TEST_DATA_DEFAULT;
  return fs::is_directory(path) ? path : fs::path{};
}

bool python_has_numpy() {
  static const bool has = Program({python, "-c", "import numpy"}).wait().exit_code == 0;
  return has;
}

std::size_t letters_of_widest_line(const std::string& text) {
  std::size_t letters = 0, most = 0;
  for (const char letter : text) {
    if (letter == '\n')
      letters = 0;
    else if ((static_cast<unsigned char>(letter) & 0xc0U) != 0x80U)
      most = std::max(most, ++letters);
  }
  return most;
}

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace takt::test
