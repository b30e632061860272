#pragma once
/// The packets in which a LOFAR station sends its beamlets ("CEP packets"): header, payload, time.
///
/// 16 bytes of header, little-endian, then `[beamlet][time=16]` of Xr Xi Yr Yi. Time is counted in blocks of
/// 1024 clocks; a packet begins 16 blocks after the one before it, across seconds too. Layout:
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
inline constexpr std::uint64_t lofar_blocks_a_packet = 16;

/// What a packet's header says, whether or not it makes sense.
struct LofarHeader {
  std::uint8_t version = 3;
  std::uint8_t rsp_board = 0;
  /// The station found the payload to be damaged.
  bool payload_error = false;
  std::int64_t clock_hz = 200'000'000;
  /// 16, 8 or 4; 0 for the bit mode that does not exist.
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

/// How long a packet with this header is; 0 where it is no header that judge would take.
[[nodiscard]] std::size_t packet_bytes_of(const LofarHeader& header);

/// Why a datagram is not a packet of the stream, in the order in which it is found out.
enum class LofarVerdict : std::uint8_t {
  good,
  /// Version below 3 or above 4 (LOFAR 2.0 has another header), or reserved bits set.
  version,
  error_bit,
  clock,
  bit_mode,
  /// Too short for a header; or length, beamlets or samples in time other than the format's.
  size,
  /// The second is the mark for "no time".
  second,
  /// The block lies beyond the end of its second.
  sequence,
  station,
};
inline constexpr std::size_t lofar_verdict_count = 9;

[[nodiscard]] std::string_view name_of(LofarVerdict verdict);

/// Judges a datagram by its first bytes, of which at least a header is needed, and its length. `header` is
/// what it says, where it is long enough to say anything.
[[nodiscard]] LofarVerdict judge(std::span<const std::byte> begin, std::size_t bytes,
                                 const LofarFormat& format, LofarHeader& header);
/// Judges a whole datagram of any bytes.
[[nodiscard]] LofarVerdict judge(std::span<const std::byte> datagram, const LofarFormat& format,
                                 LofarHeader& header);

/// Number of a block since 1970: (second * clock + 512) / 1024 + sequence, in integers.
[[nodiscard]] std::uint64_t absolute_block(std::uint32_t second, std::uint32_t sequence,
                                           std::int64_t clock_hz);

struct BlockTime {
  std::uint32_t second = 0;
  std::uint32_t sequence = 0;
  friend bool operator==(BlockTime, BlockTime) = default;
};

/// The inverse of absolute_block, with the latest second that begins at or before the block.
[[nodiscard]] BlockTime block_time(std::uint64_t block, std::int64_t clock_hz);

/// Nanoseconds since 1970 at which a block begins; exact for both clocks (5120 and 6400 ns a block).
[[nodiscard]] std::int64_t utc_of_block(std::uint64_t block, std::int64_t clock_hz);

/// 4-bit samples (the high nibble is the first component) to 8-bit ones; `wide` is twice as long as `packed`.
void widen_nibbles(std::span<const std::byte> packed, std::span<std::byte> wide);

}  // namespace takt::sensors
