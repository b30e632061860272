#pragma once
/// Where frames go.

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

/// From a moment to another one, nanoseconds since 1970; the second one is not part of it.
struct UtcSpan {
  std::int64_t from_ns = 0, until_ns = 0;
  friend bool operator==(const UtcSpan&, const UtcSpan&) = default;
};

/// Takes the frames of one stream, in order unless it may be shared. A sink's file is valid up to the last
/// frame written, whenever it stops.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Throws WorkError with the system's reason (no such folder, no permission), ConfigError where a file is
  /// there that is to be kept, or another run writes it. An old file stays as it was until the first frame is
  /// written.
  virtual void open() = 0;
  virtual void write(const FrameView& frame) = 0;
  /// Makes everything written durable. Called once, at the end of the stream.
  virtual void close() = 0;

  /// Whether several ranks may each have one of these, and give them different frames of one stream, in any
  /// order: what it does with a frame has nothing to do with others.
  [[nodiscard]] virtual bool may_be_shared() const { return false; }

  /// Something happened then, or, without a time, now: for sinks that write what lies around such moments.
  /// Any thread.
  virtual void trigger(const std::optional<UtcSpan>& when) { (void)when; }

  /// Takes down a line about the frames from now on, for whoever reads the output later: that a parameter was
  /// changed. Any thread.
  virtual void note(const std::string& line) { (void)line; }
  /// What is written next begins a file of its own, as a new epoch does; sinks without files do nothing. Any
  /// thread.
  virtual void begin_file() {}

  /// Of a run that starts again where one of its processes dies: what another object like it needs to go on
  /// behind the last frame written; nothing where it cannot be gone on with, or, once a frame has been
  /// written, not from here. By the writing thread, also before `open`.
  [[nodiscard]] virtual std::optional<std::vector<std::byte>> save() const { return std::nullopt; }
  /// Instead of `open`: goes on behind the frame after which another object gave this state. What that one
  /// wrote later is taken back, where that is possible: what has been sent has been sent. Throws what `open`
  /// throws, and WorkError where the output is not as it was.
  virtual void resume(std::span<const std::byte> state) {
    (void)state;
    open();
  }
  /// Before `open` or `resume` of such a run: where to enter files that are begun.
  virtual void keep_book(const OutputBook& book) { (void)book; }

  /// Where the output is, for the report; empty when there is none. Any thread.
  [[nodiscard]] virtual std::string location() const = 0;

  /// What it counted besides the frames (frames filled in for lost ones, ...). Called by the writing thread.
  [[nodiscard]] virtual std::vector<Counter> counters() const { return {}; }

  /// What the user should know (the disk will be full soon), one sentence each. Any thread.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace takt::sensors
