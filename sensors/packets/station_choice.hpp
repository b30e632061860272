#pragma once
/// The choice of the station whose packets form the stream, if the options name none.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace takt::sensors {

/// Selects the requested station, or else that of the first valid packet. Until enough of its packets have
/// arrived, another station replaces it with the same number of packets in a row. A damaged or forged first
/// packet thus does not exclude the station.
class StationChoice {
 public:
  static constexpr std::size_t packets_to_be_sure = 16;

  explicit StationChoice(std::optional<std::uint16_t> asked)
      : chosen_(asked), accepted_(asked ? packets_to_be_sure : 0) {}

  /// Checks a packet that is valid except possibly for its station. Returns whether it is accepted.
  [[nodiscard]] bool takes(std::uint16_t station) {
    if (!chosen_) chosen_ = station;
    if (station == *chosen_) {
      if (accepted_ < packets_to_be_sure) ++accepted_;
      in_a_row_ = 0;
      return true;
    }
    if (accepted_ == packets_to_be_sure) return false;
    in_a_row_ = station == other_ ? in_a_row_ + 1 : 1;
    other_ = station;
    if (in_a_row_ < packets_to_be_sure) return false;
    chosen_ = station;
    accepted_ = packets_to_be_sure;
    return true;
  }

 private:
  std::optional<std::uint16_t> chosen_;
  /// Packets of the chosen station, up to a limit; and packets of another station since then.
  std::size_t accepted_;
  std::uint16_t other_ = 0;
  std::size_t in_a_row_ = 0;
};

}  // namespace takt::sensors
