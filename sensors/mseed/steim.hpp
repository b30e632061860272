#pragma once
/// Steim-1 and Steim-2: difference compression of integers for seismic networks.
///
/// Frames of 16 words of 32 bits, big-endian. A frame's first word has two bits per word with the number
/// of differences in it: 1: four of 8 bits; Steim-1, 2: two of 16, 3: one of 32; Steim-2, by the two top
/// bits of the word itself, 2: one of 30, two of 15, three of 10; 3: five of 6, six of 5, seven of 4. The
/// first frame's words 1 and 2 are the first and the last sample. Source: SEED Reference Manual 2.4,
/// appendix B.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace takt::sensors {

enum class SteimLevel : std::uint8_t { one = 1, two = 2 };

inline constexpr std::size_t steim_frame_bytes = 64;
/// Largest number of differences in a frame: seven in each word but the first one.
inline constexpr std::size_t most_steim_differences = 7 * 15;

/// Decodes this many samples; returns nothing if the frames hold fewer, or a word is invalid. Does not
/// compare the last sample in the first frame: the record's checksum covers its bytes. O(samples).
[[nodiscard]] std::optional<std::vector<std::int32_t>> decode_steim(std::span<const std::byte> frames,
                                                                    std::size_t samples, SteimLevel level);

struct SteimPiece {
  /// Number of encoded samples, from the first one on.
  std::size_t samples = 0;
  /// Whole frames, as many as necessary.
  std::vector<std::byte> frames;
};

/// Encodes as many samples as fit this many frames. Steim-2 ends before a sample that differs from its
/// predecessor by 2^29 or more, which begins the next piece. The first difference is 0, as without a previous
/// sample.
[[nodiscard]] SteimPiece encode_steim(std::span<const std::int32_t> samples, std::size_t most_frames,
                                      SteimLevel level);

}  // namespace takt::sensors
