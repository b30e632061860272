#pragma once
/// Sleeping until another thread or process says otherwise, without a system call while nobody sleeps.

#include <atomic>
#include <cstdint>

namespace takt {

/// Sleeps while the word has this value, until futex_wake, a signal, or this moment (now_ns of
/// core/system/clock.hpp). May return at any time. The word may lie in memory that processes share.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t latest_ns);

/// Wakes everybody who sleeps on the word.
void futex_wake(const std::atomic<std::uint32_t>& word);

}  // namespace takt
