#pragma once
/// Samples of 1 to 32 bits in a VDIF payload.
///
/// Numbers (samples, or their real and imaginary parts) of all channels at one time are adjacent, packed into
/// 32-bit little-endian words from the least significant bit on. A word holds a whole number of complete
/// samples, or, if one is larger than a word, a power of two of its numbers; the remaining bits are unused.
/// Codes are offset binary: 1 bit represents -1 and 1; 2 bits -3.3165, -1, 1 and 3.3165 (the levels of an
/// optimal quantiser of noise); for B bits, 3 or more, a code c represents c - 2^(B-1).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt::sensors {

/// Returns the complete samples in this many payload bytes; 0 if not even one fits.
[[nodiscard]] std::size_t vdif_samples(std::size_t payload_bytes, int bits, std::size_t numbers_per_sample);

/// Decodes and encodes payloads of one kind.
class VdifSamples {
 public:
  VdifSamples(int bits, std::size_t numbers_per_sample);

  /// Decodes as many numbers as the payload's complete samples have.
  void decode(std::span<const std::byte> payload, std::span<float> numbers) const;
  /// Encodes the nearest codes; values beyond them are clipped. Unused bits are zeros.
  void encode(std::span<const float> numbers, std::span<std::byte> payload) const;

 private:
  [[nodiscard]] float value_of(std::uint32_t code) const;
  [[nodiscard]] std::uint32_t code_of(float value) const;

  int bits_;
  /// Numbers in a word.
  std::size_t in_word_;
  /// For each value of a byte its numbers, if bytes have no unused bits.
  std::vector<float> table_;
};

}  // namespace takt::sensors
