#pragma once
/// The sinks that a pipeline can name.

#include <memory>
#include <string_view>
#include <vector>

#include "pipeline/parameters.hpp"
#include "sensors/sink.hpp"

namespace takt::pipeline {

/// A kind of sink: its name, what a user may write about it, and how to make one.
struct SinkKind {
  std::string_view name;
  /// One line for people.
  std::string_view summary;
  std::vector<ParameterSpec> parameters;
  /// A sink for frames of this type. Opens nothing. Throws InputError when it cannot take them.
  std::unique_ptr<sensors::Sink> (*make)(const Parameters& parameters, const sensors::FrameType& input);
};

/// The one table of sinks.
[[nodiscard]] const std::vector<SinkKind>& all_sinks();

/// Null when there is none of that name.
[[nodiscard]] const SinkKind* find_sink(std::string_view name);

}  // namespace takt::pipeline
