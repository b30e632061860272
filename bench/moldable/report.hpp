#pragma once
/// Writes docs/reproduction/moldable.md and its pictures.

#include <string>
#include <vector>

#include "bench/moldable/study.hpp"

namespace takt::bench {

/// Processor time of MCGAS and HCPA, and planned makespans, in seconds.
struct TimedRow {
  std::string graphs, machine;
  std::size_t tasks = 0;
  double sequential = 0;
  double mcgas_seconds = 0, mcgas_makespan = 0, hcpa_seconds = 0, hcpa_makespan = 0;
  /// MCGAS with 20 allowed numbers of processors.
  double few_seconds = 0, few_makespan = 0;
};

struct Study {
  std::vector<StudyGraph> synthetic;
  std::vector<StudyResult> results, strassen, fft;
  std::vector<double> mus;
  std::vector<std::size_t> bounds;
  std::vector<std::vector<double>> sweep;
  std::vector<TimedRow> times;
};

/// Writes the page and its pictures to a directory. Throws WorkError.
void report(const Study& study, const std::string& directory);

}  // namespace takt::bench
