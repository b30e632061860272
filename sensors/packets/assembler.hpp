#pragma once
/// From packets of several lanes to frames, for any format: a decoder says lane, time and payload.

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

/// What is waited for, and for how long.
struct Assembly {
  /// A packet is put in its place as long as it comes at most this many packets of a lane after its time; a
  /// frame with packets missing is handed over that much later.
  std::size_t window = 256;
  /// A step of the sender's clock backwards, or forwards by more than this, begins a new epoch; a smaller
  /// step forwards is loss.
  Time longest_gap = Time(10'000'000'000);
};

/// Throws ConfigError.
void validate(const Assembly& assembly);

/// How packets make up a frame: `[packet][lane]` of equal parts.
struct FrameGrid {
  std::size_t lanes = 1;
  /// Packets of each lane in a frame.
  std::size_t packets = 1;
  /// Time is counted in ticks of the sender's clock; packets of a lane are so many apart.
  std::int64_t ticks_a_packet = 1;
  double ticks_a_second = 1;
  /// The first frame begins at a multiple of so many ticks, the first one from the first packet on.
  std::uint64_t alignment = 1;
  /// Bytes of a packet's payload, and of its part of the frame.
  std::size_t payload_bytes = 0;
  std::size_t part_bytes = 0;
  /// From a payload to its part; null copies.
  void (*unpack)(std::span<const std::byte> payload, std::span<std::byte> part) = nullptr;
  /// Where a frame's elements do not lie as `[packet][lane]`, instead of `unpack`: puts the payload of the
  /// frame's packet and lane among the frame's elements. What is missing is then marked there as well (NaN),
  /// and no flags lie behind the elements.
  std::function<void(std::span<const std::byte> payload, std::size_t lane, std::size_t packet,
                     std::span<std::byte> elements)>
      scatter = {};
  std::function<void(std::size_t lane, std::size_t packet, std::span<std::byte> elements)> mark_missing = {};
  /// Where senders may have written NaN: lets the header tell of all packets that hold any, those that are
  /// marked as missing among them. Whether there was any. Called with each frame as it is handed over.
  std::function<bool(std::span<std::byte> elements, FrameHeader& header)> find_nan = {};
  /// Nanoseconds since 1970 of a tick.
  std::function<std::int64_t(std::uint64_t tick, double ticks_a_second)> utc_of = {};
  /// Number of the source, for the frames' headers.
  std::uint16_t source = 0;
};

/// Puts each packet at its place in its frame, whatever the order in which packets come, and hands frames
/// over in order: at once when all packets of all lanes are there that still send, otherwise when the stream
/// is `window` packets past the frame. A pure function of the packets and of the room in the queue: no clock
/// and no I/O, so that a recording gives the same frames as the live stream did.
///
/// * Start: packets are held until every lane has shown a few, or one of them has shown a window full. Time
/// is
///   where most lanes agree; frame 0 begins at the latest of their first packets, or at the grid's first
///   multiple of `alignment` behind it, and the rest of the stream is cut into frames from there.
/// * Time is decided by a vote of the lanes that are heard. A packet further than 256 packets (or the window)
///   from the stream's place, or one that was there before, speaks for another time (TimeCandidate). The
///   stream moves when more than half of the lanes have evidence for one other time: a lead of `evidence`
///   packets over those at the stream's time. It moves over a gap, or, when the way leads backwards or is
///   longer than the longest gap, into a new epoch, whose frames are numbered from 0. Packets of that time
///   are kept until then; those that there is no room for are lost. Shorter bursts, a single lane with a
///   wrong clock, and forged packets among good ones move nothing; docs/reference/stream-time.md has the
///   reasons.
/// * Silence: a lane of which nothing came for a window and a frame is not waited for, until it sends again.
/// * Room: a frame takes a slot with its first packet; when the queue has none, the frame is dropped and
/// counted.
///
/// Behind the elements of a frame lies one byte for each packet and lane, 1 where the packet is missing
/// (FrameType::parts).
class Assembler {
 public:
  /// `counts` must outlive it. O(window + memory) bytes a lane. Throws OptionError for more than most_lanes,
  /// and for a grid that does not fit the queue's frames.
  Assembler(const FrameGrid& grid, const Assembly& assembly, AssemblyCounts& counts, FrameQueue& frames);

