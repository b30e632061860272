#pragma once
/// The file trace.graph: the graph as it is described, and the executions of its units.

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <thread>

namespace takt::tasking::schedule {

/// A line per event, fields parted by blanks (users guide, "Tracing an Execution"):
///
///     0 id #child #parents parent-ids   a static unit is created: icango, ncheks and list of its dep
///     1 id                              an execution of it starts
///     2 id seconds                      and stops
///     3 owner id, 4 owner id, 5 owner id seconds   the same of a spawned unit
///
/// A unit with several entries starts and stops once for each. Events are buffered; they are written when the
/// buffer is full, every 0.2 s, at the end of each sched, and when the program stops, exits or is ended by
/// SIGINT, SIGTERM or SIGHUP.
class Trace {
 public:
  /// That of the process, which is never destroyed: units may run while the program exits.
  static Trace& the();

  /// Opens the file that TAKT_SCHEDULE_TRACE names, or else the default of the library, once in a process: a
  /// later sched goes on in it. Returns what is wrong where it cannot be written, else nothing.
  [[nodiscard]] std::string open();
  /// Writes what is buffered and ends the thread that does so now and then.
  void close();
  [[nodiscard]] bool is_open() const { return file_.load(std::memory_order_relaxed) >= 0; }

  void create(std::int64_t tag, std::int64_t icango, std::span<const std::int64_t> dependents);
  void create_child(std::int64_t parent, std::int64_t tag);
  /// `parent` is 0 for a static unit.
  void start(std::int64_t parent, std::int64_t tag);
  void stop(std::int64_t parent, std::int64_t tag, std::chrono::nanoseconds time);

  void flush();
  void flush_in_signal();

 private:
  Trace() = default;
  template <class... Arguments>
  void add(const char* format, Arguments... arguments);
  void write_out();

  std::mutex mutex_;
  std::atomic<int> file_{-1};
  std::array<char, 65536> buffer_{};
  std::size_t used_ = 0;
  std::condition_variable_any wake_;
  std::jthread writer_;
};

}  // namespace takt::tasking::schedule
