#pragma once
/// Control commands to a run.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace takt::pipeline {

enum class ControlCommandKind : std::uint8_t {
  /// Ends the run in order: all frames read are still delivered.
  end,
  /// Writes transient buffers.
  trigger,
  /// Starts new files in all sinks with their next frames.
  new_files,
  /// Pauses the sinks; `write` resumes them with new files.
  hold,
  write,
  /// Shows frames of one stage (runtime/probe.hpp), or of none.
  probe,
};

struct ControlCommand {
  ControlCommandKind kind = ControlCommandKind::end;
  /// For `probe`.
  std::optional<std::size_t> stage = {};
  /// The requester, for the log; empty: not logged.
  std::string who = {};
};

}  // namespace takt::pipeline
