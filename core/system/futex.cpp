#include "core/system/futex.hpp"

#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace takt {

namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

long futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* time) {
  return ::syscall(SYS_futex, &word, operation, value, time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t latest_ns) {
  // The bit-set variant takes an absolute time of CLOCK_MONOTONIC.
  const timespec latest{latest_ns / 1'000'000'000, latest_ns % 1'000'000'000};
  (void)futex(word, FUTEX_WAIT_BITSET, value, &latest);
}

void futex_wake(const std::atomic<std::uint32_t>& word) {
  (void)futex(word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr);
}

}  // namespace takt
