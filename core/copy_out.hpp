#pragma once
/// Copying memory that another core is to read.

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace takt {

/// The same as memcpy, for a destination whose cache lines another core may hold, since it has read what was
/// there before.
///
/// A store into such a line waits until the line has come over, though none of it is needed: between cores
/// with caches of their own that is some 9 ns a line, and 100 us for a MiB. A string instruction takes whole
/// lines over without reading them (2 ns a line, 27 us for a MiB, measured on an AMD Zen). The C library's
/// memcpy knows that, but not for all sizes.
inline void copy_out(void* destination, const void* source, std::size_t bytes) {
#if defined(__x86_64__)
  constexpr std::size_t worth_starting = 2048;
  if (bytes >= worth_starting) {
    asm volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(bytes) : : "memory");
    return;
  }
#endif
  std::memcpy(destination, source, bytes);
}

/// The same as memcpy, for a destination that need not be in any cache: whole lines go to memory, wherever
/// they are cached before, and whoever reads them has them from there. 2.5 ns a line, where other copies
/// take 1.4 to 25 by where the cores are that had them before (measured on virtual cores of an AMD Zen). Not
/// before `end_copies_past_caches` may another core be told of it.
inline void copy_past_caches(void* destination, const void* source, std::size_t bytes) {
#if defined(__x86_64__)
  auto* to = static_cast<char*>(destination);
  const auto* from = static_cast<const char*>(source);
  // A part of a line is read, changed and written.
  constexpr std::size_t line = 64;
  const std::size_t head = (line - reinterpret_cast<std::uintptr_t>(to) % line) % line;
  if (bytes >= head + line) {
    std::memcpy(to, from, head);
    const std::size_t end = bytes - (bytes - head) % line;
    for (std::size_t i = head; i < end; i += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    std::memcpy(to + end, from + end, bytes - end);
    return;
  }
#endif
  std::memcpy(destination, source, bytes);
}

/// Orders copies past the caches before all stores that follow.
inline void end_copies_past_caches() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

}  // namespace takt
