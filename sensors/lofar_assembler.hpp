#pragma once
/// From the packets of a LOFAR station to frames.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/units.hpp"
#include "sensors/counter.hpp"
#include "sensors/frame_queue.hpp"
#include "sensors/lofar_format.hpp"
#include "sensors/lofar_packet.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// What is waited for, and for how long.
struct LofarAssembly {
  /// A packet is put in its place as long as it comes at most this many packets of a lane after its time; a
  /// frame with packets missing is handed over that much later.
  std::size_t window = 256;
  /// A step of the station's clock backwards, or forwards by more than this, begins a new epoch; a smaller
  /// step forwards is loss.
  Time longest_gap = Time(10'000'000'000);
};

/// Throws ConfigError.
void validate(const LofarAssembly& assembly);

/// What became of every datagram and of every frame. Each datagram is counted once, in one of `received`,
/// `late`, `duplicate`, `early`, `implausible` and `refused`; `reordered` ones are among those received.
struct LofarCounts {
  Tally received;
  /// Packets that never came although later ones of their lane did: sent = received + late + early + lost.
  Tally lost;
  /// Packets that came when their frame was already handed over.
  Tally late;
  Tally duplicate;
  /// Packets that came after a later one of their lane, but in time.
  Tally reordered;
  /// Packets from before the first moment of which all lanes have something.
  Tally early;
  /// Packets whose time fits nothing around them.
  Tally implausible;
  /// By LofarVerdict.
  std::array<Tally, lofar_verdict_count> refused;
  /// How often the station's clock jumped.
  Tally jumps;

  Tally frames;
  /// Handed over with packets missing that were lost.
  Tally frames_incomplete;
  /// Handed over as far as the stream went before it ended; not among the incomplete ones.
  Tally frames_cut_off;
  Tally frames_lost;
  Tally frames_dropped;

  /// For the report; a source adds its own details.
  [[nodiscard]] SourceCounters report() const;
};

/// Puts each packet at its place in its frame, whatever the order in which packets come, and hands frames
/// over in order: at once when all packets of all lanes are there, otherwise when the stream is `window`
/// packets past the frame. A pure function of the packets and of the room in the queue: no clock and no I/O,
/// so that a recording gives the same frames as the live stream did.
///
/// * Start: packets are held until every lane has shown a few, or one of them has shown a window full.
///   Frame 0 begins at the latest of the lanes' first packets. The rest of the stream is cut into frames from
///   there.
/// * Time: a packet further than 256 packets (or the window) ahead of the newest one, or older than what is
///   remembered, is put aside. Only when eight of those follow one another, and all lanes that are heard are
///   among them, the stream is taken to have moved there, so that one damaged header cannot upset it: over a
///   gap, or, when the way leads backwards or is longer than the longest gap and nothing from the old place
///   comes any more, into a new epoch, which starts anew with the next frame number.
/// * Room: a frame takes a slot with its first packet; when the queue has none, the frame is dropped
///   and counted.
class LofarAssembler {
 public:
  /// `format` and `assembly` are valid. `source` goes into the frames' headers.
  LofarAssembler(const LofarFormat& format, const LofarAssembly& assembly, std::uint32_t source,
                 FrameQueue& frames);

  /// The most frames that are begun and not handed over; one packet takes no more slots than that either.
  [[nodiscard]] static std::size_t open_frames(const LofarFormat& format, const LofarAssembly& assembly);

  /// One datagram of any bytes from a lane's port or file, O(1) and one copy of the payload. `now_ns` is when
  /// it came.
  LofarVerdict take(std::size_t lane, std::span<const std::byte> datagram, std::int64_t now_ns);

  /// The end of the stream: hands over the frames begun, with what they have.
  void finish(std::int64_t now_ns);

  [[nodiscard]] const LofarCounts& counts() const { return counts_; }

 private:
  /// A frame being assembled; no slot when there was no room for it.
  struct Open {
    FrameSlot* slot = nullptr;
    std::size_t packets = 0;
  };

  /// Packets put aside until it is clear where they belong.
  class ReorderBuffer {
   public:
    struct Packet {
      std::size_t lane;
      std::uint64_t block;
      std::span<const std::byte> payload;
    };

    explicit ReorderBuffer(std::size_t payload_bytes) : payload_bytes_(payload_bytes) {}
    void reserve(std::size_t packets);
    void put(std::size_t lane, std::uint64_t block, std::span<const std::byte> payload);
    [[nodiscard]] std::size_t size() const { return places_.size(); }
    [[nodiscard]] Packet operator[](std::size_t index) const;
    [[nodiscard]] bool has(std::size_t lane) const;
    void clear();

   private:
    std::size_t payload_bytes_;
    std::vector<std::pair<std::size_t, std::uint64_t>> places_;
    std::vector<std::byte> payloads_;
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

  void hold(std::size_t lane, std::uint64_t block, std::span<const std::byte> payload, std::int64_t now_ns);
  void begin(std::int64_t now_ns);
  void place(std::size_t lane, std::uint64_t block, std::span<const std::byte> payload, std::int64_t now_ns);
  void put(std::size_t lane, std::int64_t packet, std::span<const std::byte> payload, std::int64_t now_ns);
  void suspect(std::size_t lane, std::uint64_t block, std::span<const std::byte> payload,
               std::int64_t now_ns);
  [[nodiscard]] bool is_near(std::int64_t distance) const;
  [[nodiscard]] bool is_gap(std::uint64_t block) const;
  void refuse_suspects();
  [[nodiscard]] bool suspects_are_enough() const;
  void follow_suspects(std::int64_t now_ns);
  void advance(std::int64_t packet, std::int64_t now_ns);
  void close(std::int64_t frame, bool at_end, std::int64_t now_ns);
  void close_all(std::int64_t now_ns);
  std::size_t fill_missing(std::int64_t frame, bool at_end, FrameSlot* slot);
  [[nodiscard]] Open& open(std::int64_t frame) {
    return open_[static_cast<std::size_t>(frame) % open_.size()];
  }
  [[nodiscard]] std::span<std::byte> part(const FrameSlot& slot, std::size_t lane, std::size_t packet) const;

  LofarFormat format_;
  std::size_t part_bytes_;
  std::int64_t packets_;
  std::int64_t window_;
  /// How far ahead of the newest packet, and of one another, packets may be without question.
  std::int64_t reach_;
  std::int64_t memory_;
  std::uint64_t longest_gap_blocks_;
  std::uint32_t source_;
  FrameQueue& frames_;

  /// Packets are numbered from the block at which frame 0 of the epoch begins.
  bool begun_ = false;
  std::uint64_t origin_ = 0;
  std::uint64_t first_sequence_ = 0;
  /// Number of the newest packet of all lanes and of each; -1 for none.
  std::int64_t newest_ = -1;
  std::vector<std::int64_t> newest_of_lane_;
  /// The oldest frame not handed over.
  std::int64_t next_frame_ = 0;
  std::vector<Open> open_;
  std::vector<Seen> seen_;

  ReorderBuffer held_;
  std::vector<std::size_t> held_of_lane_;
  ReorderBuffer suspects_;
  LofarCounts counts_;
};

}  // namespace takt::sensors
