#pragma once
/// The time at which one lane's packets put the stream, where it is not the stream's own.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt::sensors {

/// What a candidate is measured by. Distances are in ticks of the sender's clock.
struct CandidateLimits {
  std::int64_t ticks_a_packet = 1;
  /// A packet continues a candidate up to this distance from its last packet.
  std::int64_t reach = 0;
  /// Two packets in a row continue it over a gap ahead of up to this.
  std::int64_t longest_gap = 0;
  /// Its latest packets, which are kept with their payloads.
  std::size_t kept_packets = 0;
  std::size_t payload_bytes = 0;
};

/// A majority vote in one pass (Boyer and Moore, MJRTY, 1991): a packet that continues the candidate adds one
/// to its evidence, every other packet of the lane takes one away, and a candidate without evidence gives way
/// to the next packet elsewhere. The evidence is thus the lead of the candidate's packets over all others,
/// whatever their order: a burst is worth its length and no more, and any share above a half wins in the end.
///
/// Copies of packets at the stream's time are evidence of another kind, as networks make copies: a new packet
/// at the stream's time takes it all away.
///
/// The latest packets elsewhere are kept, so that a stream that moves there loses nothing.
class TimeCandidate {
 public:
  /// Far from the stream's place; or near it, and already counted as one of these.
  enum class Kind : std::uint8_t { far, duplicate, late, early };

  struct Packet {
    std::uint64_t tick;
    Kind kind;
    std::span<const std::byte> payload;
  };

  explicit TimeCandidate(const CandidateLimits& limits) : limits_(limits) {}

  /// A packet that is not a new one at the stream's time. O(1), and one copy of the payload.
  void take(std::uint64_t tick, Kind kind, std::span<const std::byte> payload);
  /// A new packet at the stream's time came in this lane.
  void contradict();
  /// Gives the candidate up, and what is kept.
  void clear();

  /// Of packets that are far from the stream's place, and of copies.
  [[nodiscard]] std::uint64_t far() const { return far_; }
  [[nodiscard]] std::uint64_t copies() const { return copies_; }
  [[nodiscard]] bool has_evidence() const { return far_ + copies_ > 0; }
  /// Whether it puts the stream at this tick.
  [[nodiscard]] bool agrees(std::uint64_t tick) const { return has_evidence() && is_near(tick, last_tick_); }
  [[nodiscard]] std::uint64_t last_tick() const { return last_tick_; }
  /// Far packets so far that continued one another.
  [[nodiscard]] std::uint64_t length() const { return length_; }

  /// What is kept of the candidate, in the order in which it came. O(kept packets).
  [[nodiscard]] std::vector<Packet> packets() const;

 private:
  struct Place {
    std::uint64_t tick;
    Kind kind;
    /// Number of the candidate that it continued; 0 for none.
    std::uint64_t candidate;
  };

  [[nodiscard]] bool is_near(std::uint64_t tick, std::uint64_t other) const;
  [[nodiscard]] bool continues(std::uint64_t tick) const;
  void keep(const Place& place, std::span<const std::byte> payload);

  CandidateLimits limits_;
  std::uint64_t far_ = 0, copies_ = 0;
  /// Candidates so far; packets of the present one.
  std::uint64_t number_ = 0;
  std::uint64_t length_ = 0;
  /// Of the candidate's last packet, and of the last packet elsewhere than at the stream's time.
  std::uint64_t last_tick_ = 0, latest_tick_ = 0;
  /// A ring from `first_` on, once it is full.
  std::size_t first_ = 0;
  std::vector<Place> places_;
  std::vector<std::byte> payloads_;
};

}  // namespace takt::sensors
