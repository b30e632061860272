#pragma once
/// Delivery of a station's packets to an assembler one by one, and the expected contents of its frames.

#include <set>

#include "sensors/lofar/assembler.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::test {

inline constexpr std::uint64_t base_block = 323528554687526;
/// Bytes of samples in a packet.
inline constexpr std::size_t station_payload = 64;

/// Packet `number` of a lane, counted from base_block.
struct Delivery {
  std::size_t lane;
  std::int64_t number;
};

class Station {
 public:
  Station(std::size_t lanes, std::size_t packets, std::size_t window, std::size_t slots = 4096)
      : format_(small_format(lanes, packets)),
        queue_(slots, sensors::lofar_frame_type(format_).size()),
        assembler_(format_, {.window = window}, 3, queue_) {}

  void deliver(const Delivery& delivery) {
    const std::uint64_t block = base_block + static_cast<std::uint64_t>(delivery.number * 16);
    take(delivery.lane, make_packet(format_, delivery.lane, block,
                                    payload_of(station_payload, delivery.lane,
                                               static_cast<std::uint64_t>(delivery.number))));
  }
  void deliver(std::size_t lane, std::int64_t first, std::int64_t last) {
    for (std::int64_t number = first; number <= last; ++number) deliver({lane, number});
  }
  void take(std::size_t lane, const Bytes& packet) { assembler_.take(lane, packet, ++now_); }
  void finish() { assembler_.finish(++now_); }
  std::vector<KeptFrame> frames() { return take_all(queue_); }

  [[nodiscard]] const sensors::LofarCounts& counts() const { return assembler_.counts(); }
  [[nodiscard]] const sensors::LofarFormat& format() const { return format_; }
  [[nodiscard]] sensors::FrameQueue& queue() { return queue_; }

 private:
  sensors::LofarFormat format_;
  sensors::FrameQueue queue_;
  sensors::LofarAssembler assembler_;
  std::int64_t now_ = 0;
};

/// Returns the expected contents of a frame from the set of arrived packets: no order, no window, no state.
inline Bytes expected_frame(const sensors::LofarFormat& format,
                            const std::set<std::pair<std::size_t, std::int64_t>>& came, std::int64_t first) {
  Bytes bytes;
  for (std::size_t p = 0; p < format.packets; ++p)
    for (std::size_t lane = 0; lane < format.lanes; ++lane) {
      const std::int64_t number = first + static_cast<std::int64_t>(p);
      const Bytes part = came.contains({lane, number})
                             ? payload_of(station_payload, lane, static_cast<std::uint64_t>(number))
                             : Bytes(station_payload, std::byte{0});
      bytes.insert(bytes.end(), part.begin(), part.end());
    }
  for (std::size_t p = 0; p < format.packets; ++p)
    for (std::size_t lane = 0; lane < format.lanes; ++lane)
      bytes.push_back(std::byte{!came.contains({lane, first + static_cast<std::int64_t>(p)})});
  return bytes;
}

}  // namespace takt::test
