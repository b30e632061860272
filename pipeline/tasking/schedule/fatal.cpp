#include "pipeline/tasking/schedule/fatal.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <unistd.h>

#include "pipeline/tasking/schedule/memory_watch.hpp"
#include "pipeline/tasking/schedule/trace.hpp"

namespace takt::tasking::schedule {

namespace {

/// The message of the first fault is the only one: others wait for the end.
void be_the_first() {
  static std::atomic<bool> is_stopping{false};
  if (!is_stopping.exchange(true)) return;
  for (;;) ::pause();
}

void print(const char* text, std::size_t bytes) {
  // What cannot be written cannot be reported either.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, bytes);
}

}  // namespace

void report(std::int64_t tag, const std::string& fault, const std::string& rule) {
  const std::string line = "schedule: " + (tag == 0 ? std::string() : "tag " + std::to_string(tag) + ": ") +
                           fault + "; rule: " + rule + '\n';
  print(line.data(), line.size());
}

void stop(std::int64_t tag, const std::string& fault, const std::string& rule) {
  be_the_first();
  const MemoryWatch::Pause pause;  // The system reads the message.
  report(tag, fault, rule);
  Trace::the().flush();
  // Closing the files of Fortran waits for units that write to them, which may be the one that stops.
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    ::_exit(1);
  }).detach();
  std::exit(1);
}

void stop_in_signal(const char* line) {
  be_the_first();
  print(line, std::strlen(line));
  Trace::the().flush_in_signal();
  ::_exit(1);
}

}  // namespace takt::tasking::schedule
