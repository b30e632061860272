#pragma once
/// The computation and communication of data-parallel tasks: the synthetic tasks of the literature on
/// parallel task graphs.
///
/// A task works on d double precision numbers, a square matrix of 2, 3, ... 10 times 1,024 rows (4 to 100
/// million numbers in units of 2^20; a processor has 1 GB), and sends all of them, 8 d bytes, to its
/// successors. It takes a d operations (a stencil), a d log2 d (sorting) or d^1.5 (multiplying matrices),
/// with a uniform in 2^6 to 2^9. An operation is a tick: a nanosecond on a processor of 1 Gflop/s, which then
/// has speed 1.
///
/// Source: Dutot, N'Takpe, Suter, Casanova, "Scheduling parallel task graphs on (almost) homogeneous
/// multi-cluster platforms", IEEE TPDS 20 (7), 2009, section 2.2. The paper states 4 to 121 million; its
/// generator daggen draws the above, and so are the mean sequential times of its table 3.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/random.hpp"

namespace takt {

enum class Complexity : std::uint8_t { linear, log, matrix, mixed };

/// Parses `linear`, `log`, `matrix` or `mixed`.
[[nodiscard]] std::optional<Complexity> complexity_named(std::string_view name);

struct DataParallelTask {
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
};

/// `mixed` draws one of the other three first.
[[nodiscard]] DataParallelTask draw_task(Complexity complexity, Random& random);

}  // namespace takt
