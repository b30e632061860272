#include "pipeline/calls/canary.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::pipeline {

void throw_dead_canary(std::span<const std::byte> output) {
  const auto planted = std::as_bytes(std::span(canary::line));
  const std::span<const std::byte> found(output.data() + output.size(), canary_bytes);
  std::size_t first = 0, last = canary_bytes - 1;
  while (first < last && found[first] == planted[first]) ++first;
  while (last > first && found[last] == planted[last]) --last;
  throw WorkError(
      fmt::format("wrote past the end of its output of {} bytes: bytes {} to {} there; memory after that may "
                  "be damaged as well: --check-memory finds the call and the extent",
                  output.size(), first, last));
}

}  // namespace takt::pipeline
