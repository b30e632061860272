#include "logp/flights.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace takt::logp {

namespace {

bool in_flight(const Flight& flight, Time at) {
  return flight.enter <= at && at < flight.leave;
}

/// Largest whole k with k * period <= time.
Time::rep turns_down(Time time, Time period) {
  return time / period - (time % period < Time{0} ? 1 : 0);
}

Time on_circle(Time time, Time period) {
  return time - turns_down(time, period) * period;
}

}  // namespace

void Flights::add(const Flight& flight) {
  if (flight.leave <= flight.enter) return;
  by_enter_.emplace(flight.enter, flight);
  longest_ = std::max(longest_, flight.leave - flight.enter);
  smallest_capacity_ = std::min(smallest_capacity_, flight.capacity);
}

void Flights::remove(const Flight& flight) {
  auto [first, last] = by_enter_.equal_range(flight.enter);
  const auto found = std::find_if(first, last, [&](const auto& entry) {
    return entry.second.leave == flight.leave && entry.second.capacity == flight.capacity;
  });
  if (found != last) by_enter_.erase(found);
}

std::optional<Time> Flights::conflict(const Flight& flight) const {
  if (flight.leave <= flight.enter) return std::nullopt;
  if (std::min(smallest_capacity_, flight.capacity) == Flight::unlimited) return std::nullopt;
  std::vector<Flight> near;
  const auto last = by_enter_.lower_bound(flight.leave);
  for (auto it = by_enter_.upper_bound(flight.enter - longest_); it != last; ++it)
    if (it->second.leave > flight.enter) near.push_back(it->second);
  if (static_cast<std::int64_t>(near.size()) < std::min(smallest_capacity_, flight.capacity))
    return std::nullopt;

  // The number in flight only grows where one enters.
  for (std::size_t i = 0; i <= near.size(); ++i) {
    const Time instant = i == 0 ? flight.enter : std::max(flight.enter, near[i - 1].enter);
    std::int64_t count = 1, capacity = flight.capacity;
    Time first_leave = Time::max();
    for (const Flight& other : near)
      if (in_flight(other, instant)) {
        ++count;
        capacity = std::min(capacity, other.capacity);
        first_leave = std::min(first_leave, other.leave);
      }
    if (count > capacity) return first_leave;
  }
  return std::nullopt;
}

std::optional<Time> Flights::crowded_instant(Time period) const {
  // Fold the flights onto one circle of the period: whole turns are always in flight, the rest of each one is
  // an arc.
  struct Event {
    Time at;
    bool enters;
    std::int64_t capacity;
  };
  std::vector<Event> events;
  std::multiset<std::int64_t> in_flight;
  for (const auto& [enter, flight] : by_enter_) {
    const Time length = flight.leave - flight.enter;
    const Time::rep turns = (length - Time{1}) / period;
    for (Time::rep turn = 0; turn < turns; ++turn) in_flight.insert(flight.capacity);
    const Time from = on_circle(enter, period), to = on_circle(flight.leave - turns * period, period);
    events.push_back({from, true, flight.capacity});
    events.push_back({to, false, flight.capacity});
    if (to <= from) in_flight.insert(flight.capacity);
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::pair(a.at, a.enters) < std::pair(b.at, b.enters);
  });
  for (const Event& event : events) {
    if (!event.enters)
      in_flight.erase(in_flight.find(event.capacity));
    else
      in_flight.insert(event.capacity);
    if (event.enters && static_cast<std::int64_t>(in_flight.size()) > *in_flight.begin()) return event.at;
  }
  return std::nullopt;
}

Time Flights::repeatable_period(Time period) const {
  if (smallest_capacity_ == Flight::unlimited || by_enter_.empty() || period <= Time{0}) return period;
  while (by_enter_.rbegin()->first + longest_ - by_enter_.begin()->first > period) {
    const std::optional<Time> instant = crowded_instant(period);
    if (!instant) break;
    // The copies in flight at that instant, each shifted by a whole number of turns. Longer periods pull
    // copies of different repetitions apart; until the first two of them part, they all still have an instant
    // in common.
    struct Copy {
      Flight flight;
      Time::rep turn;
    };
    std::vector<Copy> copies;
    for (const auto& [enter, flight] : by_enter_)
      for (Time::rep turn = turns_down(*instant - enter, period); *instant < flight.leave + turn * period;
           --turn)
        copies.push_back({flight, turn});
    Time next = Time::max();
    for (const Copy& a : copies)
      for (const Copy& b : copies)
        if (a.turn < b.turn) {
          const Time overlap = a.flight.leave - b.flight.enter;
          next = std::min(next, Time(-turns_down(-overlap, Time(b.turn - a.turn))));
        }
    period = next;
  }
  return period;
}

}  // namespace takt::logp
