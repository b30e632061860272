#pragma once
/// Packets put aside until it is clear where they belong.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt::sensors {

/// Packets of all lanes, in the order in which they came.
class HeldPackets {
 public:
  struct Packet {
    std::size_t lane;
    std::uint64_t tick;
    std::span<const std::byte> payload;
  };

  explicit HeldPackets(std::size_t payload_bytes) : payload_bytes_(payload_bytes) {}
  void reserve(std::size_t packets);
  void put(std::size_t lane, std::uint64_t tick, std::span<const std::byte> payload);
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] Packet operator[](std::size_t index) const;
  /// Indices in the order of ticks.
  [[nodiscard]] std::vector<std::size_t> in_order() const;
  void clear();

 private:
  struct Place {
    std::size_t lane;
    std::uint64_t tick;
  };
  std::size_t payload_bytes_;
  std::vector<Place> places_;
  std::vector<std::byte> payloads_;
};

/// One lane's run of packets that follow one another and speak for another place than the stream's. The
/// latest ones are kept with their payloads, at most `most_kept`; the run may be longer.
class Suspects {
 public:
  /// Far from the stream's place; or near it, and already counted as one of these.
  enum class Kind : std::uint8_t { far, duplicate, late, early };
  static constexpr std::size_t most_kept = 64;

  struct Packet {
    std::uint64_t tick;
    Kind kind;
    std::span<const std::byte> payload;
  };

  explicit Suspects(std::size_t payload_bytes) : payload_bytes_(payload_bytes) {}

  /// The oldest one makes room where most_kept are there.
  void add(std::uint64_t tick, Kind kind, std::span<const std::byte> payload);
  [[nodiscard]] std::size_t size() const { return places_.size(); }
  [[nodiscard]] Packet operator[](std::size_t index) const;
  /// Packets of the run so far, kept or not; those far away among them, and repetitions of what had come
  /// before.
  [[nodiscard]] std::size_t length() const { return length_; }
  [[nodiscard]] std::size_t far() const { return far_; }
  [[nodiscard]] std::size_t repetitions() const { return repetitions_; }
  [[nodiscard]] std::uint64_t last_tick() const { return last_tick_; }
  /// How many of those that are kept came behind a later one, copies apart. O(size^2).
  [[nodiscard]] std::size_t overtaken() const;
  void clear();

 private:
  struct Place {
    std::uint64_t tick;
    Kind kind;
  };
  std::size_t payload_bytes_;
  /// A ring from `first_` on, once it is full.
  std::size_t first_ = 0;
  std::vector<Place> places_;
  std::vector<std::byte> payloads_;
  std::size_t length_ = 0, far_ = 0, repetitions_ = 0;
  std::uint64_t last_tick_ = 0;
};

}  // namespace takt::sensors
