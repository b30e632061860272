#pragma once
/// A time other than the stream's that is supported by the packets of one lane.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt::sensors {

/// The thresholds for a candidate. Distances are in ticks of the sender's clock.
struct CandidateLimits {
  std::int64_t ticks_per_packet = 1;
  /// A packet continues a candidate up to this distance from the candidate's last packet.
  std::int64_t reach = 0;
  /// Two successive packets continue it over a forward gap of at most this length.
  std::int64_t longest_gap = 0;
  /// Number of its latest packets kept with their payloads.
  std::size_t kept_packets = 0;
  std::size_t payload_bytes = 0;
};

/// A majority vote in one pass (Boyer and Moore, MJRTY, 1991): a packet that continues the candidate adds one
/// to its evidence, any other packet of the lane subtracts one. A candidate without evidence is replaced by
/// the next packet elsewhere. The evidence is thus the lead of the candidate's packets over all others in any
/// order: a burst counts by its length only, and any share above one half wins eventually.
///
/// Copies of packets at the stream's time are a separate kind of evidence, since networks duplicate packets:
/// a new packet at the stream's time clears it.
///
/// The latest packets elsewhere are kept, so that a stream that moves there loses nothing.
class TimeCandidate {
 public:
  /// Far from the stream's position; or near it and already counted as one of these.
  enum class Kind : std::uint8_t { far, duplicate, late, early };

  struct Packet {
    std::uint64_t tick;
    Kind kind;
    std::span<const std::byte> payload;
  };

  explicit TimeCandidate(const CandidateLimits& limits) : limits_(limits) {}

  /// Records a packet that is not a new one at the stream's time. O(1), with one copy of the payload.
  void take(std::uint64_t tick, Kind kind, std::span<const std::byte> payload);
  /// Records a new packet of this lane at the stream's time.
  void contradict();
  /// Discards the candidate and its kept packets.
  void clear();

  /// Return the evidence of packets far from the stream's position, and of copies.
  [[nodiscard]] std::uint64_t far() const { return far_; }
  [[nodiscard]] std::uint64_t copies() const { return copies_; }
  [[nodiscard]] bool has_evidence() const { return far_ + copies_ > 0; }
  /// Reports whether the candidate places the stream at this tick.
  [[nodiscard]] bool agrees(std::uint64_t tick) const { return has_evidence() && is_near(tick, last_tick_); }
  [[nodiscard]] std::uint64_t last_tick() const { return last_tick_; }
  /// Returns the far packets so far that continued one another.
  [[nodiscard]] std::uint64_t length() const { return length_; }

  /// Returns the kept packets of the candidate in arrival order. O(kept packets).
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
  /// Ticks of the candidate's last packet, and of the last packet elsewhere than at the stream's time.
  std::uint64_t last_tick_ = 0, latest_tick_ = 0;
  /// A ring from `first_` on, once it is full.
  std::size_t first_ = 0;
  std::vector<Place> places_;
  std::vector<std::byte> payloads_;
};

}  // namespace takt::sensors
