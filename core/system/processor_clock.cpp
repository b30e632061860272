#include "core/system/processor_clock.hpp"

#include <array>
#include <charconv>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace takt {

ProcessorClock::ProcessorClock() : ProcessorClock(::gettid()) {}

ProcessorClock::ProcessorClock(pid_t thread)
    : file_(::open(fmt::format("/proc/self/task/{}/schedstat", thread).c_str(), O_RDONLY | O_CLOEXEC)) {}

ProcessorClock::~ProcessorClock() {
  if (file_ >= 0) ::close(file_);
}

std::optional<ProcessorTimes> ProcessorClock::now() const {
  std::array<char, 96> text{};
  const ssize_t length = file_ < 0 ? -1 : ::pread(file_, text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  const char* const end = text.data() + length;
  ProcessorTimes times;
  const auto used = std::from_chars(text.data(), end, times.used_ns);
  if (used.ec != std::errc{} || used.ptr == end) return std::nullopt;
  if (std::from_chars(used.ptr + 1, end, times.delayed_ns).ec != std::errc{}) return std::nullopt;
  return times;
}

}  // namespace takt
