#pragma once
/// The interface of packet formats for sources of datagrams.

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

/// Builds frames from datagrams: decodes and checks each, and has valid ones placed, usually by an
/// `Assembler`. Uses no clock and no socket, so that live and recorded data cannot differ. `take` and
/// `finish` are called by one thread; the other functions are thread-safe.
class FrameBuilder {
 public:
  virtual ~FrameBuilder() = default;

  /// Processes one datagram of arbitrary bytes from a lane's port or file, received at `now_ns`. Returns
  /// whether it is a valid packet. Allocates nothing.
  virtual bool take(std::size_t lane, std::span<const std::byte> datagram, std::int64_t now_ns) = 0;

  /// Ends the stream: hands over the frames under assembly, incomplete or not.
  virtual void finish(std::int64_t now_ns) = 0;

  /// Sets the capture time of the next datagrams in nanoseconds since 1970, if known. Datagrams of a live
  /// stream are captured now.
  virtual void captured_at(std::int64_t utc_ns) { (void)utc_ns; }

  /// Reports whether the sender has announced the end of the stream.
  [[nodiscard]] virtual bool is_over() const { return false; }

  /// Returns the frame counts; the details include the refused datagrams by cause: `refused_CAUSE`.
  [[nodiscard]] virtual SourceCounters counters() const = 0;

  /// Returns warnings about the lanes, one sentence each, by their names (`port 16130`).
  [[nodiscard]] virtual std::vector<std::string> warnings(const std::vector<std::string>& lanes) const {
    (void)lanes;
    return {};
  }
};

/// A datagram that was received in two parts.
struct ScatteredDatagram {
  /// Its first bytes, at most the builder's header size.
  std::span<const std::byte> header;
  /// The bytes after the header, at most the builder's payload size.
  std::span<std::byte> payload;
  /// Size of the whole datagram; exceeds both parts if it is longer than a packet.
  std::size_t bytes = 0;
  /// Whether the payload is at the place that the builder expected; otherwise in the receiver's memory.
  bool is_placed = false;
};

/// A builder whose frames contain unmodified payloads, so that the kernel can place them: the header is
/// received separately, the payload directly at its expected place in the frame.
class ScatterBuilder : public FrameBuilder {
 public:
  /// The largest number of datagrams per call: Assembler::most_arrivals.
  static constexpr std::size_t most_datagrams = 64;

  /// Return the sizes of a packet's parts.
  [[nodiscard]] virtual std::size_t header_bytes() const = 0;
  [[nodiscard]] virtual std::size_t payload_bytes() const = 0;

  /// Returns the places of the payloads of a lane's next packets, assuming no loss; null if unknown. The
  /// receiver owns the places until its next call of any function.
  virtual void expect(std::size_t lane, std::span<std::byte*> places) = 0;

  /// Processes at most most_datagrams datagrams in arrival order; equivalent to `take` of each. Returns the
  /// number of valid packets. Allocates nothing.
  virtual std::size_t take(std::size_t lane, std::span<ScatteredDatagram> datagrams, std::int64_t now_ns) = 0;
  using FrameBuilder::take;
};

/// The properties of a packet stream that are known before its first packet.
struct PacketFormat {
  /// Name in messages: `LOFAR`.
  std::string name;
  /// Type of the frames.
  FrameType type;
  /// Bytes; a longer datagram is truncated one byte later, so that it is detected.
  std::size_t largest_packet = 0;
  /// The largest number of frames under assembly (Assembler::open_frames).
  std::size_t open_frames = 1;
  /// Largest delay of a packet, in packets; lanes are received at most half of it apart.
  std::size_t window = 256;
  /// The observation's description from a recording's headers (Source::description).
  std::vector<std::string> description = {};
  /// Returns a builder that writes its frames to this queue.
  std::function<std::unique_ptr<FrameBuilder>(FrameQueue& frames)> make_builder;
};

}  // namespace takt::sensors
