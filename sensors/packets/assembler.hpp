#pragma once
/// Assembly of frames from the packets of several lanes, for any format with a
/// decoder.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/units.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/packets/assembly_counts.hpp"
#include "sensors/packets/held_packets.hpp"
#include "sensors/packets/time_candidate.hpp"

namespace takt::sensors {

/// How long the assembler waits for packets.
struct Assembly {
  /// A packet is placed if at most this many packets of a lane arrived between its time and its arrival. A
  /// frame with missing packets is handed over that much later.
  std::size_t window = 256;
  /// The sender's clock starts a new epoch if it steps backwards, or forwards by more than this. A smaller
  /// forward step is loss.
  Time longest_gap = Time(10'000'000'000);
};

/// Throws ConfigError.
void validate(const Assembly& assembly);

/// The layout of packets in a frame: `[packet][lane]` with equal parts.
struct FrameGrid {
  std::size_t lanes = 1;
  /// Packets of each lane in a frame.
  std::size_t packets = 1;
  /// Time is counted in ticks of the sender's clock; this is the distance of successive packets of a lane.
  std::int64_t ticks_per_packet = 1;
  double ticks_per_second = 1;
  /// Frames begin at multiples of this number of ticks, counting from the first packet.
  std::uint64_t alignment = 1;
  /// Bytes of a packet's payload, and bytes of its part of the frame.
  std::size_t payload_bytes = 0;
  std::size_t part_bytes = 0;
  /// Converts a payload to its part; null copies.
  void (*unpack)(std::span<const std::byte> payload, std::span<std::byte> part) = nullptr;
  /// For frames whose elements are not ordered as `[packet][lane]`; replaces `unpack`. Writes the payload of
  /// the given lane and packet to the frame's elements. Missing elements are then NaN, and no flags follow
  /// the elements.
  std::function<void(std::span<const std::byte> payload, std::size_t lane, std::size_t packet,
                     std::span<std::byte> elements)>
      scatter = {};
  std::function<void(std::size_t lane, std::size_t packet, std::span<std::byte> elements)> mark_missing = {};
  /// For senders that may write NaN: marks in the header all packets that contain NaN, including missing
  /// ones. Returns whether there were any. Called with each frame when it is handed over.
  std::function<bool(std::span<std::byte> elements, FrameHeader& header)> find_nan = {};
  /// Converts a tick to nanoseconds since 1970.
  std::function<std::int64_t(std::uint64_t tick, double ticks_per_second)> utc_of = {};
  /// Source number for the frame headers.
  std::uint16_t source = 0;
};

/// Places each packet in its frame, whatever the arrival order, and hands frames over in order. A frame is
/// handed over when all packets of all active lanes have arrived, or when the stream is `window` packets past
/// it. Depends only on the packets and the space in the queue, without clock and I/O. A recording thus
/// produces the same frames as the live stream.
///
/// * Start: packets are held until every lane has sent a few, or one lane a full window. The majority of the
///   lanes determines the time. Frame 0 begins at the latest of their first packets, or at the next multiple
///   of `alignment`; all later frames follow from there.
/// * Time is a majority vote of the active lanes. A packet further than 256 packets (or the window) from the
///   stream's position, or a repeated one, is evidence for another time (TimeCandidate). The stream moves
///   when more than half of the lanes have evidence for one other time: a lead of `evidence` packets over
///   those at the stream's time. It moves over a gap, or into a new epoch if the step is backwards or longer
///   than the longest gap; the frames of an epoch are numbered from 0. Packets of the other time are kept
///   until then as far as memory allows; the rest are lost. Shorter bursts, a single lane with a wrong clock,
///   and forged packets among good ones do not move the stream; docs/reference/stream-time.md has the
///   reasons.
/// * Silence: the assembler does not wait for a lane that has been silent for a window and a frame, until it
///   sends again.
/// * Space: a frame takes a slot with its first packet; without a free one it is dropped and counted.
///
/// One byte per packet and lane follows the elements of a frame: 1 if the packet is missing
/// (FrameType::parts).
class Assembler {
 public:
  /// `counts` must outlive the assembler. O(window + memory) bytes per lane. Throws OptionError for more than
  /// most_lanes, and for a grid that does not fit the queue's frames.
  Assembler(const FrameGrid& grid, const Assembly& assembly, AssemblyCounts& counts, FrameQueue& frames);

  /// Returns the largest number of frames under assembly; one packet takes at most that many slots.
  [[nodiscard]] static std::size_t open_frames(std::size_t packets, const Assembly& assembly);

  /// Places one packet in O(1), with one copy of the payload. `now_ns` is its arrival time. Throws WorkError
  /// if the size of the payload differs from the grid's.
  void take(std::size_t lane, std::uint64_t tick, std::span<const std::byte> payload, std::int64_t now_ns);

  /// A packet received in memory of the caller, or at a place returned by `expect`.
  struct Arrival {
    std::uint64_t tick = 0;
    std::span<std::byte> payload;
    bool is_placed = false;
  };
  /// The largest number of arrivals in one call.
  static constexpr std::size_t most_arrivals = 64;

  /// Returns the places for the payloads of a lane's next packets, assuming no loss. Null if a place is
  /// unknown, and always if payloads must be unpacked. O(places).
  void expect(std::size_t lane, std::span<std::byte*> places);

  /// Places packets of one lane in arrival order, at most most_arrivals, received after `expect` and before
  /// any other call. Equivalent to `take` of each. A payload at its right place is not copied; one at a wrong
  /// place is moved once unless another payload occupies the target. O(arrivals), O(arrivals^2) if places are
  /// wrong.
  void take(std::size_t lane, std::span<Arrival> arrivals, std::int64_t now_ns);

