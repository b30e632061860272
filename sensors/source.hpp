#pragma once
/// The interface of sources: inputs of frames.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::sensors {

/// Counts of all frames that were expected. No lost frame goes uncounted.
struct SourceCounters {
  /// Frames handed to the pipeline, including incomplete ones.
  std::uint64_t ingested = 0;
  /// Frames of which nothing arrived.
  std::uint64_t lost = 0;
  /// Frames that arrived and were discarded because the pipeline did not keep up.
  std::uint64_t dropped = 0;
  /// Frames handed over with missing parts.
  std::uint64_t incomplete = 0;
  /// Packets received, lost, late, duplicate, reordered and refused by cause, queue high-water mark, ....
  std::vector<Counter> details;
};

/// Adds the counts of two parts of one stream; high-water marks take the maximum.
void add(SourceCounters& counters, const SourceCounters& more);

/// The position that the consumer has reached in a stream.
struct StreamPlace {
  /// Number of delivered frames.
  std::uint64_t frames = 0;
  /// Header of the last delivered frame; default-constructed if there is none.
  FrameHeader last;
};

/// The work of a source's receiving thread per frame, in addition to the polling thread.
struct Reception {
  std::size_t messages = 0;
  /// Size of each message.
  Bytes bytes;
  /// Datagrams, or else parts of a byte stream.
  bool is_datagrams = true;
};

enum class SourceState : std::uint8_t {
  /// A frame is available.
  frame,
  /// No frame yet; poll again.
  waiting,
  /// The stream has ended; no frame will follow.
  ended,
};

/// Counts packets that arrive at the ports of a source before it starts.
class PacketCount {
 public:
  virtual ~PacketCount() = default;
  /// Returns the number of packets so far.
  [[nodiscard]] virtual std::uint64_t packets() = 0;
};

/// A stream of frames of one type. The pipeline calls all functions but `counters` from one thread; a source
/// that must not miss packets receives on its own thread.
class Source {
 public:
  virtual ~Source() = default;

  /// Known before `start`.
  [[nodiscard]] virtual const FrameType& type() const = 0;

  /// Throws the errors of `start` that can be detected beforehand: a port in use, an address of another
  /// computer. Keeps nothing open.
  virtual void check() const {}

  /// Opens the ports before `start` without receiving; returns null if the source has no ports. The result
  /// must be destroyed before `start`. Throws WorkError as `start` does.
  [[nodiscard]] virtual std::unique_ptr<PacketCount> count_packets() const { return nullptr; }

  /// Opens ports or files and begins to receive. Throws WorkError (a port in use) or ConfigError (a missing
  /// file).
  virtual void start() = 0;

  /// Sets the UTC time of the first sample of a synthetic source, in nanoseconds since 1970, unless its
  /// options set another one. Called before `start` and `resume_after`.
  virtual void begin_at(std::int64_t utc_ns) { (void)utc_ns; }

  /// Starts the stream after this place, as if the source had delivered the earlier frames. Called before
  /// `start`. Returns false if the source cannot choose its position, as with live data.
  [[nodiscard]] virtual bool resume_after(const StreamPlace& place) {
    (void)place;
    return false;
  }

  /// The state of a source that resumes its own numbering after that place.
  struct Resumed {
    /// Frames counted as lost between the saved data and the data that arrived afterwards, because no process
    /// has them; empty until that is known.
    std::optional<std::uint64_t> lost = {};
  };
  /// Returns the state after `resume_after` and `start` if the source kept the data after the place and
  /// numbers later frames itself; otherwise empty. Thread-safe.
  [[nodiscard]] virtual std::optional<Resumed> resumed() const { return std::nullopt; }

  /// Reports whether several ranks may each run such a source and read different frames of one stream. Each
  /// frame then depends on its number alone and is always available.
  [[nodiscard]] virtual bool may_be_shared() const { return false; }
  /// Selects the next frame to deliver, if the source may be shared; called after `start`.
  virtual void seek(std::uint64_t frame) { (void)frame; }

  /// Returns the least number of frames that a pool for this source must hold. 0: the source uses its own
  /// memory only and lends one frame at a time.
  [[nodiscard]] virtual std::size_t least_pool() const { return 0; }
  /// Makes the source place frames in this memory of at least least_pool() frames, if least_pool is not 0.
  /// Called before `start`. The source may then lend several frames at a time.
  virtual void use_pool(const FramePool& pool) { (void)pool; }

  /// Returns the next frame without waiting. The view is valid until the frame is released; without a pool
  /// the caller must release it before it polls again.
  [[nodiscard]] virtual SourceState poll(FrameView& frame) = 0;
  /// Polls as above for a caller that has just read the clock (`seen`, now_ns). A source that synthesises
  /// frames on demand then need not read the clock again.
  [[nodiscard]] virtual SourceState poll_at(FrameView& frame, std::optional<std::int64_t> seen) {
    (void)seen;
    return poll(frame);
  }

  /// Releases the oldest frame that was polled.
  virtual void release() = 0;

  /// Waits until a frame may be available, at latest until this time (now_ns of core/system/clock.hpp); may
  /// return at any time.
  virtual void wait(std::int64_t latest_ns);

  /// Reports whether the last polled frame was still being received when the stream ended. It is delivered
  /// incomplete, and its time does not measure the stream's rate.
  [[nodiscard]] virtual bool is_cut_off() const { return false; }

  /// Empty if the source has no receiving thread.
  [[nodiscard]] virtual std::optional<Reception> reception() const { return std::nullopt; }

  /// Returns when the next frame will arrive, if the source determines that itself.
  [[nodiscard]] virtual std::optional<std::int64_t> next_frame_ns() const { return std::nullopt; }

  /// Returns the observation's description from a recording's header, one `KEYWORD: value` per line; known
  /// before `start`. It is added to the history of the outputs made from this source.
  [[nodiscard]] virtual std::vector<std::string> description() const { return {}; }

  /// Stops receiving. `poll` still delivers the complete frames, then returns `ended`.
  virtual void stop() = 0;

  /// Thread-safe at any time.
  [[nodiscard]] virtual SourceCounters counters() const = 0;

  /// Returns warnings about the set-up (a buffer smaller than requested), one sentence each; none before
  /// `start` has returned. Thread-safe at any time.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace takt::sensors
