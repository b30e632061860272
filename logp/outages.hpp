#pragma once
/// Temporary outages of processors:
/// a host that hangs, is stopped, or is restarted with its previous state.

#include <cstddef>
#include <span>
#include <vector>

#include "core/ids.hpp"
#include "core/units.hpp"

namespace takt::logp {

/// From `begin` to `end` a processor pauses; its current work continues afterwards.
struct Outage {
  ProcessorId processor;
  Time begin{0};
  Time end{0};
};

class Outages {
 public:
  /// Outages of one processor may overlap. Throws ConfigError if one is not of these processors, begins
  /// before 0, or does not end after its begin.
  Outages(std::span<const Outage> outages, std::size_t processors);

  [[nodiscard]] bool empty() const { return by_processor_.empty(); }

  struct Work {
    Time start{0};
    Time end{0};
  };
  /// Returns start and end of work of this length that could start at `start`. O(log n + outages during the
  /// work).
  [[nodiscard]] Work work(std::size_t processor, Time start, Time length) const;

 private:
  struct Span {
    Time begin{0};
    Time end{0};
  };
  /// In ascending order, without overlap; empty without outages.
  std::vector<std::vector<Span>> by_processor_;
};

}  // namespace takt::logp
