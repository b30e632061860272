#include "pipeline/tasking/schedule/trace.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "pipeline/tasking/schedule/default_trace.hpp"

namespace takt::tasking::schedule {

namespace {

/// No line but that of a dep is longer; a dep has room for its list.
constexpr std::size_t longest_line = 96;

void write_and_raise(int signal) {
  Trace::the().flush_in_signal();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// A program that hangs is ended from outside: what it did until then is to be seen.
void write_before_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present {};
    if (::sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    struct sigaction own {};
    own.sa_handler = write_and_raise;
    ::sigaction(signal, &own, nullptr);
  }
}

}  // namespace

Trace& Trace::the() {
  static Trace* const trace = new Trace;
  return *trace;
}

std::string Trace::open() {
  const char* named = std::getenv("TAKT_SCHEDULE_TRACE");
  if (named == nullptr || *named == 0) named = default_trace_file();
  if (named == nullptr) return {};
  if (!is_open()) {
    const int file = ::open(named, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return "cannot write the trace " + std::string(named) + ": " + std::strerror(errno);
    file_.store(file, std::memory_order_relaxed);
    std::atexit([] { the().flush(); });
    write_before_signals();
  }
  writer_ = std::jthread([this](const std::stop_token& token) {
    std::unique_lock lock(mutex_);
    while (!token.stop_requested()) {
      wake_.wait_for(lock, token, std::chrono::milliseconds(200), [] { return false; });
      write_out();
    }
  });
  return {};
}

void Trace::close() {
  if (!is_open()) return;
  writer_ = {};
  flush();
}

void Trace::write_out() {
  std::size_t written = 0;
  while (written < used_) {
    const ssize_t now =
        ::write(file_.load(std::memory_order_relaxed), buffer_.data() + written, used_ - written);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) break;  // A full disk costs the trace, not the run.
    written += static_cast<std::size_t>(now);
  }
  used_ = 0;
}

void Trace::flush() {
  if (!is_open()) return;
  const std::lock_guard lock(mutex_);
  write_out();
}

void Trace::flush_in_signal() {
  if (!is_open()) return;
  // The interrupted thread may have the lock: then its events of this moment are lost.
  for (int i = 0; i < 1000; ++i) {
    if (mutex_.try_lock()) {
      write_out();
      mutex_.unlock();
      return;
    }
  }
}

template <class... Arguments>
void Trace::add(const char* format, Arguments... arguments) {
  if (used_ + longest_line > buffer_.size()) write_out();
  const int bytes = std::snprintf(buffer_.data() + used_, buffer_.size() - used_, format, arguments...);
  used_ += static_cast<std::size_t>(bytes);
}

void Trace::create(std::int64_t tag, std::int64_t icango, std::span<const std::int64_t> dependents) {
  if (!is_open()) return;
  const std::lock_guard lock(mutex_);
  add("0 %lld %lld %lld", static_cast<long long>(tag), static_cast<long long>(icango),
      static_cast<long long>(dependents.size()));
  for (const std::int64_t each : dependents) add(" %lld", static_cast<long long>(each));
  add("\n");
}

void Trace::create_child(std::int64_t parent, std::int64_t tag) {
  if (!is_open()) return;
  const std::lock_guard lock(mutex_);
  add("3 %lld %lld\n", static_cast<long long>(parent), static_cast<long long>(tag));
}

void Trace::start(std::int64_t parent, std::int64_t tag) {
  if (!is_open()) return;
  const std::lock_guard lock(mutex_);
  if (parent == 0)
    add("1 %lld\n", static_cast<long long>(tag));
  else
    add("4 %lld %lld\n", static_cast<long long>(parent), static_cast<long long>(tag));
}

void Trace::stop(std::int64_t parent, std::int64_t tag, std::chrono::nanoseconds time) {
  if (!is_open()) return;
  const double seconds = std::chrono::duration<double>(time).count();
  const std::lock_guard lock(mutex_);
  if (parent == 0)
    add("2 %lld %.9f\n", static_cast<long long>(tag), seconds);
  else
    add("5 %lld %lld %.9f\n", static_cast<long long>(parent), static_cast<long long>(tag), seconds);
}

}  // namespace takt::tasking::schedule
