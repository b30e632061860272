/// Tests that payloads of every number of bits are decoded by the specification's packing.

#include "sensors/vdif/samples.hpp"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

namespace takt::sensors {
namespace {

/// The reference: a payload as a row of bits, from which codes are extracted one by one.
class Bits {
 public:
  explicit Bits(std::size_t bytes) : bits_(8 * bytes) {}
  void put(std::size_t at, int count, std::uint32_t code) {
    for (int bit = 0; bit < count; ++bit) bits_[at + static_cast<std::size_t>(bit)] = (code >> bit & 1) != 0;
  }
  [[nodiscard]] std::vector<std::byte> bytes() const {
    std::vector<std::byte> bytes(bits_.size() / 8);
    for (std::size_t i = 0; i < bits_.size(); ++i)
      if (bits_[i]) bytes[i / 8] |= std::byte{1} << (i % 8);
    return bytes;
  }

 private:
  std::vector<bool> bits_;
};

double level_of(std::uint32_t code, int bits) {
  if (bits == 1) return code == 1 ? 1 : -1;
  if (bits == 2) return std::vector<double>{-3.3165, -1, 1, 3.3165}[code];
  return code - std::pow(2.0, bits - 1);
}

TEST(VdifSamples, of_every_number_of_bits_are_decoded_and_encoded) {
  std::mt19937 random(3);
  for (int bits = 1; bits <= 32; ++bits)
    for (const std::size_t numbers : {1U, 2U, 4U, 8U, 16U, 64U}) {
      constexpr std::size_t bytes = 1024;
      const VdifSamples codec(bits, numbers);
      const std::size_t samples = vdif_samples(bytes, bits, numbers);
      ASSERT_GT(samples, 0U);
      // A word holds whole samples or, if one is larger, a power of two of its numbers.
      const auto most = static_cast<std::size_t>(32 / bits);
      std::size_t in_word = most;
      if (numbers <= most)
        while (in_word % numbers != 0) --in_word;
      else
        while ((in_word & (in_word - 1)) != 0) --in_word;
      ASSERT_EQ(samples, bytes / 4 * in_word / numbers);
      Bits packed(bytes);
      std::vector<float> expected;
      for (std::size_t i = 0; i < samples * numbers; ++i) {
        const auto code = static_cast<std::uint32_t>(random()) & (bits == 32 ? 0xFFFFFFFF : (1U << bits) - 1);
        packed.put(i / in_word * 32 + i % in_word * static_cast<std::size_t>(bits), bits, code);
        expected.push_back(static_cast<float>(level_of(code, bits)));
      }
      std::vector<float> decoded(expected.size());
      codec.decode(packed.bytes(), decoded);
      ASSERT_EQ(decoded, expected) << bits << " bits, " << numbers;
      // Floats have 24 bits.
      if (bits > 24) continue;
      std::vector<std::byte> encoded(bytes);
      codec.encode(decoded, encoded);
      ASSERT_EQ(encoded, packed.bytes()) << bits << " bits, " << numbers;
    }
}

TEST(VdifSamples, beyond_the_codes_are_clipped_and_others_rounded) {
  const auto through = [](int bits, std::vector<float> values) {
    const VdifSamples codec(bits, 1);
    std::vector<std::byte> payload(8 * ((values.size() * static_cast<std::size_t>(bits) + 63) / 64));
    codec.encode(values, payload);
    codec.decode(payload, values);
    return values;
  };
  EXPECT_THAT(through(1, {-7, -0.1F, 0, 0.1F, 9}), testing::ElementsAre(-1, -1, 1, 1, 1));
  EXPECT_THAT(through(2, {-100, -2.2F, -2.1F, -0.1F, 0.1F, 2.1F, 2.2F, 100}),
              testing::ElementsAre(-3.3165F, -3.3165F, -1, -1, 1, 1, 3.3165F, 3.3165F));
  EXPECT_THAT(through(4, {-100, -8, 0.4F, 6.6F, 7, 100}), testing::ElementsAre(-8, -8, 0, 7, 7, 7));
  EXPECT_THAT(through(8, {-1e30F, 126.6F, 1e30F, std::nanf("")}), testing::ElementsAre(-128, 127, 127, -128));
}

}  // namespace
}  // namespace takt::sensors
