#pragma once
/// Defines the kinds of sources and sinks, the stages at the ends of a pipeline.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/parameters.hpp"
#include "sensors/sink.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Parameters and values, as written in a pipeline file.
using ParameterValues = std::vector<std::pair<std::string, std::string>>;

/// Addresses of a source and of its emulated sender: each is the host name or address at which the other one
/// reaches it.
struct SenderPlace {
  std::string of_source = "127.0.0.1", of_sender = "127.0.0.1";

  [[nodiscard]] bool is_on_one_host() const { return of_source.starts_with("127."); }
};

/// A sender that emulates a source's input in trial runs: `takt send` with these arguments (empty: none
/// exists), and the settings with which the source receives from this sender only.
struct EmulatedSender {
  std::vector<std::string> arguments = {};
  ParameterValues settings = {};
  /// True if a source that falls behind slows the sender down, so that nothing is lost.
  bool is_held_up = false;
};

/// A kind of source: its name, its parameters, and how to make one.
struct SourceKind {
  std::string name;
  /// One line for users.
  std::string summary;
  std::vector<ParameterSpec> parameters = {};
  /// True if it receives from other programs, into a queue before the polling thread; not for trial runs.
  bool is_live = false;
  /// Makes a source. `index` is the number of the source in the pipeline, for the frames' headers. Throws
  /// ConfigError, preferably by Parameters::refuse at a parameter's place. Must not open exclusive resources:
  /// takt also calls it to determine the type.
  std::unique_ptr<sensors::Source> (*make)(const Parameters& parameters, std::uint32_t index) = nullptr;
  /// Returns the speed of its frames relative to the stream's rate; 0: as fast as they are consumed.
  double (*pace)(const Parameters& parameters) = [](const Parameters&) { return 1.0; };

  /// Returns the parameter values with which it produces frames of this type at this rate, without end if it
  /// can. A rate of 0 means as fast as they are consumed. Empty if other programs determine the rate.
  using Values = ParameterValues;
  Values (*at_rate)(double hertz, const sensors::FrameType& type) = [](double, const sensors::FrameType&) {
    return Values{};
  };
  /// Returns the emulated sender of a live source. Throws ConfigError, with the place, if the parameters
  /// exclude a sender that exists otherwise.
  EmulatedSender (*sender)(const Parameters& parameters, const SenderPlace& place) =
      [](const Parameters&, const SenderPlace&) { return EmulatedSender{}; };
};

/// A kind of sink. A sink with a parameter `path` of type output_file has its file checked before the
/// start, measured, and protected from replacement; it must respect `overwrite` if it has that
/// parameter.
struct SinkKind {
  std::string name;
  /// One line for users.
  std::string summary;
  std::vector<ParameterSpec> parameters = {};
  /// True if it sends to other programs. Trial runs cannot use it: the copy of a frame stands for its cost.
  bool is_live = false;
  /// Makes a sink for frames of this type. Opens nothing. Throws InputError when it does not support them.
  std::unique_ptr<sensors::Sink> (*make)(const Parameters& parameters,
                                         const sensors::FrameType& input) = nullptr;
  /// Returns the names of the files that it writes in addition to that of its parameter: takt checks them
  /// before the start, too.
  std::vector<std::string> (*companions)(const Parameters& parameters) = [](const Parameters&) {
    return std::vector<std::string>{};
  };
};

}  // namespace takt::pipeline
