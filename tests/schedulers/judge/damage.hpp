#pragma once
/// Damaged schedules: shared parts of the mutation tests.

#include <functional>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"

namespace takt::schedulers {

/// A schedule to damage. The finders choose at random, and return nothing if there is no candidate.
struct Patient {
  const TaskGraph& graph;
  const logp::Machine& machine;
  Schedule schedule;
  std::mt19937_64& random;

  struct Place {
    std::size_t processor;
    std::size_t index;
  };

  [[nodiscard]] std::vector<Operation>& list(const Place& place) {
    return schedule.processors[place.processor];
  }
  [[nodiscard]] Operation& at(const Place& place) { return list(place)[place.index]; }
  [[nodiscard]] Message& message(const Place& place) { return schedule.messages[at(place).subject]; }
  void erase(const Place& place) {
    list(place).erase(list(place).begin() + static_cast<std::ptrdiff_t>(place.index));
  }

  [[nodiscard]] std::optional<Place> find(const std::function<bool(const Place&)>& wanted) {
    std::vector<Place> found;
    for (std::size_t p = 0; p < schedule.processors.size(); ++p)
      for (std::size_t i = 0; i < schedule.processors[p].size(); ++i)
        if (wanted({p, i})) found.push_back({p, i});
    if (found.empty()) return std::nullopt;
    return found[random() % found.size()];
  }
  [[nodiscard]] std::optional<Place> find(OperationKind kind) {
    return find([&](const Place& place) { return at(place).kind == kind; });
  }
  [[nodiscard]] Place other_end(const Place& place) {
    const Operation& one = at(place);
    const OperationKind kind = one.kind == OperationKind::send ? OperationKind::receive : OperationKind::send;
    return *find(
        [&](const Place& other) { return at(other).kind == kind && at(other).subject == one.subject; });
  }
  /// Returns the previous operation of the same kind on the processor.
  [[nodiscard]] std::optional<Place> before(const Place& place) {
    for (std::size_t i = place.index; i-- > 0;)
      if (list(place)[i].kind == at(place).kind) return Place{place.processor, i};
    return std::nullopt;
  }
  [[nodiscard]] Time arrival(const Place& send) {
    const Message& m = message(send);
    return at(send).end + machine.latency(m.from, m.to, m.size);
  }
};

inline void shift(Operation& operation, Time by) {
  operation.start += by;
  operation.end += by;
}

inline constexpr auto compute = OperationKind::compute;
inline constexpr auto send = OperationKind::send;
inline constexpr auto receive = OperationKind::receive;
inline constexpr Time tick{1};

/// One kind of damage; returns false if the schedule has no place for it.
struct Damage {
  std::string_view name;
  bool (*inflict)(Patient&);
};

/// Applies an action to a place, if there is one.
template <class Action>
bool on(const std::optional<Patient::Place>& place, Action action) {
  if (place) action(*place);
  return place.has_value();
}

}  // namespace takt::schedulers
