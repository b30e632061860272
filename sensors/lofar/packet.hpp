#pragma once
/// The beamlet packets of a LOFAR station ("CEP packets"): header, payload, time.
///
/// 16 bytes of header, little-endian, then `[beamlet][time=16]` of Xr Xi Yr Yi. Time is counted in blocks of
/// 1024 clocks; a packet begins 16 blocks after its predecessor, across seconds too. Layout:
/// docs/reference/lofar.md.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sensors/lofar/format.hpp"

namespace takt::sensors {

inline constexpr std::size_t lofar_header_bytes = 16;
/// Samples in time, that is blocks, in a packet.
inline constexpr std::uint64_t lofar_blocks_per_packet = 16;

/// The contents of a packet's header, valid or not.
struct LofarHeader {
  std::uint8_t version = 3;
  std::uint8_t rsp_board = 0;
  /// The station found the payload to be damaged.
  bool payload_error = false;
  std::int64_t clock_hz = 200'000'000;
  /// 16, 8 or 4; 0 for the undefined bit mode.
  int bits = 8;
  /// Bits that must be zero.
  std::uint16_t reserved = 0;
  std::uint8_t configuration = 0;
  std::uint16_t station = 0;
  std::uint8_t lane = 0;
  std::uint8_t beamlets = 0;
  std::uint8_t samples = 16;
  /// Unix second, and block within it.
  std::uint32_t second = 0;
  std::uint32_t sequence = 0;
  friend bool operator==(const LofarHeader&, const LofarHeader&) = default;
};

[[nodiscard]] LofarHeader decode_header(std::span<const std::byte, lofar_header_bytes> bytes);
void encode_header(const LofarHeader& header, std::span<std::byte, lofar_header_bytes> bytes);

/// Returns the length of a packet with this header; 0 if judge would not accept it.
[[nodiscard]] std::size_t packet_bytes_of(const LofarHeader& header);

/// Why a datagram is not a packet of the stream, in the order of the checks.
enum class LofarVerdict : std::uint8_t {
  good,
  /// Version below 3 or above 4 (LOFAR 2.0 has another header), or reserved bits set.
  version,
  error_bit,
  clock,
  bit_mode,
  /// Too short for a header; or length, beamlets or samples in time differ from the format.
  size,
  /// The second is the mark for "no time".
  second,
  /// The block lies beyond the end of its second.
  sequence,
  station,
};
inline constexpr std::size_t lofar_verdict_count = 9;

[[nodiscard]] std::string_view name_of(LofarVerdict verdict);

/// Checks a datagram by its first bytes, at least a header, and its length. Sets `header` if the datagram is
/// long enough.
[[nodiscard]] LofarVerdict judge(std::span<const std::byte> begin, std::size_t bytes,
                                 const LofarFormat& format, LofarHeader& header);
/// Checks a whole datagram of arbitrary bytes.
[[nodiscard]] LofarVerdict judge(std::span<const std::byte> datagram, const LofarFormat& format,
                                 LofarHeader& header);

/// Returns the number of a block since 1970: (second * clock + 512) / 1024 + sequence, in integers.
[[nodiscard]] std::uint64_t absolute_block(std::uint32_t second, std::uint32_t sequence,
                                           std::int64_t clock_hz);

struct BlockTime {
  std::uint32_t second = 0;
  std::uint32_t sequence = 0;
  friend bool operator==(BlockTime, BlockTime) = default;
};

/// The inverse of absolute_block, with the latest second that begins at or before the block.
[[nodiscard]] BlockTime block_time(std::uint64_t block, std::int64_t clock_hz);

/// Returns the time of a block in nanoseconds since 1970; exact for both clocks (5120 and 6400 ns/block).
[[nodiscard]] std::int64_t utc_of_block(std::uint64_t block, std::int64_t clock_hz);

/// Converts 4-bit samples (high nibble first) to 8-bit ones; `wide` is twice as long as `packed`.
void widen_nibbles(std::span<const std::byte> packed, std::span<std::byte> wide);

}  // namespace takt::sensors
