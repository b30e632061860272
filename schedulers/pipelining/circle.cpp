#include "schedulers/pipelining/circle.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>

namespace takt::schedulers {

void Circle::insert(Busy busy, std::vector<Busy>& all) {
  const auto place = [](const Busy& each) { return std::pair(each.start, each.length); };
  all.insert(std::ranges::upper_bound(all, place(busy), {}, place), busy);
}

Circle::Circle(Time repetition, std::vector<Time> lengths)
    : repetition_(repetition), rest_(std::move(lengths)) {
  std::erase(rest_, Time{0});
  std::ranges::sort(rest_, std::greater{});
}

std::optional<Time> Circle::find(Time ready, Time length, std::vector<Time> others,
                                 const Accept& accept) const {
  if (length > repetition_) return std::nullopt;
  std::vector<Time> starts{ready};
  propose(length, others);
  for (Time other : others) starts.push_back(ready + modulo(other - ready, repetition_));
  std::ranges::sort(starts);
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  for (Time start : starts)
    if (is_free(start, length) && accept(start) && rest_fits(start, length)) return start;
  return std::nullopt;
}

void Circle::propose(Time length, std::vector<Time>& starts) const {
  for (const Busy& busy : busy_) {
    starts.push_back(busy.start + busy.length);
    starts.push_back(busy.start - length);
  }
}

bool Circle::is_free(Time start, Time length) const {
  const Time at = modulo(start, repetition_);
  const auto [same, after] = std::ranges::equal_range(busy_, at, {}, &Busy::start);
  // Of equal starts, the last one is the longest. No reservation before it reaches further.
  if (same != after && length > Time{0} && std::prev(after)->length > Time{0}) return false;
  if (static_cast<std::size_t>(after - same) == busy_.size()) return true;
  const Busy& next = after == busy_.end() ? busy_.front() : *after;
  const Busy& previous = same == busy_.begin() ? busy_.back() : *std::prev(same);
  return modulo(next.start - at, repetition_) >= length &&
         modulo(at - previous.start, repetition_) >= previous.length;
}

bool Circle::rest_fits(Time start, Time length) const {
  if (rest_.empty()) return true;
  const Time at = modulo(start, repetition_);
  std::vector<Busy> busy = busy_;
  insert({at, length}, busy);
  std::vector<Time> gaps;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    const bool is_last = i + 1 == busy.size();
    const Time next = busy[is_last ? 0 : i + 1].start + (is_last ? repetition_ : Time{0});
    const Time gap = next - busy[i].start - busy[i].length;
    if (gap > Time{0}) gaps.push_back(gap);
  }
  std::vector<Time> rest = rest_;
  if (const auto own = std::ranges::find(rest, length); own != rest.end()) rest.erase(own);
  if (rest.empty()) return true;
  // Any order of placing wastes less than the longest rest in each gap.
  const Time free = std::accumulate(gaps.begin(), gaps.end(), Time{0}),
             needed = std::accumulate(rest.begin(), rest.end(), Time{0});
  if (needed > free) return false;
  if (free - needed >= static_cast<Time::rep>(gaps.size()) * (rest.front() - Time{1})) return true;
  // The longest first, each into the smallest gap that has room.
  std::ranges::sort(gaps);
  for (Time each : rest) {
    const auto found = std::ranges::lower_bound(gaps, each);
    if (found == gaps.end()) return false;
    const Time left = *found - each;
    gaps.erase(found);
    if (left > Time{0}) gaps.insert(std::ranges::upper_bound(gaps, left), left);
  }
  return true;
}

void Circle::reserve(Time start, Time length) {
  const Time at = modulo(start, repetition_);
  insert({at, length}, busy_);
  if (const auto own = std::ranges::find(rest_, length); own != rest_.end()) rest_.erase(own);
}

bool GapCircle::accepts(Time start, Time gap) const {
  if (gap > repetition_) return false;
  for (const Start& each : starts_) {
    const Time since = modulo(start - each.at, repetition_), until = modulo(each.at - start, repetition_);
    if (since < each.gap || until < gap) return false;
  }
  return true;
}

void GapCircle::propose(Time gap, std::vector<Time>& starts) const {
  for (const Start& each : starts_) {
    starts.push_back(each.at + each.gap);
    starts.push_back(each.at - gap);
  }
}

bool FlightCircle::is_within(Time instant, const std::vector<Arc>& arcs) const {
  std::int64_t count = 0, least = std::numeric_limits<std::int64_t>::max();
  for (const Arc& arc : arcs) {
    const Time left = arc.length - modulo(instant - arc.enter, repetition_);
    if (left <= Time{0}) continue;
    count += (left + repetition_ - Time{1}) / repetition_;
    least = std::min(least, arc.capacity);
  }
  return count <= least;
}

bool FlightCircle::accepts(Time enter, Time length, std::int64_t capacity) const {
  if (length <= Time{0}) return true;
  std::vector<Arc> arcs = arcs_;
  arcs.push_back({enter, length, capacity});
  // The number in flight only grows when a flight enters.
  return std::ranges::all_of(arcs, [&](const Arc& arc) { return is_within(arc.enter, arcs); });
}

void FlightCircle::propose(Time length, std::vector<Time>& enters) const {
  for (const Arc& arc : arcs_) {
    enters.push_back(arc.enter + arc.length);
    enters.push_back(arc.enter - length);
  }
}

void FlightCircle::reserve(Time enter, Time length, std::int64_t capacity) {
  if (length > Time{0}) arcs_.push_back({enter, length, capacity});
}

}  // namespace takt::schedulers
