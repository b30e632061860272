#include "core/system/caches.hpp"

#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

namespace takt {

Bytes second_cache() {
  constexpr Bytes usual{1 << 20};
  const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? Bytes{static_cast<std::uint64_t>(bytes)} : usual;
}

std::optional<Bytes> largest_cache() {
  // The highest existing level.
  for (const char* const level : {"index3", "index2"}) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/{}/size", level));
    std::uint64_t size = 0;
    char unit = 0;
    if (file >> size >> unit) return Bytes{size << (unit == 'M' ? 20 : 10)};
  }
  return std::nullopt;
}

}  // namespace takt
