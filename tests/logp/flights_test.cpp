/// Does the capacity allow exactly what counting at every tick allows?

#include "logp/flights.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::logp {
namespace {

Flight random_flight(Random& random, bool mixed) {
  const Time enter(random.between(0, 30));
  return {enter, enter + Time(random.between(0, 12)), mixed ? random.between(1, 4) : 2};
}

/// Whether more messages are in flight at a tick than the smallest capacity among them.
bool exceeds_capacity(const std::vector<Flight>& flights, Time tick, std::optional<Time> period) {
  std::int64_t count = 0, capacity = Flight::unlimited;
  for (const Flight& flight : flights) {
    // Enough copies in both directions: all events are between 0 and 42.
    const Time::rep turns = period ? 100 / period->count() + 2 : 0;
    for (Time::rep turn = -turns; turn <= turns; ++turn) {
      const Time shift = period ? turn * *period : Time{0};
      if (flight.enter + shift <= tick && tick < flight.leave + shift) {
        ++count;
        capacity = std::min(capacity, flight.capacity);
      }
    }
  }
  return count > capacity;
}

bool exceeds_capacity(const std::vector<Flight>& flights, std::optional<Time> period = std::nullopt) {
  for (Time tick{0}; tick <= Time{60}; ++tick)
    if (exceeds_capacity(flights, tick, period)) return true;
  return false;
}

/// Compared with one sorted vector, with enough flights for many blocks, and many equal times.
TEST(FlightList, is_a_sorted_sequence_under_any_insertions_and_removals) {
  Random random(3);
  FlightList list;
  std::vector<Flight> expected;
  const auto expect_same = [&] {
    ASSERT_EQ(list.size(), expected.size());
    auto place = list.begin();
    for (const Flight& flight : expected) {
      ASSERT_EQ(*place, flight);
      ++place;
    }
    ASSERT_EQ(place, list.end());
  };
  for (int i = 0; i < 12'000; ++i) {
    const bool comes = expected.empty() || random.below(3) > 0;
    if (comes) {
      // Initially in order, as most flights are.
      const Time enter(i < 3'000 ? i : random.between(0, 4'000));
      const Flight flight{enter, enter + Time(1), i};
      expected.insert(std::ranges::upper_bound(expected, enter, {}, &Flight::enter), flight);
      list.insert(flight);
    } else {
      const auto gone = expected.begin() + static_cast<std::ptrdiff_t>(random.below(expected.size()));
      list.erase(*gone);
      expected.erase(gone);
    }
    if (i % 2'000 == 0) expect_same();
    const Time time(random.between(-5, 4'005));
    const auto from = std::ranges::lower_bound(expected, time, {}, &Flight::enter) - expected.begin();
    const auto after = std::ranges::upper_bound(expected, time, {}, &Flight::enter) - expected.begin();
    ASSERT_EQ(FlightList::count(list.begin(), list.first_from(time)), from);
    ASSERT_EQ(FlightList::count(list.first_from(time), list.first_after(time)), after - from);
  }
  expect_same();
  while (!expected.empty()) {
    list.erase(expected.back());
    expected.pop_back();
  }
  EXPECT_TRUE(list.empty());
}

TEST(Flights, conflict_where_counting_finds_too_many) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const bool mixed = seed % 2 == 0;
    Flights flights;
    std::vector<Flight> all;
    for (int i = 0; i < 25; ++i) {
      const Flight flight = random_flight(random, mixed);
      std::vector<Flight> with = all;
      with.push_back(flight);
      const std::optional<Time> later = flights.conflict(flight);
      ASSERT_EQ(later.has_value(), exceeds_capacity(with)) << "seed " << seed;
      if (later) {
        // No time before the returned one is feasible.
        for (Time enter = flight.enter; enter < *later; ++enter) {
          with.back().enter = enter;
          with.back().leave = enter + (flight.leave - flight.enter);
          ASSERT_TRUE(exceeds_capacity(with)) << "seed " << seed;
        }
        continue;
      }
      flights.add(flight);
      all = with;
      if (random.below(4) == 0) {
        const std::size_t gone = random.below(all.size());
        flights.remove(all[gone]);
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(gone));
      }
    }
  }
}

TEST(Flights, repeat_with_the_least_period_that_counting_allows) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Random random(seed);
    const bool mixed = seed % 2 == 0;
    Flights flights;
    std::vector<Flight> all;
    for (int i = 0; i < 8; ++i) {
      const Flight flight = random_flight(random, mixed);
      if (flights.conflict(flight)) continue;
      flights.add(flight);
      all.push_back(flight);
    }
    Time least(random.between(1, 10));
    const Time period = flights.least_repetition(least);
    while (exceeds_capacity(all, least)) ++least;
    ASSERT_EQ(period, least) << "seed " << seed;
  }
}

TEST(Flights, of_millions_of_periods_are_counted_and_not_listed) {
  Flights flights;
  const Time latency{1'000'000'000};
  flights.add({Time{0}, latency, 1'000'000});
  // A million in flight: one every 1000.
  EXPECT_EQ(flights.least_repetition(Time{3}), Time{1000});
  EXPECT_EQ(flights.least_repetition(Time{1001}), Time{1001});
}

}  // namespace
}  // namespace takt::logp
