#pragma once
/// Shows traces of SCHEDULE programs as a page and as text.

#include <span>
#include <string>
#include <vector>

#include "core/pictures/page.hpp"
#include "pipeline/pages/unit_trace.hpp"

namespace takt::pipeline {

struct NamedUnitTraces {
  std::string name;
  /// One for each sched of the program.
  std::vector<UnitTrace> traces;

  /// With the number of its sched where there are several.
  [[nodiscard]] std::string name_of(std::size_t trace) const;
};

/// A page that replays the traces of all files, one at a time; those of several sched have numbers.
[[nodiscard]] Page unit_trace_page(const std::string& title, std::span<const NamedUnitTraces> files);

/// For each trace: a row for each event with the states of the units after it (. absent, c clear, w waiting
/// parent, l lined, h hashed, b black; none for more than 100 units), the critical path by time and by units,
/// the number of events by active processors, and what is not complete.
[[nodiscard]] std::string unit_traces_to_text(std::span<const NamedUnitTraces> files);

}  // namespace takt::pipeline
