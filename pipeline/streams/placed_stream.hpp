#pragma once
/// A pipeline that shares processors with others: its request, and its allotment in the timetable.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"
#include "pipeline/streams/processor_places.hpp"
#include "schedulers/streams/admission.hpp"

namespace takt::pipeline {

/// Returns the request of a pipeline with these costs (empty: only the rate matters) for admission: the rate
/// of its file with its margin. Throws ConfigError if it has no rate.
[[nodiscard]] schedulers::Stream stream_of(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                           std::string name);

/// An admitted stream, ready to run on its processors.
struct PlacedStream {
  std::string name;
  std::filesystem::path file;
  /// Processors of the machine, by rank.
  std::vector<std::size_t> processors;
  /// By rank: the stream's share of the processor's time, and its work per frame.
  std::vector<double> shares;
  std::vector<Time> work;
  /// As a schedule file for the pipeline's own ranks.
  std::string schedule;
  double required_hz = 0;
  /// The rate that its places in the timetable allow: the required rate with its margin, or more.
  double promised_hz = 0;
  /// From a frame's release to its end, by the timetable.
  Time latency{0};
};

[[nodiscard]] PlacedStream place(const schedulers::Stream& stream, const schedulers::StreamVerdict& verdict,
                                 const schedulers::CyclicTimetable& timetable,
                                 const std::filesystem::path& file);

/// Returns the command line with which this program runs a placed stream: its ranks on these places, the
/// schedule from a file, the report as JSON to another file, nothing on stdout.
[[nodiscard]] std::vector<std::string> words_of(const PlacedStream& stream, const ProcessorPlaces& places,
                                                const std::filesystem::path& schedule,
                                                const std::filesystem::path& report);

}  // namespace takt::pipeline
