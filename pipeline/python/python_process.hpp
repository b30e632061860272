#pragma once
/// Runs a script in a Python interpreter in its own process (host.py is the other end).

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

#include "core/units.hpp"

namespace takt::pipeline {

/// Frames pass through shared memory, commands through a socket. The process ends with this object, with the
/// parent process however that ends, and when its answer is too late; it has the parent's cores and priority.
/// Its stdout goes to the parent's stderr, and its numerical libraries use one thread unless the environment
/// sets another number. Only one thread at a time may use an object.
class PythonProcess {
 public:
  /// `interpreter` is a path, or a name that is looked up in PATH; process lists show `title` after it.
  /// Throws ConfigError when it cannot be started.
  PythonProcess(const std::string& interpreter, const std::string& title);
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;
  ~PythonProcess();

  /// Sends a request and returns its answer, both JSON. Throws WorkError if the process dies (with its
  /// status) or does not answer in time.
  [[nodiscard]] std::string ask(const std::string& request, Time limit);
  /// Allocates shared memory of this size; called once.
  [[nodiscard]] std::span<std::byte> share(std::size_t bytes);
  /// Sends one of the letters of host.py for frames. The answer is a letter, too; for `j`, `text` holds JSON.
  /// Throws like `ask`. Allocates nothing if there is no error.
  ///
  /// If `grace` is set and a stop (activity.hpp) is requested before or during the wait, the process ends
  /// after that time and the answer is `was_stopped`; it accepts no further requests.
  [[nodiscard]] char step(char letter, Time limit, std::string& text,
                          std::optional<Time> grace = std::nullopt);
  static constexpr char was_stopped = 's';

 private:
  void start(const std::string& interpreter, const std::string& title, int words, int life);
  void send(std::span<const char> bytes);
  void receive(std::span<char> bytes, std::int64_t until_ns, Time limit);
  [[nodiscard]] std::string receive_text(std::int64_t until_ns, Time limit);
  [[nodiscard]] bool is_answered(std::int64_t until_ns, Time grace) const;
  [[noreturn]] void report_death();
  void end() noexcept;

  pid_t pid_ = -1;
  int words_ = -1, life_ = -1, memory_ = -1;
  std::span<std::byte> shared_;
};

}  // namespace takt::pipeline
