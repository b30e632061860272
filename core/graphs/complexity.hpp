#pragma once
/// How much data-parallel tasks compute and pass on: the synthetic tasks of the literature on parallel task
/// graphs.
///
/// A task works on d double precision numbers, a square matrix of 2, 3, ... 10 times 1,024 rows (4 to 100
/// million numbers in units of 2^20; a processor has 1 GB), and hands all of them, 8 d bytes, to its
/// successors. It takes a d operations (a stencil), a d log2 d (sorting) or d^1.5 (multiplying matrices), a
/// uniform in 2^6 to 2^9. An operation is a tick: a nanosecond on a processor of 1 Gflop/s, which is then one
/// of speed 1.
///
/// Source: Dutot, N'Takpe, Suter, Casanova, "Scheduling parallel task graphs on (almost) homogeneous
/// multi-cluster platforms", IEEE TPDS 20 (7), 2009, section 2.2, which says 4 to 121 million; its generator
/// daggen draws these, and so are the mean sequential times of its table 3.

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/random.hpp"

namespace takt {

enum class Complexity : std::uint8_t { linear, log, matrix, mixed };

/// `linear`, `log`, `matrix` or `mixed`.
[[nodiscard]] std::optional<Complexity> complexity_named(std::string_view name);

struct DataParallelTask {
  std::int64_t operations = 0;
  std::int64_t bytes = 0;
};

/// `mixed` draws one of the other three first.
[[nodiscard]] DataParallelTask draw_task(Complexity complexity, Random& random);

}  // namespace takt
