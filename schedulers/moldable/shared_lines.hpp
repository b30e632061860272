#pragma once
/// The lines between clusters, which carry one redistribution at a time.
///
/// A planned redistribution ignores concurrent ones (logp/redistribution.hpp). A mapping improves if it knows
/// that all data between two clusters share one line where the machine names its backbone: here each
/// redistribution waits until the line is free, and occupies it for its bytes.

#include <vector>

#include "schedulers/moldable/group_timeline.hpp"

namespace takt::schedulers {

class SharedLines {
 public:
  SharedLines(const logp::Machine& machine, const Clusters& clusters);

  /// Returns the arrival of an edge's data, made at `made`, at another group: at least `alone` later, the
  /// time without contention. A group that already has the data does not wait.
  [[nodiscard]] Time arrival(const Edge& edge, std::size_t from, Time made, Time alone, std::size_t to) const;
  /// Reserves the line.
  void reserve(const Edge& edge, std::size_t from, Time made, std::size_t to);

 private:
  [[nodiscard]] const logp::LinkCosts& costs(std::size_t from, std::size_t to) const;
  [[nodiscard]] std::size_t line(std::size_t from, std::size_t to) const {
    return from * clusters_.count() + to;
  }

  const logp::Machine& machine_;
  const Clusters& clusters_;
  std::vector<Time> free_;
};

}  // namespace takt::schedulers
