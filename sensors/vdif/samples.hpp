#pragma once
/// Samples of 1 to 32 bits as they lie in a VDIF payload.
///
/// Numbers (samples, or their real and imaginary parts) of all channels of one moment after the other, packed
/// into 32-bit little-endian words from the least significant bit on. A word holds a whole number of complete
/// samples, or, where one is larger than a word, a power of two of its numbers; the bits that are left over
/// are not used. Codes are offset binary: 1 bit stands for -1 and 1; 2 bits for -3.3165, -1, 1 and 3.3165
/// (the levels of an optimal quantiser of noise); of B bits, 3 or more, a code c stands for c - 2^(B-1).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt::sensors {

/// Complete samples in so many bytes of payload. 0 where there is no room for one.
[[nodiscard]] std::size_t vdif_samples(std::size_t payload_bytes, int bits, std::size_t numbers_a_sample);

/// Decodes and encodes payloads of one kind.
class VdifSamples {
 public:
  VdifSamples(int bits, std::size_t numbers_a_sample);

  /// As many numbers as fit the payload's complete samples.
  void decode(std::span<const std::byte> payload, std::span<float> numbers) const;
  /// The nearest codes; what is beyond them is cut off. Bits that are not used are zeros.
  void encode(std::span<const float> numbers, std::span<std::byte> payload) const;

 private:
  [[nodiscard]] float value_of(std::uint32_t code) const;
  [[nodiscard]] std::uint32_t code_of(float value) const;

  int bits_;
  /// Numbers in a word.
  std::size_t in_word_;
  /// Of each value of a byte the numbers in it, where bytes are filled whole.
  std::vector<float> table_;
};

}  // namespace takt::sensors