  /// The most frames that are begun and not handed over; one packet takes no more slots than that either.
  [[nodiscard]] static std::size_t open_frames(std::size_t packets, const Assembly& assembly);

  /// One packet, O(1) and one copy of the payload. `now_ns` is when it came. Throws WorkError where the
  /// payload has another size than the grid's.
  void take(std::size_t lane, std::uint64_t tick, std::span<const std::byte> payload, std::int64_t now_ns);

  /// A packet that was received in memory that is not the assembler's, or at a place that it expected.
  struct Arrival {
    std::uint64_t tick = 0;
    std::span<std::byte> payload;
    bool is_placed = false;
  };
  /// The most arrivals that are taken at once.
  static constexpr std::size_t most_arrivals = 64;

  /// Where the payloads of a lane's next packets belong if none is lost, null where that is not known yet,
  /// and always where payloads must be unpacked. O(places).
  void expect(std::size_t lane, std::span<std::byte*> places);

  /// Packets of a lane in the order in which they came, most_arrivals at most, received after `expect` and
  /// before any other call. As `take` of each; a payload at its right place is not copied, and one at a wrong
  /// place is moved once where no other payload is in its way. O(arrivals), O(arrivals^2) where places are
  /// wrong.
  void take(std::size_t lane, std::span<Arrival> arrivals, std::int64_t now_ns);

  /// The end of the stream: hands over the frames begun, with what they have.
  void finish(std::int64_t now_ns);

 private:
  /// A frame being assembled; no slot when there was no room for it. One that is only expected has a slot and
  /// no packets.
  struct Open {
    FrameSlot* slot = nullptr;
    std::size_t packets = 0;
    std::array<std::uint32_t, most_lanes> of_lane{};
  };

  /// Which of a lane's latest packets came: a ring of bits over packet numbers.
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
    /// Of the packet that was put in its place last.
    std::int64_t latest = -1;
    /// Number of the arrival at which something good came last; 0 for never.
    std::uint64_t heard_at = 0;
    std::size_t held = 0;
    bool is_silent = false;
    /// Whether the candidate has evidence.
    bool is_in_doubt = false;
    /// Another time than the stream's, for which some of its packets speak.
    TimeCandidate candidate;
  };

  /// Ticks from b to a.
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
  /// How far ahead of where the stream surely is, and of one another, packets may be without question.
  const std::int64_t reach_;
  const std::int64_t memory_;
  const std::uint64_t longest_gap_ticks_;
  const std::int64_t packets_a_second_;
  /// The lead in packets that a lane's evidence for another time needs.
  const std::uint64_t evidence_;
  AssemblyCounts& counts_;
  FrameQueue& frames_;

  /// Packets are numbered from the tick at which frame 0 of the epoch begins.
  bool begun_ = false;
  std::uint64_t origin_ = 0;
  std::uint16_t epoch_ = 0;
  std::int64_t newest_ = -1;
  /// How far the stream has come by the word of two packets of a lane that came one after the other: forged
  /// ones among good ones cannot lead it away step by step.
  std::int64_t sure_ = -1;
  /// The oldest frame not handed over.
  std::int64_t next_frame_ = 0;
  std::uint64_t arrivals_ = 0;
  std::vector<Open> open_;
  std::vector<Lane> lanes_;
  HeldPackets held_;
  /// Those of the present call that are not taken yet, and memory for payloads that lie in the way of others.
  std::span<Arrival> pending_;
  std::vector<std::byte> asides_;
  std::size_t next_aside_ = 0;
};

}  // namespace takt::sensors
