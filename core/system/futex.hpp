#pragma once
/// Sleep and wake-up between threads or processes, without a system call if none sleeps.

#include <atomic>
#include <cstdint>

namespace takt {

/// Sleeps while the word has this value, until futex_wake, a signal, or this time (now_ns of
/// core/system/clock.hpp). May return at any time. The word may be in memory shared by processes.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t latest_ns);

/// Wakes all sleepers on the word.
void futex_wake(const std::atomic<std::uint32_t>& word);

}  // namespace takt
