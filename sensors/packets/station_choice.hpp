#pragma once
/// Whose packets a stream consists of, where nobody has said it.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace takt::sensors {

/// The station that was asked for. Where none was, that of the first good packet; but until some of its
/// packets have come, another one takes its place of which as many come in a row, so that a damaged or forged
/// packet at the beginning does not shut the station out.
class StationChoice {
 public:
  static constexpr std::size_t packets_to_be_sure = 16;

  explicit StationChoice(std::optional<std::uint16_t> asked)
      : chosen_(asked), heard_(asked ? packets_to_be_sure : 0) {}

  /// A packet that is good but for its station, which may be another one. Whether it is taken.
  [[nodiscard]] bool takes(std::uint16_t station) {
    if (!chosen_) chosen_ = station;
    if (station == *chosen_) {
      if (heard_ < packets_to_be_sure) ++heard_;
      in_a_row_ = 0;
      return true;
    }
    if (heard_ == packets_to_be_sure) return false;
    in_a_row_ = station == other_ ? in_a_row_ + 1 : 1;
    other_ = station;
    if (in_a_row_ < packets_to_be_sure) return false;
    chosen_ = station;
    heard_ = packets_to_be_sure;
    return true;
  }

 private:
  std::optional<std::uint16_t> chosen_;
  /// Packets of the chosen one, as far as they are counted; and of another one since then.
  std::size_t heard_;
  std::uint16_t other_ = 0;
  std::size_t in_a_row_ = 0;
};

}  // namespace takt::sensors
