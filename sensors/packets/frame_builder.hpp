#pragma once
/// A packet format, as a source of datagrams sees it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sensors/frames/frame.hpp"
#include "sensors/frames/frame_queue.hpp"
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

  /// When the next datagrams were captured, where that is known: nanoseconds since 1970. A live stream's come
  /// now.
  virtual void captured_at(std::int64_t utc_ns) { (void)utc_ns; }

  /// Whether the sender has said that the stream is over.
  [[nodiscard]] virtual bool is_over() const { return false; }

  /// Frames, and among the details why datagrams were refused: `refused_CAUSE`.
  [[nodiscard]] virtual SourceCounters counters() const = 0;

  /// What the user should know about the lanes, one sentence each, by their names (`port 16130`).
  [[nodiscard]] virtual std::vector<std::string> warnings(const std::vector<std::string>& lanes) const {
    (void)lanes;
    return {};
  }
};

/// A datagram that was received in two pieces.
struct ScatteredDatagram {
  /// As many of its first bytes as the builder's header has.
  std::span<const std::byte> header;
  /// What came behind them, up to the builder's payload.
  std::span<std::byte> payload;
  /// Of the whole datagram; more than both pieces where it is longer than a packet.
  std::size_t bytes = 0;
  /// Whether the payload lies where the builder expected it, otherwise in the receiver's memory.
  bool is_placed = false;
};

/// A builder of frames in which payloads lie as they come, so that the kernel can put them there: the header
/// is received aside, the payload straight into the place in the frame where it probably belongs.
class ScatterBuilder : public FrameBuilder {
 public:
  /// The most datagrams that are received at once: Assembler::most_arrivals.
  static constexpr std::size_t most_datagrams = 64;

  /// Of a packet.
  [[nodiscard]] virtual std::size_t header_bytes() const = 0;
  [[nodiscard]] virtual std::size_t payload_bytes() const = 0;

  /// Where the payloads of a lane's next packets belong, if none is lost; null where that is not known. The
  /// places are the receiver's until its next call of any function.
  virtual void expect(std::size_t lane, std::span<std::byte*> places) = 0;

  /// What was received there, in the order in which it came: the same as `take` of each. How many are good
  /// packets. At most most_datagrams. Allocates nothing.
  virtual std::size_t take(std::size_t lane, std::span<ScatteredDatagram> datagrams, std::int64_t now_ns) = 0;
  using FrameBuilder::take;
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
  /// What a recording's headers say of the observation (Source::description).
  std::vector<std::string> description = {};
  /// A builder whose frames go into this queue.
  std::function<std::unique_ptr<FrameBuilder>(FrameQueue& frames)> make_builder;
};

}  // namespace takt::sensors
