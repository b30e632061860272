#pragma once
/// Where frames come from.

#include <cstdint>
#include <string>
#include <vector>

#include "sensors/counter.hpp"
#include "sensors/frame.hpp"

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

enum class SourceState : std::uint8_t {
  /// A frame is there.
  frame,
  /// Nothing yet; try again.
  waiting,
  /// The stream is over; no frame will follow.
  ended,
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

  /// Opens ports or files and begins to receive. Throws WorkError (a port in use) or ConfigError (a missing
  /// file).
  virtual void start() = 0;

  /// The oldest frame that was not released, without waiting. The view stays valid until `release`.
  [[nodiscard]] virtual SourceState poll(FrameView& frame) = 0;

  /// Gives the frame that `poll` showed back.
  virtual void release() = 0;

  /// Whether the frame that `poll` showed was still being received when the stream ended: it is handed over
  /// with what it has, and the moment says nothing about the stream's rate.
  [[nodiscard]] virtual bool is_cut_off() const { return false; }

  /// Stops receiving. Frames already complete are still handed over, then `poll` says `ended`.
  virtual void stop() = 0;

  /// May be called from any thread at any time.
  [[nodiscard]] virtual SourceCounters counters() const = 0;

  /// What the user should know about the set-up (a buffer smaller than asked for), one sentence each; none
  /// before `start` has returned. May be called from any thread at any time.
  [[nodiscard]] virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace takt::sensors
