#pragma once
/// The sources that a pipeline can name.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/parameters.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// A kind of source: its name, what a user may write about it, and how to make one.
struct SourceKind {
  std::string_view name;
  /// One line for people.
  std::string_view summary;
  std::vector<ParameterSpec> parameters;
  /// It receives what others send, beside the thread that polls it, and cannot be tried out before the run.
  bool is_live = false;
  /// `index` is the number of the source in the pipeline, for the frames' headers. Opens nothing.
  /// Throws ConfigError at the parameters' place.
  std::unique_ptr<sensors::Source> (*make)(const Parameters& parameters, std::uint32_t index);
  /// How many times as fast as its stream it gives frames; 0: as fast as they are taken.
  double (*pace)(const Parameters& parameters) = [](const Parameters&) { return 1.0; };

  /// Parameters, and the values with which it gives frames of this type at this rate for as long as it can; a
  /// rate of 0: as fast as they are taken. None where others decide that.
  using Values = std::vector<std::pair<std::string, std::string>>;
  Values (*at_rate)(double hertz, const sensors::FrameType& type) = [](double, const sensors::FrameType&) {
    return Values{};
  };
  /// The arguments of `takt send` for a sender of what it receives; none where there is no such sender.
  std::vector<std::string> (*sender)(const Parameters& parameters) = [](const Parameters&) {
    return std::vector<std::string>{};
  };
};

/// The one table of sources.
[[nodiscard]] const std::vector<SourceKind>& all_sources();

/// Null when there is none of that name.
[[nodiscard]] const SourceKind* find_source(std::string_view name);

}  // namespace takt::pipeline
