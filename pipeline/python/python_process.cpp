#include "pipeline/python/python_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/system/stop_request.hpp"
#include "pipeline/python/host.hpp"
#include "pipeline/watching/activity.hpp"

namespace takt::pipeline {

namespace {

/// Descriptors of the child, as in host.py, which it reads from `program_place`.
constexpr int words_place = 3, life_place = 4, memory_place = 5, program_place = 6;
/// The parent's descriptors start here, so that passing one to the child never replaces another.
constexpr int first_own = 16;

int checked(int result, const char* what) {
  if (result < 0) throw WorkError(fmt::format("{} for a Python kernel: {}", what, std::strerror(errno)));
  return result;
}

/// Duplicates a descriptor to a number from `first_own` on, closed on exec.
int moved_up(int descriptor) {
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, first_own);
  const int reason = errno;
  ::close(descriptor);
  errno = reason;
  return checked(moved, "a file descriptor");
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(number_); }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Returns the child's environment. Libraries use one thread, a rank's one core, unless the user sets more.
std::vector<std::string> environment_of_child() {
  std::vector<std::string> texts;
  for (char** own = environ; *own != nullptr; ++own) texts.emplace_back(*own);
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
    if (std::getenv(name) == nullptr) texts.push_back(fmt::format("{}=1", name));
  return texts;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

std::string describe_status(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("was killed by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

/// Waits for the child and kills it after the limit; returns its status unless it was reaped elsewhere.
std::optional<int> wait_for_end(pid_t pid, std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds nap{1};
  int status = 0;
  for (std::chrono::milliseconds waited{0}; waited < limit; waited += nap) {
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended != 0) return ended == pid ? std::optional(status) : std::nullopt;
    std::this_thread::sleep_for(nap);
  }
  ::kill(pid, SIGKILL);
  return ::waitpid(pid, &status, 0) == pid ? std::optional(status) : std::nullopt;
}

}  // namespace

PythonProcess::PythonProcess(const std::string& interpreter, const std::string& title) {
  std::array<int, 2> words{}, life{};
  checked(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, words.data()), "a socket");
  const Descriptor other_words(moved_up(words[1]));
  words_ = moved_up(words[0]);
  checked(::pipe2(life.data(), O_CLOEXEC), "a pipe");
  const Descriptor other_life(moved_up(life[0]));
  life_ = moved_up(life[1]);
  memory_ = moved_up(checked(::memfd_create("takt-python", MFD_CLOEXEC), "shared memory"));
  try {
    start(interpreter, title, other_words.number(), other_life.number());
  } catch (...) {
    end();
    throw;
  }
}

void PythonProcess::start(const std::string& interpreter, const std::string& title, int words, int life) {
  const Descriptor program(moved_up(checked(::memfd_create("takt-python-host", MFD_CLOEXEC), "memory")));
  const std::string_view text = python_host();
  if (::write(program.number(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw WorkError(fmt::format("memory for a Python kernel: {}", std::strerror(errno)));
  ::lseek(program.number(), 0, SEEK_SET);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, words, words_place);
  posix_spawn_file_actions_adddup2(&files, life, life_place);
  posix_spawn_file_actions_adddup2(&files, memory_, memory_place);
  posix_spawn_file_actions_adddup2(&files, program.number(), program_place);
  posix_spawn_file_actions_addclosefrom_np(&files, program_place + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  ::sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  ::sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> command{interpreter, "-c",
                                   "import os; exec(compile(os.fdopen(6).read(), '<takt>', 'exec'))", title};
  std::vector<std::string> environment = environment_of_child();
  const int failure = ::posix_spawnp(&pid_, interpreter.c_str(), &files, &attributes,
                                     pointers(command).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failure == 0) return;
  pid_ = -1;
  throw ConfigError(fmt::format("'{}' cannot be started: {} (Debian: python3-minimal and python3-numpy)",
                                interpreter, std::strerror(failure)));
}

PythonProcess::~PythonProcess() {
  end();
}

void PythonProcess::end() noexcept {
  for (int* const descriptor : {&words_, &life_, &memory_}) {
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
  if (!shared_.empty()) ::munmap(shared_.data(), shared_.size());
  shared_ = {};
  if (pid_ < 0) return;
  // It exits by itself within a millisecond unless it is busy.
  (void)wait_for_end(pid_, std::chrono::milliseconds{100});
  pid_ = -1;
}

void PythonProcess::report_death() {
  // It may have closed the socket and still be running.
  const std::optional<int> status = wait_for_end(pid_, std::chrono::seconds{1});
  pid_ = -1;
  throw WorkError(fmt::format("its Python process {}", status ? describe_status(*status) : "is gone"));
}

void PythonProcess::send(std::span<const char> bytes) {
  if (words_ < 0 || pid_ < 0) throw WorkError("its Python process has ended");
  while (!bytes.empty()) {
    const ssize_t count = ::send(words_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) report_death();
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void PythonProcess::receive(std::span<char> bytes, std::int64_t until_ns, Time limit) {
  while (!bytes.empty()) {
    pollfd ready{words_, POLLIN, 0};
    const std::int64_t left_ms = (until_ns - now_ns() + 999'999) / 1'000'000;
    const int count =
        left_ms <= 0
            ? 0
            : ::poll(&ready, 1,
                     static_cast<int>(std::min<std::int64_t>(left_ms, std::numeric_limits<int>::max())));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      end();
      throw WorkError(
          fmt::format("its Python process did not answer for {} (parameter 'timeout'), and was ended",
                      takt::to_string(limit)));
    }
    const ssize_t taken = ::recv(words_, bytes.data(), bytes.size(), 0);
    if (taken < 0 && errno == EINTR) continue;
    if (taken <= 0) report_death();
    bytes = bytes.subspan(static_cast<std::size_t>(taken));
  }
}

std::string PythonProcess::receive_text(std::int64_t until_ns, Time limit) {
  std::array<char, 4> length{};
  receive(length, until_ns, limit);
  std::uint32_t count = 0;
  std::memcpy(&count, length.data(), sizeof(count));
  std::string text(count, '\0');
  receive(text, until_ns, limit);
  return text;
}

std::string PythonProcess::ask(const std::string& request, Time limit) {
  std::string message = "j";
  const auto count = static_cast<std::uint32_t>(request.size());
  message.append(reinterpret_cast<const char*>(&count), sizeof(count));
  message += request;
  send(message);
  const std::int64_t until_ns = now_ns() + limit.count();
  std::array<char, 1> letter{};
  receive(letter, until_ns, limit);
  return receive_text(until_ns, limit);
}

std::span<std::byte> PythonProcess::share(std::size_t bytes) {
  checked(::ftruncate(memory_, static_cast<off_t>(bytes)), "shared memory");
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
  if (place == MAP_FAILED)
    throw WorkError(fmt::format("shared memory for a Python kernel: {}", std::strerror(errno)));
  shared_ = {static_cast<std::byte*>(place), bytes};
  return shared_;
}

/// Returns true if an answer arrives before the time, or the grace period after a stop, is over.
bool PythonProcess::is_answered(std::int64_t until_ns, Time grace) const {
  constexpr int slice_ms = 20;
  const std::int64_t begun_ns = now_ns();
  while (now_ns() < until_ns) {
    pollfd ready{words_, POLLIN, 0};
    if (::poll(&ready, 1, slice_ms) > 0) return true;
    const std::optional<std::int64_t> asked_ns = asked_to_stop_at();
    if (asked_ns && now_ns() > std::max(*asked_ns, begun_ns) + grace.count()) return false;
  }
  return true;
}

char PythonProcess::step(char letter, Time limit, std::string& text, std::optional<Time> grace) {
  send({&letter, 1});
  const std::int64_t until_ns = now_ns() + limit.count();
  if (grace && !is_answered(until_ns, *grace)) {
    end();
    return was_stopped;
  }
  std::array<char, 1> answer{};
  receive(answer, until_ns, limit);
  if (answer[0] == 'j') text = receive_text(until_ns, limit);
  return answer[0];
}

}  // namespace takt::pipeline
