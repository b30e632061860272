#pragma once
/// A buffer of packets until the start of a stream is known.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt::sensors {

/// Packets of all lanes in arrival order.
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
  /// Returns the indices in the order of ticks.
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

}  // namespace takt::sensors
