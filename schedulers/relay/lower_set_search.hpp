#pragma once
/// Exact search for relay chains over the lower sets of a graph.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "schedulers/relay/stages.hpp"
#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

enum class Verdict : std::uint8_t { yes, no, unknown };

struct LowerSetAnswer {
  Verdict verdict = Verdict::unknown;
  /// A relay chain within the period, if the verdict is yes.
  std::optional<Stages> stages;
  /// Number of examined lower sets; higher if each is reached in many ways.
  std::size_t lower_sets = 0;
};

/// Returns the number of lower sets that a query may examine within some hundred megabytes.
[[nodiscard]] std::uint64_t most_lower_sets(const Workload& workload);

/// Decides whether any relay chain has at most this period.
///
/// The items of the first stages of a relay chain are a lower set (with an item also all of its ancestors).
/// The possible rest of the chain depends only on that set, on the remaining processors and on the busy time
/// of the current stage. So the search goes from lower set to lower set, one item larger each time, and keeps
/// for each only the non-dominated pairs (used processors, time of the stage); it drops those whose remaining
/// work does not fit the remaining processors. This is the dynamic programming of assembly line balancing
/// (Held, Karp and Shareshian, 1963) with the costs of receive and send at each boundary, and with processors
/// of several kinds.
///
/// Every order of the processors is tried, up to exchanges of equivalent ones (processor_kinds.hpp); each
/// stage has an item. One instance only. Gives up (unknown) after `most_lower_sets`, or some thousand ways to
/// reach each of them, and immediately on processors of too many kinds.
[[nodiscard]] LowerSetAnswer find_relay_chain(const Workload& workload, Time period,
                                              std::size_t most_lower_sets);

}  // namespace takt::schedulers
