#pragma once
/// What the packets of one VDIF stream look like in a run, and the frames that are made of them.

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
  /// Threads to take, in the order in which their channels lie in a frame: lanes.
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
  /// The only station to accept; without one, that of the first packets (StationChoice).
  std::optional<std::uint16_t> station;
  /// Complete samples a second of each channel. A second holds a whole number of packets.
  double sample_hz = 0;
  /// Packets of each thread in a frame.
  std::size_t packets = 1;
  /// How many successive threads are polarisations of the same channels: 1 or 2.
  std::size_t polarisations = 1;
  /// Sky frequency of the first channel (of complex samples its centre, of real ones where they have their
  /// frequency 0), and from there to the next one; of the threads' channels one after the other. 0: not
  /// known.
  double frequency_hz = 0, spacing_hz = 0;
  /// What the user should know of the headers from which the format was learnt, one sentence each.
  std::vector<std::string> notes = {};
  /// What these headers say of the observation (Source::description).
  std::vector<std::string> description = {};

  /// Real and imaginary parts of all channels of a moment.
  [[nodiscard]] std::size_t numbers_a_sample() const { return channels * (is_complex ? 2 : 1); }
  /// Complete samples in a packet.
  [[nodiscard]] std::size_t samples() const;
  [[nodiscard]] std::size_t header_bytes() const { return is_legacy ? vdif_legacy_bytes : vdif_header_bytes; }
  [[nodiscard]] std::size_t prefix_bytes() const { return has_sequence ? 8 : 0; }
  [[nodiscard]] std::size_t packet_bytes() const { return prefix_bytes() + header_bytes() + payload_bytes; }
  /// Packets a second of each thread.
  [[nodiscard]] std::int64_t packets_a_second() const;
};

/// Throws OptionError.
void validate(const VdifFormat& format);

/// Frames are `float32` or `complex_float32` `[beamlet][time][polarisation]`, samples decoded
/// (vdif/samples.hpp), what is missing NaN: beamlets are the channels of the first thread (of the first
/// threads, where they are polarisations), then those of the next; time has `packets * samples()` entries.
/// Throws OptionError.
[[nodiscard]] FrameType vdif_frame_type(const VdifFormat& format);

/// Why a datagram is not a packet of the stream, in the order in which it is found out.
enum class VdifVerdict : std::uint8_t {
  good,
  /// Too short for a header, or of another length than the header or the format says.
  size,
  /// A legacy header where none is expected, or the other way round; no sync word where there must be one; a
  /// Mark 5B frame (EDV 0xAB).
  header,
  /// Of other bits or channels, real instead of complex or the other way round.
  sampling,
  /// A number of the frame beyond the end of its second.
  frame,
  station,
  /// None of the threads that are taken.
  thread,
  /// Marked as damaged by its sender. Nothing else that its header says counts.
  invalid,
};
inline constexpr std::size_t vdif_verdict_count = 8;
[[nodiscard]] std::string_view name_of(VdifVerdict verdict);

/// Judges a whole packet of any bytes, without what comes before its header. `header` is what it says, where
/// it is long enough to say anything; `lane` its thread's place in the format.
[[nodiscard]] VdifVerdict judge(std::span<const std::byte> packet, const VdifFormat& format,
                                VdifHeader& header, std::size_t& lane);

}  // namespace takt::sensors
