#pragma once
/// The format of an LWA stream's packets in a run, and the frames made from them.

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
  /// Accepted signals, in their order in a frame, each with both polarisations: stands for TBN, from 1 on;
  /// results of drx_signal for DRX.
  std::vector<std::uint16_t> signals;
  /// Complex samples per second: the clock of 196 MHz divided by a whole number.
  double sample_hz = 0;
  /// Packets of each signal and polarisation in a frame.
  std::size_t packets = 1;
  /// Centre frequency of each signal; empty: unknown.
  std::vector<double> frequencies_hz;

  [[nodiscard]] std::size_t packet_bytes() const { return lwa_packet_bytes(mode); }
  /// Return the clocks per sample, and between successive packets of a signal.
  [[nodiscard]] std::uint64_t decimation() const;
  [[nodiscard]] std::uint64_t clocks_per_packet() const { return decimation() * lwa_samples(mode); }
  /// Returns the simultaneous packets: of both polarisations of all signals.
  [[nodiscard]] std::size_t packets_per_moment() const { return 2 * signals.size(); }
  [[nodiscard]] double moments_per_second() const {
    return static_cast<double>(lwa_clock_hz) / static_cast<double>(clocks_per_packet());
  }
};

/// For DRX: beams 1 to 7, tunings 1 to 7.
[[nodiscard]] constexpr std::uint16_t drx_signal(unsigned beam, unsigned tuning) {
  return static_cast<std::uint16_t>(beam | tuning << 3);
}
/// Returns `stand 3`, or `beam 1, tuning 2`.
[[nodiscard]] std::string name_of_signal(LwaMode mode, std::uint16_t signal);

/// Throws OptionError.
void validate(const LwaFormat& format);

/// `complex_float32` `[beamlet][time][polarisation=2]`: a beamlet for each signal; missing samples are NaN.
/// Throws OptionError.
[[nodiscard]] FrameType lwa_frame_type(const LwaFormat& format);

/// Why a datagram is not a packet of the stream, in the order of the checks.
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
  /// Not one of the accepted signals.
  signal,
  /// A time between those of the stream's packets.
  time,
};
inline constexpr std::size_t lwa_verdict_count = 7;
[[nodiscard]] std::string_view name_of(LwaVerdict verdict);

/// Checks a datagram of arbitrary bytes, except for its time. Sets `header` if the datagram is long enough,
/// and `place` to the packet's position among simultaneous ones: `2 * signal + polarisation`.
[[nodiscard]] LwaVerdict judge(std::span<const std::byte> datagram, const LwaFormat& format,
                               LwaHeader& header, std::size_t& place);

}  // namespace takt::sensors
