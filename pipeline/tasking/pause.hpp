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

/// Brings a cache line that is written soon; a read would leave it shared, and the write would wait once
/// more.
inline void prefetch_for_write(const void* address) {
#ifdef __x86_64__
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// For one who needs the other thread to go on, which may have lost its processor.
inline void pause_or_yield() {
  for (int i = 0; i < 8; ++i) pause();
  std::this_thread::yield();
}

}  // namespace takt::tasking::detail
