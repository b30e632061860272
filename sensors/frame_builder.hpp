#pragma once
/// A packet format, as a source of datagrams sees it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sensors/frame.hpp"
#include "sensors/frame_queue.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// Makes frames of datagrams: decodes and judges each, and has the good ones put in their places, usually by
/// an `Assembler`. Knows no clock and no socket, so that live and recorded data cannot differ. One thread
/// calls `take` and `finish`; any thread the others.
class FrameBuilder {
 public:
  virtual ~FrameBuilder() = default;

  /// One datagram of any bytes from a lane's port or file. `now_ns` is when it came. Whether it is a good
  /// packet. Allocates nothing.
  virtual bool take(std::size_t lane, std::span<const std::byte> datagram, std::int64_t now_ns) = 0;

  /// The end of the stream: hands over the frames begun, with what they have.
  virtual void finish(std::int64_t now_ns) = 0;

  /// Frames, and among the details why datagrams were refused: `refused_CAUSE`.
  [[nodiscard]] virtual SourceCounters counters() const = 0;

  /// What the user should know about the lanes, one sentence each, by their names (`port 16130`).
  [[nodiscard]] virtual std::vector<std::string> warnings(const std::vector<std::string>& lanes) const {
    (void)lanes;
    return {};
  }
};

/// What is known of a stream of packets before the first one comes.
struct PacketFormat {
  /// For messages: `LOFAR`.
  std::string name;
  /// Of the frames.
  FrameType type;
  /// Bytes; a longer datagram is cut off one byte later, so that it can be told.
  std::size_t largest_packet = 0;
  /// The most frames that are begun and not handed over (Assembler::open_frames).
  std::size_t open_frames = 1;
  /// How many packets late a packet may be: lanes are received no further apart than half of it.
  std::size_t window = 256;
  /// A builder whose frames go into this queue.
  std::function<std::unique_ptr<FrameBuilder>(FrameQueue& frames)> make_builder;
};

}  // namespace takt::sensors
