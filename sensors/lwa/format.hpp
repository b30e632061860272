#pragma once
/// What the packets of one LWA stream look like in a run, and the frames that are made of them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sensors/frames/frame.hpp"
#include "sensors/lwa/packet.hpp"

namespace takt::sensors {

struct LwaFormat {
  LwaMode mode = LwaMode::drx;
  /// Signals to take, in their order in a frame, each with both polarisations: stands of TBN, from 1 on; of
  /// DRX as drx_signal makes them.
  std::vector<std::uint16_t> signals;
  /// Complex samples a second: the clock of 196 MHz divided by a whole number.
  double sample_hz = 0;
  /// Packets of each signal and polarisation in a frame.
  std::size_t packets = 1;
  /// Centre frequency of each signal; none: not known.
  std::vector<double> frequencies_hz;

  [[nodiscard]] std::size_t packet_bytes() const { return lwa_packet_bytes(mode); }
  /// Clocks per sample, and from one packet of a signal to the next.
  [[nodiscard]] std::uint64_t decimation() const;
  [[nodiscard]] std::uint64_t clocks_a_packet() const { return decimation() * lwa_samples(mode); }
  /// Packets of one moment: of both polarisations of all signals.
  [[nodiscard]] std::size_t packets_a_moment() const { return 2 * signals.size(); }
  [[nodiscard]] double moments_a_second() const {
    return static_cast<double>(lwa_clock_hz) / static_cast<double>(clocks_a_packet());
  }
};

/// Of DRX: beams 1 to 7, tunings 1 to 7.
[[nodiscard]] constexpr std::uint16_t drx_signal(unsigned beam, unsigned tuning) {
  return static_cast<std::uint16_t>(beam | tuning << 3);
}
/// `stand 3`, or `beam 1, tuning 2`.
[[nodiscard]] std::string name_of_signal(LwaMode mode, std::uint16_t signal);

/// Throws OptionError.
void validate(const LwaFormat& format);

/// `complex_float32` `[beamlet][time][polarisation=2]`: a beamlet for each signal; what is missing is NaN.
/// Throws OptionError.
[[nodiscard]] FrameType lwa_frame_type(const LwaFormat& format);

/// Why a datagram is not a packet of the stream, in the order in which it is found out.
enum class LwaVerdict : std::uint8_t {
  good,
  /// Of another length.
  size,
  /// Without the sync word.
  sync,
  /// A bit set that is zero in this mode: of wide-band data (TBW), or of another mode.
  mode,
  /// DRX: of another decimation.
  rate,
  /// None of the signals that are taken.
  signal,
  /// A time between those of the stream's packets.
  time,
};
inline constexpr std::size_t lwa_verdict_count = 7;
[[nodiscard]] std::string_view name_of(LwaVerdict verdict);

/// Judges a datagram of any bytes, but for its time. `header` is what it says, where it is long enough;
/// `place` the packet's place among those of one moment: `2 * signal + polarisation`.
[[nodiscard]] LwaVerdict judge(std::span<const std::byte> datagram, const LwaFormat& format,
                               LwaHeader& header, std::size_t& place);

}  // namespace takt::sensors
