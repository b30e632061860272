#include "schedulers/judge/bounded_rows.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::schedulers {

namespace {

using Clock = std::chrono::steady_clock;

/// Visits all results of a row's process; the same program reads them.
template <class Row>
auto fields(Row& row, std::conditional_t<std::is_const_v<Row>, const Figures, Figures>& figures) {
  return std::tie(row.error, row.was_stopped, figures.scheduler, figures.processors_used, figures.replicas,
                  figures.repetition, figures.makespan, figures.latency, figures.bound, figures.bound_among,
                  figures.sequential, figures.critical_path, figures.makespan_bound, figures.optimal,
                  figures.optimal_among, figures.valid, figures.seconds);
}

void write(std::string& bytes, const std::string& text) {
  const std::size_t size = text.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
}
template <class Value>
void write(std::string& bytes, const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Value>
void write(std::string& bytes, const std::vector<Value>& values) {
  write(bytes, values.size());
  for (const Value& value : values) write(bytes, value);
}

void read(std::string_view& bytes, std::string& text) {
  std::size_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  text = bytes.substr(sizeof size, size);
  bytes.remove_prefix(sizeof size + size);
}
template <class Value>
void read(std::string_view& bytes, Value& value) {
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
}

template <class Value>
void read(std::string_view& bytes, std::vector<Value>& values) {
  std::size_t size = 0;
  read(bytes, size);
  values.resize(size);
  for (Value& value : values) read(bytes, value);
}

/// Visits all data of a schedule.
template <class AnySchedule>
auto parts(AnySchedule& schedule) {
  return std::tie(schedule.scheduler, schedule.replicas, schedule.processors, schedule.messages,
                  schedule.data, schedule.hops, schedule.least_repetition, schedule.repetition,
                  schedule.period_bound, schedule.period_bound_among, schedule.optimal,
                  schedule.optimal_among, schedule.makespan_bound, schedule.guarantee);
}

std::string packed(const ComparisonRow& row) {
  std::string bytes;
  write(bytes, row.figures.has_value());
  const Figures figures = row.figures.value_or(Figures{});
  std::apply([&](const auto&... field) { (write(bytes, field), ...); }, fields(row, figures));
  write(bytes, row.schedule.has_value());
  if (row.schedule) std::apply([&](const auto&... part) { (write(bytes, part), ...); }, parts(*row.schedule));
  return bytes;
}

ComparisonRow unpacked(std::string_view bytes) {
  ComparisonRow row;
  Figures figures;
  bool has_figures = false;
  read(bytes, has_figures);
  std::apply([&](auto&... field) { (read(bytes, field), ...); }, fields(row, figures));
  if (has_figures) row.figures = std::move(figures);
  bool has_schedule = false;
  read(bytes, has_schedule);
  if (has_schedule)
    std::apply([&](auto&... part) { (read(bytes, part), ...); }, parts(row.schedule.emplace()));
  return row;
}

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return;
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

/// A process that works on one row.
struct Worker {
  std::size_t row = 0;
  pid_t process = -1;
  int file = -1;
  Clock::time_point deadline;
  std::string bytes;
};

std::string stopped_text(std::chrono::duration<double> limit) {
  return fmt::format("time limit of {:g} s", limit.count());
}

/// Writes the complete row, or the row so far at the
/// limit, whichever is first, and ends the process.
[[noreturn]] void work_on(std::size_t i, std::chrono::duration<double> limit, const BoundedFill& fill,
                          int file) {
  std::mutex writing;
  const auto write_and_end = [&](const ComparisonRow& row) {
    const std::string bytes = packed(row);
    writing.lock();  // Never unlocked: the second caller waits until the process ends.
    write_all(file, bytes);
    ::_exit(0);
  };
  std::thread([&] { write_and_end(fill.whole(i)); }).detach();
  std::this_thread::sleep_for(limit);
  ComparisonRow row = fill.so_far(i);
  row.was_stopped = true;
  if (row.error.empty()) row.error = stopped_text(limit);
  write_and_end(row);
  std::abort();
}

Worker started(std::size_t row, std::chrono::duration<double> limit, const BoundedFill& fill) {
  int ends[2];
  if (::pipe(ends) != 0)
    throw WorkError(fmt::format("cannot start a process for a row: {}", std::strerror(errno)));
  const pid_t process = ::fork();
  if (process < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw WorkError(fmt::format("cannot start a process for a row: {}", std::strerror(errno)));
  }
  if (process == 0) work_on(row, limit, fill, ends[1]);
  ::close(ends[1]);
  return {
      row, process, ends[0], Clock::now() + std::chrono::duration_cast<Clock::duration>(limit * 3 / 2), {}};
}

/// Waits for the process's end; returns the status of waitpid.
int ended(const Worker& worker) {
  int status = 0;
  ::close(worker.file);
  while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Reads the available bytes; returns false at the end.
bool read_some(Worker& worker) {
  char buffer[4096];
  const ssize_t size = ::read(worker.file, buffer, sizeof buffer);
  if (size > 0) worker.bytes.append(buffer, static_cast<std::size_t>(size));
  return size > 0 || (size < 0 && errno == EINTR);
}

ComparisonRow result_of(const Worker& worker) {
  const int status = ended(worker);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !worker.bytes.empty()) return unpacked(worker.bytes);
  ComparisonRow row;
  row.error = WIFSIGNALED(status) ? fmt::format("the scheduler died: {}", ::strsignal(WTERMSIG(status)))
                                  : std::string("the scheduler died");
  return row;
}

int milliseconds_until(Clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, 60'000));
}

}  // namespace

void fill_bounded(std::size_t count, std::size_t jobs, std::chrono::duration<double> limit,
                  const BoundedFill& fill, const std::function<void(std::size_t, ComparisonRow)>& done) {
  std::vector<Worker> workers;
  std::size_t next = 0;
  while (next < count || !workers.empty()) {
    while (next < count && workers.size() < std::max<std::size_t>(jobs, 1)) {
      workers.push_back(started(next, limit, fill));
      ++next;
    }
    std::vector<pollfd> files;
    for (const Worker& worker : workers) files.push_back({worker.file, POLLIN, 0});
    const auto first = std::ranges::min_element(workers, {}, &Worker::deadline);
    ::poll(files.data(), files.size(), milliseconds_until(first->deadline));

    std::vector<Worker> still;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      Worker& worker = workers[i];
      if (files[i].revents != 0 && !read_some(worker)) {
        done(worker.row, result_of(worker));
      } else if (Clock::now() >= worker.deadline) {
        ::kill(worker.process, SIGKILL);
        ended(worker);
        ComparisonRow row;
        row.was_stopped = true;
        row.error = stopped_text(limit);
        done(worker.row, std::move(row));
      } else {
        still.push_back(std::move(worker));
      }
    }
    workers = std::move(still);
  }
}

}  // namespace takt::schedulers
