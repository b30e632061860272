#pragma once
/// What somebody wants of a run that goes on.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace takt::pipeline {

enum class ControlCommandKind : std::uint8_t {
  /// The run ends in order: what was taken in is still delivered.
  end,
  /// Transient buffers are written.
  trigger,
  /// Sinks begin files of their own with the frames that they write next.
  new_files,
  /// Sinks are given no frames; `write` takes that back, into new files.
  hold,
  write,
  /// Frames of a stage are shown (runtime/probe.hpp), or of none.
  probe,
};

struct ControlCommand {
  ControlCommandKind kind = ControlCommandKind::end;
  /// Of `probe`.
  std::optional<std::size_t> stage = {};
  /// Who wants it, for the log; empty: not to be told.
  std::string who = {};
};

}  // namespace takt::pipeline
