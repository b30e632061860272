#pragma once
/// Processors that stop for a while and go on: a host that hangs, is stopped, or is started again with what
/// it had.

#include <cstddef>
#include <span>
#include <vector>

#include "core/ids.hpp"
#include "core/units.hpp"

namespace takt::logp {

/// From `begin` to `end` a processor does nothing; what it was doing goes on afterwards.
struct Outage {
  ProcessorId processor;
  Time begin{0};
  Time end{0};
};

class Outages {
 public:
  /// Of one processor, outages may overlap. Throws ConfigError when one is not of these processors, begins
  /// before 0, or does not end after it began.
  Outages(std::span<const Outage> outages, std::size_t processors);

  [[nodiscard]] bool empty() const { return by_processor_.empty(); }

  struct Work {
    Time start{0};
    Time end{0};
  };
  /// When work of this length that could start at `start` does, and when it ends. O(log n + outages that fall
  /// into it).
  [[nodiscard]] Work work(std::size_t processor, Time start, Time length) const;

 private:
  struct Span {
    Time begin{0};
    Time end{0};
  };
  /// In ascending order, apart from each other; empty where there are none at all.
  std::vector<std::vector<Span>> by_processor_;
};

}  // namespace takt::logp
