#pragma once
/// Kinds of sources and sinks: what a pipeline can name at its ends.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/parameters.hpp"
#include "sensors/sink.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Parameters and values, as they are written in a file.
using ParameterValues = std::vector<std::pair<std::string, std::string>>;

/// Where an emulated sender is: the name or address of the source's host as the sender reaches it, and of its
/// own as the source does.
struct SenderPlace {
  std::string of_source = "127.0.0.1", of_sender = "127.0.0.1";

  [[nodiscard]] bool is_on_one_host() const { return of_source.starts_with("127."); }
};

/// A sender of what a source receives, for trials: `takt send` with these arguments (none: there is no such
/// sender), and what the source must be told to hear it, and nobody else.
struct EmulatedSender {
  std::vector<std::string> arguments = {};
  ParameterValues settings = {};
  /// Whether a source that does not keep up holds it up, so that nothing is lost.
  bool is_held_up = false;
};

/// A kind of source: its name, what a user may write about it, and how to make one.
struct SourceKind {
  std::string name;
  /// One line for people.
  std::string summary;
  std::vector<ParameterSpec> parameters = {};
  /// It receives what others send, beside the thread that polls it, and cannot be tried out before the run.
  bool is_live = false;
  /// `index` is the number of the source in the pipeline, for the frames' headers. Throws ConfigError, best
  /// by Parameters::refuse at a parameter's place. Opens nothing that must be open only once: it is called to
  /// learn the type, too.
  std::unique_ptr<sensors::Source> (*make)(const Parameters& parameters, std::uint32_t index) = nullptr;
  /// How many times as fast as its stream it gives frames; 0: as fast as they are taken.
  double (*pace)(const Parameters& parameters) = [](const Parameters&) { return 1.0; };

  /// Parameters, and the values with which it gives frames of this type at this rate for as long as it can; a
  /// rate of 0: as fast as they are taken. None where others decide that.
  using Values = ParameterValues;
  Values (*at_rate)(double hertz, const sensors::FrameType& type) = [](double, const sensors::FrameType&) {
    return Values{};
  };
  /// Of a source that receives what others send. Throws ConfigError, with the place, where what is written
  /// keeps a sender from it that there is otherwise.
  EmulatedSender (*sender)(const Parameters& parameters, const SenderPlace& place) =
      [](const Parameters&, const SenderPlace&) { return EmulatedSender{}; };
};

/// A kind of sink. A sink whose file is to be measured beforehand, kept from being replaced, and checked
/// before the start has a parameter `path` of type output_file, and takes `overwrite` into account where it
/// has that.
struct SinkKind {
  std::string name;
  /// One line for people.
  std::string summary;
  std::vector<ParameterSpec> parameters = {};
  /// It sends to others, and cannot be tried out before the run: copying a frame stands for its cost.
  bool is_live = false;
  /// A sink for frames of this type. Opens nothing. Throws InputError when it cannot take them.
  std::unique_ptr<sensors::Sink> (*make)(const Parameters& parameters,
                                         const sensors::FrameType& input) = nullptr;
  /// Files that it writes beside that of its parameter, by their names: they are checked before the start,
  /// too.
  std::vector<std::string> (*companions)(const Parameters& parameters) = [](const Parameters&) {
    return std::vector<std::string>{};
  };
};

}  // namespace takt::pipeline
