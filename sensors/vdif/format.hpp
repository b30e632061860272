#pragma once
/// The format of a VDIF stream's packets in a run, and the frames made from them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sensors/frames/frame.hpp"
#include "sensors/vdif/header.hpp"

namespace takt::sensors {

struct VdifFormat {
  /// Accepted threads, in the order of their channels in a frame: lanes.
  std::vector<std::uint16_t> threads{0};
  /// Of each thread; a power of two.
  std::size_t channels = 1;
  /// 1 to 32.
  int bits = 2;
  bool is_complex = false;
  /// Bytes of samples in a packet, a multiple of 8.
  std::size_t payload_bytes = 8000;
  bool is_legacy = false;
  /// Whether each packet over UDP begins with its number, 64 bits (VTP).
  bool has_sequence = false;
  /// The only accepted station; if empty, that of the first packets (StationChoice).
  std::optional<std::uint16_t> station;
  /// Complete samples per second of each channel. A second holds a whole number of packets.
  double sample_hz = 0;
  /// Packets of each thread in a frame.
  std::size_t packets = 1;
  /// How many successive threads are polarisations of the same channels: 1 or 2.
  std::size_t polarisations = 1;
  /// Sky frequency of the first channel, and the distance to the next one, over the channels of all
  /// threads in order. It is a channel's centre for complex samples, and its frequency 0 for real ones. 0:
  /// unknown.
  double frequency_hz = 0, spacing_hz = 0;
  /// Warnings about the headers from which the format was derived, one sentence each.
  std::vector<std::string> notes = {};
  /// The headers' description of the observation (Source::description).
  std::vector<std::string> description = {};

  /// Counts the real and imaginary parts of all channels at one time.
  [[nodiscard]] std::size_t numbers_per_sample() const { return channels * (is_complex ? 2 : 1); }
  /// Returns the complete samples in a packet.
  [[nodiscard]] std::size_t samples() const;
  [[nodiscard]] std::size_t header_bytes() const { return is_legacy ? vdif_legacy_bytes : vdif_header_bytes; }
  [[nodiscard]] std::size_t prefix_bytes() const { return has_sequence ? 8 : 0; }
  [[nodiscard]] std::size_t packet_bytes() const { return prefix_bytes() + header_bytes() + payload_bytes; }
  /// Returns the packets per second of each thread.
  [[nodiscard]] std::int64_t packets_per_second() const;
};

/// Throws OptionError.
void validate(const VdifFormat& format);

/// Frames are `float32` or `complex_float32` `[beamlet][time][polarisation]`, with decoded samples
/// (vdif/samples.hpp) and NaN for missing ones. Beamlets are the channels of the first thread (of the first
/// threads, if they are polarisations), then those of the next; time has `packets * samples()` entries.
/// Throws OptionError.
[[nodiscard]] FrameType vdif_frame_type(const VdifFormat& format);

/// Why a datagram is not a packet of the stream, in the order of the checks.
enum class VdifVerdict : std::uint8_t {
  good,
  /// Too short for a header, or of another length than in the header or the format.
  size,
  /// Legacy instead of full header or vice versa; a required sync word is absent; a Mark 5B frame (EDV
  /// 0xAB).
  header,
  /// Another number of bits or channels, real instead of complex or vice versa.
  sampling,
  /// The frame number is beyond the end of its second.
  frame,
  station,
  /// Not one of the accepted threads.
  thread,
  /// Marked as damaged by its sender. The rest of its header is ignored.
  invalid,
};
inline constexpr std::size_t vdif_verdict_count = 8;
[[nodiscard]] std::string_view name_of(VdifVerdict verdict);

/// Checks a whole packet of arbitrary bytes, starting at its header. Sets `header` if the packet is long
/// enough, and `lane` to its thread's position in the format.
[[nodiscard]] VdifVerdict judge(std::span<const std::byte> packet, const VdifFormat& format,
                                VdifHeader& header, std::size_t& lane);

}  // namespace takt::sensors
