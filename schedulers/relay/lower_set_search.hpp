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
  /// A relay chain that holds the period, if the verdict is yes.
  std::optional<Stages> stages;
  /// How many lower sets were looked at; more than there are where each has many ways to it.
  std::size_t lower_sets = 0;
};

/// Lower sets that one question may look at within some hundred megabytes.
[[nodiscard]] std::uint64_t most_lower_sets(const Workload& workload);

/// Whether any relay chain has at most this period.
///
/// The items of the first stages of a relay chain are a lower set (with an item also everything that it
/// depends on), and what the rest of the chain can do depends on that set alone, on the processors that are
/// left and on how long the stage at hand is busy already. So the search goes from lower set to lower set,
/// one item larger each time, and keeps for each only those of (processors used, time of the stage) that no
/// other one beats; it drops those whose rest of the work does not fit the rest of the processors. This is
/// the dynamic programming of assembly line balancing (Held, Karp and Shareshian, 1963) with the costs of
/// receive and send at each boundary, and with processors of several kinds.
///
/// Every order of the processors is tried, up to exchanges of those that stand for each other
/// (processor_kinds.hpp); each stage has an item. One instance only. Gives up (unknown) after looking at
/// `most_lower_sets`, or some thousand ways to each of them, and at once on processors of too many kinds.
[[nodiscard]] LowerSetAnswer find_relay_chain(const Workload& workload, Time period,
                                              std::size_t most_lower_sets);

}  // namespace takt::schedulers
