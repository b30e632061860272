#include "core/system/flush_cache.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#else
#include <vector>

#include "core/system/caches.hpp"
#endif

namespace takt {

namespace {

constexpr std::size_t line = 64;

}  // namespace

#if defined(__x86_64__)
void flush_cache(std::span<const std::byte> memory) {
  for (std::size_t at = 0; at < memory.size(); at += line) _mm_clflush(memory.data() + at);
  _mm_mfence();
}
#else
void flush_cache(std::span<const std::byte> /*memory*/) {
  static const std::vector<std::byte> other(2 * largest_cache().value_or(Bytes{32 << 20}).count);
  for (std::size_t at = 0; at < other.size(); at += line)
    (void)*static_cast<const volatile std::byte*>(other.data() + at);
}
#endif

}  // namespace takt
