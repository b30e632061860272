#pragma once
/// Who used more of a processor than its measured costs say, and who waited for it.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// What one stream did on one processor.
struct ProcessorUse {
  std::size_t processor = 0;
  /// Where it is.
  std::string host = {};
  /// The part of its time that the timetable gives, that the stream used, and in which it was ready and
  /// another had it.
  double given = 0, used = 0, delayed = 0;
  /// Processor time for a frame: planned, and used.
  Time planned{0}, taken{0};

  /// Whether frames took longer than planned, by more than costs vary, and that is 2 % of the processor at
  /// least.
  [[nodiscard]] bool is_over() const;
};

/// What there is to know of a stream when it has ended, or goes on.
struct StreamUse {
  std::string name;
  /// Whether it sustained its rate; nothing where that is not known.
  std::optional<bool> held;
  std::vector<ProcessorUse> processors;
};

/// One stream that another one, or somebody unknown, kept from a processor.
struct Disturbance {
  std::size_t processor = 0;
  /// Empty: nobody of these was over its costs.
  std::string by;
  std::string of;
  std::string text;
};

/// For every stream that did not hold its rate, the processors for which it was ready and waited for more
/// than a fiftieth of the time; who was over its measured costs there is to blame, and itself where it was. A
/// stream over its costs that nobody suffered from is told by `over_costs`.
[[nodiscard]] std::vector<Disturbance> find_disturbances(const std::vector<StreamUse>& streams);
[[nodiscard]] std::vector<std::string> over_costs(const std::vector<StreamUse>& streams);

}  // namespace takt::pipeline
