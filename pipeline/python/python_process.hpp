#pragma once
/// A Python interpreter in a process of its own, in which one script runs (host.py, the other end).

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

#include "core/units.hpp"

namespace takt::pipeline {

/// Frames go through memory that both share, words through a socket. The process ends with this object, with
/// us however we end, and when it is too late with an answer; it has our cores and priority. Its stdout goes
/// to our stderr, and numerical libraries in it use one thread unless the environment says otherwise. One
/// thread at a time may use an object.
class PythonProcess {
 public:
  /// `interpreter` is a path, or a name that is looked up in PATH; `title` is what lists of processes show
  /// behind it. Throws ConfigError when it cannot be started.
  PythonProcess(const std::string& interpreter, const std::string& title);
  PythonProcess(const PythonProcess&) = delete;
  PythonProcess& operator=(const PythonProcess&) = delete;
  ~PythonProcess();

  /// A request and its answer, both JSON. Throws WorkError when the process has died, with how, or does not
  /// answer within that time.
  [[nodiscard]] std::string ask(const std::string& request, Time limit);
  /// Makes so much memory that both see; called once.
  [[nodiscard]] std::span<std::byte> share(std::size_t bytes);
  /// One of the letters of host.py for frames. The answer is a letter, too; where that is `j`, JSON is in
  /// `text`. Throws as `ask` does. Allocates nothing where all is well.
  ///
  /// With `grace` a command to stop (activity.hpp), told before or while it waits, ends the process so much
  /// later, and the answer is `was_stopped`; nothing can be asked of it from there on.
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
