#pragma once
/// Finds streams that exceed their measured costs, and streams that wait for a processor.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace takt::pipeline {

/// Use of one processor by one stream.
struct ProcessorUse {
  std::size_t processor = 0;
  /// Host of the processor.
  std::string host = {};
  /// Shares of its time: allotted by the timetable, used by the stream, and spent ready to run while other
  /// streams had it.
  double given = 0, used = 0, delayed = 0;
  /// Processor time per frame: planned, and used.
  Time planned{0}, taken{0};

  /// Returns true if frames took longer than planned, by more than costs vary, and by at least 2 % of the
  /// processor.
  [[nodiscard]] bool is_over() const;
};

/// Use of all processors by a stream that has ended or is running.
struct StreamUse {
  std::string name;
  /// True if it sustained its rate; nothing if unknown.
  std::optional<bool> held;
  std::vector<ProcessorUse> processors;
};

/// Delay of one stream by another one, or by an unknown process, on a processor.
struct Disturbance {
  std::size_t processor = 0;
  /// Empty: none of the streams exceeded its costs.
  std::string by;
  std::string of;
  std::string text;
};

/// Returns, for every stream that missed its rate, the processors for which it waited more than 2 % of the
/// time while ready. The cause is a stream that exceeded its measured costs there, possibly itself.
/// `slower_than_costs` reports streams that exceeded their costs without delaying others.
[[nodiscard]] std::vector<Disturbance> find_disturbances(const std::vector<StreamUse>& streams);
[[nodiscard]] std::vector<std::string> slower_than_costs(const std::vector<StreamUse>& streams);

}  // namespace takt::pipeline
