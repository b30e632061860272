#include "sensors/spead/heap_times.hpp"

#include <algorithm>
#include <utility>

namespace takt::sensors {

namespace {

/// Number of heaps after which a phase is accepted.
constexpr std::uint64_t heaps_to_believe = 8;

}  // namespace

std::optional<std::uint64_t> HeapTimes::heap_of(std::uint64_t counter, std::optional<std::uint64_t> time) {
  Told& told = recent_[counter % heaps_in_mind];
  if (!time) {
    if (told.counter == counter) return told.heap;
    return ahead_ ? std::optional(counter + *ahead_) : std::nullopt;
  }
  const std::optional<std::uint64_t> base = base_of(*time % step_);
  if (!base) return {};
  const std::uint64_t heap = *base + *time / step_, ahead = heap - counter;
  // Of two contradictory definitions, the one consistent with the previous heaps is right.
  if (told.counter != counter || told.heap == heap || !ahead_ || told.heap - counter != *ahead_)
    told = {counter, heap};
  if (!ahead_ || ahead == candidate_) ahead_ = ahead;
  candidate_ = ahead;
  return heap;
}

std::optional<std::uint64_t> HeapTimes::base_of(std::uint64_t beyond) {
  const bool is_first = times_++ == 0;
  auto phase = std::ranges::find_if(
      phases_, [&](const Phase& known) { return known.heard > 0 && known.beyond == beyond; });
  if (phase == phases_.end()) {
    phase = std::ranges::min_element(phases_, {}, [](const Phase& known) {
      return std::pair(known.heard >= heaps_to_believe, known.used);
    });
    *phase = {.beyond = beyond, .heard = is_first ? heaps_to_believe : 0};
  }
  phase->used = times_;
  // Counters may have restarted with the times.
  if (phase->heard < heaps_to_believe && ++phase->heard == heaps_to_believe) {
    recent_.fill({});
    ahead_.reset();
  }
  if (phase->heard < heaps_to_believe) return {};
  return static_cast<std::uint64_t>(phase - phases_.begin()) * span_;
}

}  // namespace takt::sensors
