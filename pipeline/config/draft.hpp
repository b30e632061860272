#pragma once
/// Drafts of stages, between the text of a pipeline file and a checked Pipeline.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// A section of stages in the file, with its keys and nouns for messages.
struct Section {
  StageKind kind;
  /// `sources`, `tasks`, `sinks`.
  std::string_view key;
  /// `source`, `task`, `sink`.
  std::string_view noun;
  /// The key that names a stage's type, and the noun for that type.
  std::string_view type_key;
  std::string_view type_noun;
  /// All keys of a stage that are not its type's parameters.
  std::span<const std::string_view> own_keys;
};

inline constexpr std::array<std::string_view, 4> source_keys{"type", "delay", "backlog", "place"};
inline constexpr std::array<std::string_view, 4> task_keys{"kernel", "input", "inputs", "place"};
inline constexpr std::array<std::string_view, 5> sink_keys{"type", "input", "backlog", "transient", "place"};

/// In the order of StageKind.
inline constexpr std::array<Section, 3> sections{
    {{StageKind::source, "sources", "source", "type", "source", source_keys},
     {StageKind::kernel, "tasks", "task", "kernel", "kernel", task_keys},
     {StageKind::sink, "sinks", "sink", "type", "sink", sink_keys}}};

[[nodiscard]] inline const Section& section_of(StageKind kind) {
  return sections[static_cast<std::size_t>(kind)];
}

/// A partially checked stage. A draft with an error is broken: later errors of it and of its successors are
/// not reported, so that one mistake causes one message.
struct Draft {
  struct Input {
    std::string name;
    SourceLocation where;
    /// Index of the draft of that name, after the look-up.
    std::optional<std::size_t> from;
  };

  StageKind kind;
  std::string name;
  SourceLocation where;
  std::string type;
  std::vector<Input> inputs;
  std::optional<Parameters> parameters;
  bool stateless = false;
  /// As in Stage.
  Bytes travelling{0};
  std::vector<std::optional<std::size_t>> separable = {};
  std::optional<BlockDistribution> distribution;
  FrameType output;
  /// As in Stage.
  std::vector<FrameType> outputs = {};
  std::optional<std::size_t> port = {};
  std::size_t depth = 0;
  Bytes in_flight{0};
  double lag = 0;
  std::optional<KernelDevice> kernel_device = {};
  /// True if a stage uses its further outputs.
  bool has_ports = false;
  /// For sources: frames before joining, Stage::description, and Stage::delay with its place.
  FrameType own_frames;
  std::vector<std::string> description;
  Time delay{0};
  SourceLocation delay_where;
  /// For sources and sinks, with its place.
  std::optional<sensors::BacklogOptions> backlog;
  SourceLocation backlog_where;
  /// For sinks; the second input is the task whose frames trigger it.
  std::optional<sensors::TransientOptions> transient;
  SourceLocation transient_where;
  std::optional<Place> place;
  /// As in Stage.
  double gives = 1;
  bool is_broken = false;

  /// Returns `task 'spectrum'`, the beginning of every message about it.
  [[nodiscard]] std::string title() const;
};

}  // namespace takt::pipeline
