#pragma once
/// The lines between clusters, which carry one redistribution after the other.
///
/// A planned redistribution does not know of others at the same time (logp/redistribution.hpp). Who decides
/// where tasks go does better to know that all data between two clusters share one line, where the machine
/// names its backbone: here each redistribution waits until the line is free, and holds it for its bytes.

#include <vector>

#include "schedulers/moldable/group_timeline.hpp"

namespace takt::schedulers {

class SharedLines {
 public:
  SharedLines(const logp::Machine& machine, const Clusters& clusters);

  /// When the data of an edge between two groups are there that are made at `made`: no sooner than by
  /// themselves, `alone` after. A group that has them already waits for nobody.
  [[nodiscard]] Time arrival(const Edge& edge, std::size_t from, Time made, Time alone, std::size_t to) const;
  /// Holds the line.
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
