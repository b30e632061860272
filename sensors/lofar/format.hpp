#pragma once
/// The format of a LOFAR station's packets in a run, and the frames made from them.
///
/// Known before the first packet, so that the whole pipeline is checked, planned and laid out before it
/// starts.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/frames/frame.hpp"

namespace takt::sensors {

/// An observing band, by LOFAR's name. Subband s of it is centred on offset + s * clock / 1024.
struct LofarBand {
  /// `LBA` (RCU modes 1 to 4), `HBA_110_190` (mode 5), `HBA_170_230` (mode 6), `HBA_210_250` (mode 7).
  std::string_view name;
  double offset_hz;
  /// The only clock with which the band exists; 0 if both do.
  std::int64_t clock_hz;
};

/// Returns all bands, for help and schema checks.
[[nodiscard]] std::span<const LofarBand> lofar_bands();

struct LofarFormat {
  /// Streams (UDP ports or recorded files) into which the station splits its beamlets, 1 to 4.
  std::size_t lanes = 1;
  /// Beamlets in each lane's packets: at most 61, 122 or 244 with 16, 8 or 4 bits.
  std::size_t beamlets = 122;
  /// Bits of each of the real and imaginary parts: 16, 8 or 4.
  int bits = 8;
  /// 200 or 160 MHz. One block, that is one sample of a beamlet, lasts 1024 clocks.
  std::int64_t clock_hz = 200'000'000;
  /// Packets of each lane in a frame; a packet holds 16 samples in time.
  std::size_t packets = 16;
  /// The only accepted station; if empty, that of the first packets (StationChoice).
  std::optional<std::uint16_t> station;
  /// Subband (0 to 511) of each beamlet of lane 0, then of lane 1 and so on; empty if unknown.
  std::vector<int> subbands;
  /// Name of the band; required with `subbands`.
  std::string band;

  [[nodiscard]] std::size_t payload_bytes() const {
    return beamlets * 16 * 4 * static_cast<std::size_t>(bits) / 8;
  }
  [[nodiscard]] std::size_t packet_bytes() const { return 16 + payload_bytes(); }
};

/// Throws ConfigError: what is wrong, what was expected.
void validate(const LofarFormat& format);

/// Parses any number of `12..133` or `200`: the subbands of successive beamlets. Throws ConfigError.
[[nodiscard]] std::vector<int> parse_subbands(std::span<const std::string> ranges);

/// Returns the type `[packet][beamlet][time=16][polarisation=2]` of complex_int8 (8 bits, or 4 bits widened)
/// or complex_int16 (16 bits), with unmodified samples. Properties for kernels that unpack them:
/// * `beamlet` runs over the beamlets of lane 0, then lane 1 and so on (lanes * beamlets in all). Its
///   coordinates are sky frequencies in Hz, the centre of each beamlet, or empty if `subbands` is
///   unknown.
/// * sample t of packet p begins at packet.coordinates[p] + time.coordinates[t] seconds from the frame's
///   start, and is sample 16 p + t of its beamlet; samples are 1024 / clock seconds apart
///   (time.coordinates[1]).
/// * `rate_hz` is clock / 1024 / (16 * packets), `unit` is `counts`.
/// Missing packets are zeros, and flagged in `parts` of [packet][lane]. In the header `first_sample` is
/// the block number since 1970 (1024 clocks each), `parts` is lanes * packets.
[[nodiscard]] FrameType lofar_frame_type(const LofarFormat& format);

}  // namespace takt::sensors
