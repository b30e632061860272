#include "logp/flights.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace takt::logp {

namespace {

/// Returns the largest integer k with k * repetition <= time.
Time::rep turns_down(Time time, Time repetition) {
  return time / repetition - (time % repetition < Time{0} ? 1 : 0);
}

Time on_circle(Time time, Time repetition) {
  return time - turns_down(time, repetition) * repetition;
}

/// Number of flights, and the smallest of their capacities.
class Census {
 public:
  void add(std::int64_t capacity, std::int64_t number) {
    count_ += number;
    const auto entry = of_capacity_.try_emplace(capacity, 0).first;
    if ((entry->second += number) == 0) of_capacity_.erase(entry);
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t capacity() const {
    return of_capacity_.empty() ? Flight::unlimited : of_capacity_.begin()->first;
  }

 private:
  std::int64_t count_ = 0;
  std::map<std::int64_t, std::int64_t> of_capacity_;
};

}  // namespace

void Flights::add(const Flight& flight) {
  if (flight.leave <= flight.enter) return;
  flights_.insert(flight);
  longest_ = std::max(longest_, flight.leave - flight.enter);
  smallest_capacity_ = std::min(smallest_capacity_, flight.capacity);
}

void Flights::remove(const Flight& flight) {
  flights_.erase(flight);
}

std::optional<Time> Flights::conflict(const Flight& flight) const {
  if (flight.leave <= flight.enter) return std::nullopt;
  const FlightList::Place first = flights_.first_after(flight.enter - longest_);
  const FlightList::Place last = flights_.first_from(flight.leave);
  if (FlightList::count(first, last) < std::min(smallest_capacity_, flight.capacity)) return std::nullopt;

  // The number in flight only grows when a flight enters.
  Census census;
  census.add(flight.capacity, 1);
  using Leaving = std::pair<Time, std::int64_t>;
  std::priority_queue<Leaving, std::vector<Leaving>, std::greater<>> leaving;
  for (FlightList::Place other = first; other != last; ++other) {
    if (other->leave <= flight.enter) continue;
    for (; !leaving.empty() && leaving.top().first <= other->enter; leaving.pop())
      census.add(leaving.top().second, -1);
    census.add(other->capacity, 1);
    leaving.emplace(other->leave, other->capacity);
    if (census.count() > census.capacity()) return leaving.top().first;
  }
  return std::nullopt;
}

std::optional<Time> Flights::find_excess(Time repetition) const {
  // Folds the flights modulo the period: whole periods are always in flight, the rest of each flight is an
  // arc.
  struct Event {
    Time at;
    bool enters;
    std::int64_t capacity;
  };
  std::vector<Event> events;
  events.reserve(2 * flights_.size());
  Census census;
  for (const auto& [enter, leave, capacity] : flights_) {
    const Time::rep turns = (leave - enter - Time{1}) / repetition;
    if (turns > 0) census.add(capacity, turns);
    const Time from = on_circle(enter, repetition), to = on_circle(leave, repetition);
    events.push_back({from, true, capacity});
    events.push_back({to, false, capacity});
    if (to <= from) census.add(capacity, 1);
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::pair(a.at, a.enters) < std::pair(b.at, b.enters);
  });
  for (const Event& event : events) {
    census.add(event.capacity, event.enters ? 1 : -1);
    if (event.enters && census.count() > census.capacity()) return event.at;
  }
  return std::nullopt;
}

Time Flights::next_repetition(Time repetition, Time instant) const {
  std::vector<const Flight*> in_excess;
  Time in_flight{0};
  std::int64_t largest_capacity = 0;
  for (const Flight& flight : flights_) {
    in_flight += flight.leave - flight.enter;
    largest_capacity = std::max(largest_capacity, flight.capacity);
    if (instant < flight.leave + turns_down(instant - flight.enter, repetition) * repetition)
      in_excess.push_back(&flight);
  }
  // Also on average no more than the capacity may be in flight.
  const Time next = std::max(repetition + Time{1}, -turns_down(-in_flight, Time(largest_capacity)) * Time{1});

  // Longer periods separate copies of different iterations; until the first two of these separate, they all
  // have an instant in common. Of two flights, the copies with the most iterations between them separate
  // first.
  constexpr std::size_t most_pairs = 1'000'000;
  if (in_excess.size() * in_excess.size() > most_pairs) return next;
  Time parted = Time::max();
  for (const Flight* a : in_excess)
    for (const Flight* b : in_excess) {
      const Time overlap = a->leave - b->enter;
      const Time::rep turns = -turns_down(-overlap, repetition) - 1;
      if (turns >= 1) parted = std::min(parted, Time(-turns_down(-overlap, Time(turns))));
    }
  return parted == Time::max() ? next : std::max(next, parted);
}

Time Flights::least_repetition(Time repetition) const {
  if (smallest_capacity_ == Flight::unlimited || flights_.empty() || repetition <= Time{0}) return repetition;
  while (flights_.back().enter + longest_ - flights_.front().enter > repetition) {
    const std::optional<Time> instant = find_excess(repetition);
    if (!instant) break;
    repetition = next_repetition(repetition, *instant);
  }
  return repetition;
}

}  // namespace takt::logp
