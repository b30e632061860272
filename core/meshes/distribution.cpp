#include "core/meshes/distribution.hpp"

#include <algorithm>

namespace takt {

std::string_view name_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::block:
      return "block";
    case Distribution::cyclic:
      return "cyclic";
    case Distribution::block_cyclic:
      return "block-cyclic";
  }
  return "";
}

std::uint32_t owner_of(Distribution distribution, std::size_t index, std::size_t count,
                       std::size_t processors) {
  const auto in_blocks = [&](std::size_t blocks) {
    const std::size_t size = std::max<std::size_t>(1, (count + blocks - 1) / blocks);
    return static_cast<std::uint32_t>(index / size % processors);
  };
  switch (distribution) {
    case Distribution::block:
      return in_blocks(processors);
    case Distribution::cyclic:
      return static_cast<std::uint32_t>(index % processors);
    case Distribution::block_cyclic:
      return in_blocks(2 * processors);
  }
  return 0;
}

}  // namespace takt
