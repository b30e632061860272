#pragma once
/// The interface of sinks: outputs for frames.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame.hpp"
#include "sensors/output_book.hpp"

namespace takt::sensors {

/// A half-open interval [from, until) in nanoseconds since 1970.
struct UtcSpan {
  std::int64_t from_ns = 0, until_ns = 0;
  friend bool operator==(const UtcSpan&, const UtcSpan&) = default;
};

/// The output of one stream's frames, which arrive in order unless `may_be_shared`. A sink's file is valid up
/// to the last frame written, whenever the sink stops.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Throws WorkError with the system's reason (no such folder, no permission). Throws ConfigError if an
  /// existing file must be kept or another run is writing it. An existing file is unchanged until the first
  /// frame is written.
  virtual void open() = 0;
  virtual void write(const FrameView& frame) = 0;
  /// Makes all written data durable. Called once, at the end of the stream.
  virtual void close() = 0;

  /// Reports whether several ranks may each own such a sink and write different frames of one stream in any
  /// order: the sink treats each frame independently.
  [[nodiscard]] virtual bool may_be_shared() const { return false; }

  /// Reports an event at `when`, or now if it has no time; sinks that record the data around events use it.
  /// Thread-safe.
  virtual void trigger(const std::optional<UtcSpan>& when) { (void)when; }

  /// Records a line about the frames from now on for the reader of the output, such as a changed parameter.
  /// Thread-safe.
  virtual void note(const std::string& line) { (void)line; }
  /// Starts a new file with the next frame, as a new epoch does; sinks without files do nothing.
  /// Thread-safe.
  virtual void begin_file() {}

  /// Returns the state from which another sink can continue after the last written frame, for runs that
  /// restart after a process dies. Empty if the output cannot be continued, or not from this point. Called by
  /// the writing thread, also before `open`.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> save() const { return std::nullopt; }
  /// Continues after the frame at which `save` returned this state; replaces `open`. Removes later output
  /// where possible (sent data cannot be recalled). Throws the errors of `open`, and WorkError if the output
  /// has changed since.
  virtual void resume(std::span<const std::byte> state) {
    (void)state;
    open();
  }
  /// Sets the book in which new files are recorded; called before `open` or `resume` of a restartable run.
  virtual void use_output_book(const OutputBook& book) { (void)book; }

  /// Returns the place of the output for the report; empty if there is none. Thread-safe.
  [[nodiscard]] virtual std::string location() const = 0;

  /// Returns further counters (frames filled in for lost ones, ...). Called by the writing thread.
  [[nodiscard]] virtual std::vector<Counter> counters() const { return {}; }

  /// Returns warnings for the user (the disk is almost full), one sentence each. Thread-safe.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace takt::sensors
