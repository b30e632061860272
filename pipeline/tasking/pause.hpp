#pragma once
/// Short waits for what another thread is about to do.

#include <thread>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace takt::tasking::detail {

/// Tens of nanoseconds.
inline void pause() {
#ifdef __x86_64__
  _mm_pause();
#else
  asm volatile("" ::: "memory");
#endif
}

/// Fetches a cache line for a write. A read would fetch it as shared, and the write would wait again.
inline void prefetch_for_write(const void* address) {
#ifdef __x86_64__
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// Pauses, then yields: for loops that wait for a thread that may have lost its processor.
inline void pause_or_yield() {
  for (int i = 0; i < 8; ++i) pause();
  std::this_thread::yield();
}

}  // namespace takt::tasking::detail
