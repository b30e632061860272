#include "schedulers/judge/bounded_rows.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
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

/// All that a process finds out about its row; the same program reads it.
template <class Row>
auto fields(Row& row, std::conditional_t<std::is_const_v<Row>, const Figures, Figures>& figures) {
  return std::tie(row.error, figures.scheduler, figures.processors_used, figures.replicas, figures.repetition,
                  figures.makespan, figures.latency, figures.bound, figures.sequential, figures.critical_path,
                  figures.makespan_bound, figures.optimal, figures.optimal_among, figures.valid,
                  figures.seconds);
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

std::string packed(const ComparisonRow& row) {
  std::string bytes;
  write(bytes, row.figures.has_value());
  const Figures figures = row.figures.value_or(Figures{});
  std::apply([&](const auto&... field) { (write(bytes, field), ...); }, fields(row, figures));
  return bytes;
}

ComparisonRow unpacked(std::string_view bytes) {
  ComparisonRow row;
  Figures figures;
  bool has_figures = false;
  read(bytes, has_figures);
  std::apply([&](auto&... field) { (read(bytes, field), ...); }, fields(row, figures));
  if (has_figures) row.figures = std::move(figures);
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

Worker started(std::size_t row, Clock::duration limit,
               const std::function<ComparisonRow(std::size_t)>& fill) {
  int ends[2];
  if (::pipe(ends) != 0)
    throw WorkError(fmt::format("cannot start a process for a row: {}", std::strerror(errno)));
  const pid_t process = ::fork();
  if (process < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw WorkError(fmt::format("cannot start a process for a row: {}", std::strerror(errno)));
  }
  if (process == 0) {
    write_all(ends[1], packed(fill(row)));
    ::_exit(0);
  }
  ::close(ends[1]);
  return {row, process, ends[0], Clock::now() + limit, {}};
}

/// Waits for the process's end; the status as waitpid tells it.
int ended(const Worker& worker) {
  int status = 0;
  ::close(worker.file);
  while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Reads what there is; false at the end.
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
                  const std::function<ComparisonRow(std::size_t)>& fill,
                  const std::function<void(std::size_t, ComparisonRow)>& done) {
  const auto ticks = std::chrono::duration_cast<Clock::duration>(limit);
  std::vector<Worker> workers;
  std::size_t next = 0;
  while (next < count || !workers.empty()) {
    while (next < count && workers.size() < std::max<std::size_t>(jobs, 1)) {
      workers.push_back(started(next, ticks, fill));
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
        row.error = fmt::format("time limit of {:g} s", limit.count());
        done(worker.row, std::move(row));
      } else {
        still.push_back(std::move(worker));
      }
    }
    workers = std::move(still);
  }
}

}  // namespace takt::schedulers
