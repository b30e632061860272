#pragma once
/// Distributions of a row of equal parts over processors.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace takt {

/// How the parts 0, 1, ..., n - 1 go to the processors: as many neighbours to each processor, one to each
/// processor in turn, or two blocks to each processor in turn.
enum class Distribution : std::uint8_t { block, cyclic, block_cyclic };

/// Returns `block`, `cyclic` or `block-cyclic`.
[[nodiscard]] std::string_view name_of(Distribution distribution);

/// Returns the processor of part `index` of `count` ones.
[[nodiscard]] std::uint32_t owner_of(Distribution distribution, std::size_t index, std::size_t count,
                                     std::size_t processors);

}  // namespace takt
