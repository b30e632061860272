#include "sensors/spead/heap_times.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t times_to_begin_anew = 8;

}  // namespace

std::optional<std::uint64_t> HeapTimes::heap_of(std::uint64_t counter, std::optional<std::uint64_t> time) {
  Told& told = told_[counter % heaps_in_mind];
  if (!time) {
    if (told.counter == counter) return told.heap;
    return ahead_ ? std::optional(counter + *ahead_) : std::nullopt;
  }
  if (!is_of_stream(*time % step_)) return {};
  const std::uint64_t heap = base() + *time / step_, ahead = heap - counter;
  // Of two that contradict one another that is right which is as the heaps before were.
  if (told.counter != counter || told.heap == heap || !ahead_ || told.heap - counter != *ahead_)
    told = {counter, heap};
  if (!ahead_ || ahead == candidate_) ahead_ = ahead;
  candidate_ = ahead;
  return heap;
}

bool HeapTimes::is_of_stream(std::uint64_t beyond) {
  if (beginnings_ > 0 && beyond == beyond_[(beginnings_ - 1) % beyond_.size()]) {
    in_a_row_ = 0;
    return true;
  }
  in_a_row_ = beyond == other_ ? in_a_row_ + 1 : 1;
  other_ = beyond;
  if (beginnings_ > 0 && in_a_row_ < times_to_begin_anew) return false;
  beyond_[beginnings_++ % beyond_.size()] = beyond;
  in_a_row_ = 0;
  told_.fill({});
  ahead_.reset();
  return true;
}

}  // namespace takt::sensors
