#pragma once
/// The kinds of messages between ranks and launcher, and their first bytes on the link.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace takt::pipeline {

/// Version of the messages. A message of another version is ignored: it is not from this program.
inline constexpr std::uint8_t protocol_version = 1;

/// Kinds of messages of a rank. The text that follows is JSON of the type in brackets, unless noted.
enum class RankMessageKind : std::uint8_t {
  /// The rank's figures (RankStatus).
  status,
  /// The plan to run (RunPlan), and its schedule file as text.
  plan,
  schedule,
  /// The rank received a signal: the whole run is to end.
  drain,
  /// Parameter updates (UpdateReport): known to the rank; in force from a frame on.
  prepared,
  begun,
  /// Frames of the observed stage.
  probe,
  /// The rank's part of a checkpoint (Checkpoint).
  checkpoint,
  /// Files that a sink has begun (BegunFiles).
  begun_file,
  /// Activities of the rank for the traced frames (RankTrace).
  trace,
  /// A line of progress of a calibration, as text, and its result (CalibrationOutcome).
  progress,
  outcome,
  /// Answers of a host survey (HostAnswer): facts, time of day, all ranks met over MPI.
  facts,
  clock,
  met,
  count
};

/// Commands of the launcher to all ranks.
enum class CommandKind : std::uint8_t {
  /// Finish the frames in flight, then end.
  drain,
  /// End immediately if the stream has not begun.
  leave,
  /// Write transient buffers.
  trigger,
  /// Change to another plan (SharedPlan).
  change_plan,
  /// Prepare a parameter update (Change); let updates up to a number begin.
  prepare,
  begin,
  /// Sinks: begin new files; write nothing; write again, into new files.
  new_files,
  hold,
  write,
  /// Show frames of a stage, by number; of no stage if the text is empty.
  probe,
  count
};

/// Returns the two bytes that precede the text of a message.
template <typename Kind>
[[nodiscard]] std::string header_of(Kind kind) {
  return {static_cast<char>(protocol_version), static_cast<char>(kind)};
}

/// Returns the kind of a message that begins with these bytes; nothing if they are not of this version.
template <typename Kind>
[[nodiscard]] std::optional<Kind> kind_of(std::string_view message) {
  if (message.size() < 2 || static_cast<std::uint8_t>(message[0]) != protocol_version ||
      static_cast<std::uint8_t>(message[1]) >= static_cast<std::uint8_t>(Kind::count))
    return std::nullopt;
  return static_cast<Kind>(message[1]);
}

}  // namespace takt::pipeline