  /// Ends the stream: hands over the frames under assembly, incomplete or not.
  void finish(std::int64_t now_ns);

 private:
  /// A frame under assembly; without a slot if the queue was full. A frame that is only expected has a slot
  /// and no packets.
  struct Open {
    FrameSlot* slot = nullptr;
    std::size_t packets = 0;
    std::array<std::uint32_t, most_lanes> of_lane{};
  };

  /// A ring of bits over packet numbers that records which of a lane's latest packets have arrived.
  class Seen {
   public:
    explicit Seen(std::size_t packets) : bits_(packets) {}
    [[nodiscard]] bool test(std::int64_t packet) const { return bits_[place(packet)]; }
    void set(std::int64_t packet) { bits_[place(packet)] = true; }
    void clear(std::int64_t packet) { bits_[place(packet)] = false; }
    void clear_all() { bits_.assign(bits_.size(), false); }

   private:
    [[nodiscard]] std::size_t place(std::int64_t packet) const {
      return static_cast<std::size_t>(packet) & (bits_.size() - 1);
    }
    std::vector<bool> bits_;
  };

  struct Lane {
    Seen seen;
    /// Number of the newest packet in this epoch; -1 for none.
    std::int64_t newest = -1;
    /// Number of the packet that was placed last.
    std::int64_t latest = -1;
    /// Number of the arrival that was the last good packet; 0 for never.
    std::uint64_t arrived_at = 0;
    std::size_t held = 0;
    bool is_silent = false;
    /// Whether the candidate has evidence.
    bool is_contradicted = false;
    /// A time other than the stream's that is supported by packets of this lane.
    TimeCandidate candidate;
  };

  /// Returns the ticks from b to a.
  [[nodiscard]] static std::int64_t distance_of(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a - b);
  }
  [[nodiscard]] std::byte* free_place(std::size_t lane, std::uint64_t tick) const;
  void settle(std::size_t lane, std::span<Arrival> arrivals);
  void put_aside(Arrival& arrival);
  void rescue_before(std::int64_t frame);
  void hold(std::size_t lane, std::uint64_t tick, std::span<const std::byte> payload, std::int64_t now_ns);
  void begin(std::int64_t now_ns);
  [[nodiscard]] std::uint64_t common_start() const;
  void place(std::size_t lane, std::uint64_t tick, std::span<const std::byte> payload, std::int64_t now_ns);
  void put(std::size_t lane, std::int64_t packet, std::span<const std::byte> payload, std::int64_t now_ns);
  [[nodiscard]] bool is_of_the_midst(std::int64_t distance) const;
  [[nodiscard]] bool is_near(std::int64_t distance) const;
  [[nodiscard]] bool is_gap(std::uint64_t tick) const;
  [[nodiscard]] CandidateLimits candidate_limits() const;
  void vote(std::size_t lane, TimeCandidate::Kind kind, std::uint64_t tick,
            std::span<const std::byte> payload, std::int64_t now_ns);
  void contradict(std::size_t lane);
  [[nodiscard]] bool is_enough(const TimeCandidate& candidate) const;
  [[nodiscard]] bool wins_vote(std::uint64_t tick, bool at_end) const;
  void follow(std::uint64_t tick, std::int64_t now_ns);
  std::uint64_t take_candidate(std::size_t lane, HeldPackets& moved);
  void count_implausible(std::size_t lane);
  void begin_epoch(std::int64_t now_ns);
  void advance(std::int64_t packet, std::int64_t now_ns);
  [[nodiscard]] bool is_waited_for(const Lane& lane) const;
  [[nodiscard]] bool is_complete(const Open& frame) const;
  void note_silences();
  void note_early_end(std::size_t lane);
  void close(std::int64_t frame, bool at_end, std::int64_t now_ns);
  void close_all(std::int64_t now_ns);
  std::size_t fill_missing(std::int64_t frame, bool at_end, FrameSlot* slot);
  [[nodiscard]] Open& open(std::int64_t frame) {
    return open_[static_cast<std::size_t>(frame) % open_.size()];
  }
  [[nodiscard]] std::span<std::byte> part(const FrameSlot& slot, std::size_t lane, std::size_t packet) const;
  [[nodiscard]] std::span<std::byte> flags(const FrameSlot& slot) const;

  const FrameGrid grid_;
  const std::int64_t packets_;
  const std::int64_t window_;
  /// Distance ahead of the confirmed stream position, and between packets, that needs no evidence.
  const std::int64_t reach_;
  const std::int64_t memory_;
  const std::uint64_t longest_gap_ticks_;
  const std::int64_t packets_per_second_;
  /// The lead in packets that a lane needs as evidence for another time.
  const std::uint64_t evidence_;
  AssemblyCounts& counts_;
  FrameQueue& frames_;

  /// Packets are numbered from the tick at which frame 0 of the epoch begins.
  bool begun_ = false;
  std::uint64_t origin_ = 0;
  std::uint16_t epoch_ = 0;
  std::int64_t newest_ = -1;
  /// Stream position confirmed by two successive packets of one lane: single forged packets among good ones
  /// cannot move it step by step.
  std::int64_t sure_ = -1;
  /// The oldest frame not yet handed over.
  std::int64_t next_frame_ = 0;
  std::uint64_t arrivals_ = 0;
  std::vector<Open> open_;
  std::vector<Lane> lanes_;
  HeldPackets held_;
  /// Arrivals of the present call that are not placed yet, and memory for displaced payloads.
  std::span<Arrival> pending_;
  std::vector<std::byte> asides_;
  std::size_t next_aside_ = 0;
};

}  // namespace takt::sensors
