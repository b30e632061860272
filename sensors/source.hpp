#pragma once
/// Where frames come from.

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

/// What became of everything that should have arrived. No lost frame goes uncounted.
struct SourceCounters {
  /// Frames handed to the pipeline, among them frames with missing parts.
  std::uint64_t ingested = 0;
  /// Frames of which nothing arrived.
  std::uint64_t lost = 0;
  /// Frames that arrived and were thrown away because the pipeline did not keep up.
  std::uint64_t dropped = 0;
  /// Frames handed over with some parts missing.
  std::uint64_t incomplete = 0;
  /// Packets received, lost, late, duplicate, reordered, refused by cause, queue high-water mark, ....
  std::vector<Counter> details;
};

/// What became of two parts of one stream; high-water marks are the higher ones.
void add(SourceCounters& counters, const SourceCounters& more);

/// How far a stream had been taken.
struct StreamPlace {
  /// Frames that were given.
  std::uint64_t frames = 0;
  /// Of the last one; as it is made where there was none.
  FrameHeader last;
};

/// What a thread of a source receives for each frame, beside the one that polls.
struct Reception {
  std::size_t messages = 0;
  /// Of each of them.
  Bytes bytes;
  /// Datagrams, or parts of a stream of bytes.
  bool is_datagrams = true;
};

enum class SourceState : std::uint8_t {
  /// A frame is there.
  frame,
  /// Nothing yet; try again.
  waiting,
  /// The stream is over; no frame will follow.
  ended,
};

/// Packets that come to the ports of a source before it is started.
class PacketCount {
 public:
  virtual ~PacketCount() = default;
  /// All so far.
  [[nodiscard]] virtual std::uint64_t packets() = 0;
};

/// A stream of frames of one type. The pipeline calls everything but `counters` from one thread; a source
/// that must not miss packets receives on a thread of its own.
class Source {
 public:
  virtual ~Source() = default;

  /// Known before `start`.
  [[nodiscard]] virtual const FrameType& type() const = 0;

  /// Throws what `start` would throw, as far as that can be known now: a port in use, an address of another
  /// computer. Keeps nothing open.
  virtual void check() const {}

  /// Before `start`: opens the ports, and takes nothing in; null where the source has no such ports. Must be
  /// destroyed before `start`. Throws WorkError as `start` does.
  [[nodiscard]] virtual std::unique_ptr<PacketCount> count_packets() const { return nullptr; }

  /// Opens ports or files and begins to receive. Throws WorkError (a port in use) or ConfigError (a missing
  /// file).
  virtual void start() = 0;

  /// Before `start` and `begin_behind`, to a source that makes up its frames: the UTC of its first sample,
  /// nanoseconds since 1970, unless its options say another one.
  virtual void begin_at(std::int64_t utc_ns) { (void)utc_ns; }

  /// Before `start`: the stream is to begin behind this place, as if the frames before had been given and
  /// counted. False where it is not the source's to say what comes: then it begins with what comes.
  [[nodiscard]] virtual bool begin_behind(const StreamPlace& place) {
    (void)place;
    return false;
  }

  /// What a source that goes on by itself says of the frames behind that place.
  struct GoingOn {
    /// Frames that it counts as lost because nobody has them, between what it had kept and what came then;
    /// nothing before that.
    std::optional<std::uint64_t> lost = {};
  };
  /// Behind `begin_behind` and `start`: the source has kept what came behind the place, and numbers what
  /// comes then itself; nothing where it has not. Any thread.
  [[nodiscard]] virtual std::optional<GoingOn> going_on() const { return std::nullopt; }

  /// Whether several ranks may each run one of these, and take different frames of one stream: what a frame
  /// is depends on its number alone, and it is there whenever it is asked for.
  [[nodiscard]] virtual bool may_be_shared() const { return false; }
  /// Where it may be shared, from `start` on: the frame that is taken next is to be this one of the stream.
  virtual void seek(std::uint64_t frame) { (void)frame; }

  /// How many frames memory given to the source must have room for; 0: it only uses memory of its own, and
  /// lends one frame at a time.
  [[nodiscard]] virtual std::size_t least_pool() const { return 0; }
  /// Before `start`, where least_pool allows it: the frames will lie in this memory, of least_pool() frames
  /// at least; each further one may be lent while others are.
  virtual void use_pool(const FramePool& pool) { (void)pool; }

  /// Takes the next frame, without waiting. The view stays valid until the frame is released; without a pool
  /// that must happen before the next one is taken.
  [[nodiscard]] virtual SourceState poll(FrameView& frame) = 0;
  /// The same for a caller that has just looked at the clock and seen this moment (now_ns), or has not: a
  /// source that makes a frame up when it is asked for one need not look once more to say when that was.
  [[nodiscard]] virtual SourceState poll_at(FrameView& frame, std::optional<std::int64_t> seen) {
    (void)seen;
    return poll(frame);
  }

  /// Gives the oldest frame back that was taken.
  virtual void release() = 0;

  /// Waits until a frame may have come, or until this moment (now_ns of core/system/clock.hpp) at the latest;
  /// may return at any time.
  virtual void wait(std::int64_t latest_ns);

  /// Whether the frame that `poll` gave last was still being received when the stream ended: it is handed
  /// over with what it has, and the moment says nothing about the stream's rate.
  [[nodiscard]] virtual bool is_cut_off() const { return false; }

  /// Nothing where the source has no such thread.
  [[nodiscard]] virtual std::optional<Reception> reception() const { return std::nullopt; }

  /// When the next frame will come, where the source decides that itself.
  [[nodiscard]] virtual std::optional<std::int64_t> next_frame_ns() const { return std::nullopt; }

  /// What a recording's header says of the observation, `KEYWORD: value` a line; known before `start`. Goes
  /// to the history of the outputs that are made from this source.
  [[nodiscard]] virtual std::vector<std::string> description() const { return {}; }

  /// Stops receiving. Frames already complete are still handed over, then `poll` says `ended`.
  virtual void stop() = 0;

  /// May be called from any thread at any time.
  [[nodiscard]] virtual SourceCounters counters() const = 0;

  /// What the user should know about the set-up (a buffer smaller than asked for), one sentence each; none
  /// before `start` has returned. May be called from any thread at any time.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace takt::sensors
