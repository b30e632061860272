#pragma once
/// A pipeline that shares processors with others: what it asks for, and what a timetable gives it.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/config/pipeline.hpp"
#include "pipeline/costs/stage_cost.hpp"
#include "pipeline/streams/processor_places.hpp"
#include "schedulers/streams/admission.hpp"

namespace takt::pipeline {

/// What a pipeline, whose tasks have these costs (none, to look at the rate alone), is to admission: the rate
/// of its file with its margin. Throws ConfigError where it has no rate.
[[nodiscard]] schedulers::Stream stream_of(const Pipeline& pipeline, const std::vector<StageCost>& costs,
                                           std::string name);

/// An admitted stream, ready to be run by itself on the processors that it was given.
struct PlacedStream {
  std::string name;
  std::filesystem::path file;
  /// Of the machine, by rank.
  std::vector<std::size_t> processors;
  /// By rank: the part of the processor's time that is the stream's, and its work for a frame.
  std::vector<double> shares;
  std::vector<Time> work;
  /// As a schedule file of the pipeline's own ranks.
  std::string schedule;
  double required_hz = 0;
  /// What its places in the timetable allow: the required rate with its margin, or more.
  double promised_hz = 0;
  /// From a frame's release to its end, in the timetable.
  Time latency{0};
};

[[nodiscard]] PlacedStream place(const schedulers::Stream& stream, const schedulers::StreamVerdict& verdict,
                                 const schedulers::CyclicTimetable& timetable,
                                 const std::filesystem::path& file);

/// The command line with which this program runs a placed stream: its ranks on these places, the schedule
/// from a file, the report in JSON to another, nothing on stdout.
[[nodiscard]] std::vector<std::string> words_of(const PlacedStream& stream, const ProcessorPlaces& places,
                                                const std::filesystem::path& schedule,
                                                const std::filesystem::path& report);

}  // namespace takt::pipeline
