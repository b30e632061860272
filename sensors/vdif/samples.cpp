#include "sensors/vdif/samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace takt::sensors {

namespace {

constexpr float outer_level = 3.3165F;

std::size_t numbers_in_word(int bits, std::size_t numbers_per_sample) {
  const auto most = static_cast<std::size_t>(32 / bits);
  return numbers_per_sample <= most ? most / numbers_per_sample * numbers_per_sample : std::bit_floor(most);
}

/// Decodes bytes of `in_byte` numbers each.
template <std::size_t in_byte>
void decode_bytes(std::span<const std::byte> payload, const float* table, std::span<float> numbers) {
  const std::size_t whole = numbers.size() / in_byte;
  float* to = numbers.data();
  for (std::size_t i = 0; i < whole; ++i, to += in_byte)
    std::memcpy(to, table + std::to_integer<std::size_t>(payload[i]) * in_byte, in_byte * sizeof(float));
  for (std::size_t i = 0; i < numbers.size() % in_byte; ++i)
    to[i] = table[std::to_integer<std::size_t>(payload[whole]) * in_byte + i];
}

}  // namespace

std::size_t vdif_samples(std::size_t payload_bytes, int bits, std::size_t numbers_per_sample) {
  return payload_bytes / 4 * numbers_in_word(bits, numbers_per_sample) / numbers_per_sample;
}

VdifSamples::VdifSamples(int bits, std::size_t numbers_per_sample)
    : bits_(bits), in_word_(numbers_in_word(bits, numbers_per_sample)) {
  if (in_word_ * static_cast<std::size_t>(bits) != 32 || bits > 8) return;
  const auto in_byte = static_cast<std::size_t>(8 / bits);
  for (std::uint32_t byte = 0; byte < 256; ++byte)
    for (std::size_t i = 0; i < in_byte; ++i)
      table_.push_back(value_of(byte >> (i * static_cast<std::size_t>(bits)) & ((1U << bits) - 1)));
}

float VdifSamples::value_of(std::uint32_t code) const {
  if (bits_ == 1) return code == 0 ? -1.0F : 1.0F;
  if (bits_ == 2) {
    const float level = code == 0 || code == 3 ? outer_level : 1.0F;
    return code < 2 ? -level : level;
  }
  return static_cast<float>(static_cast<double>(code) - std::ldexp(1.0, bits_ - 1));
}

std::uint32_t VdifSamples::code_of(float value) const {
  if (bits_ == 1) return value >= 0 ? 1 : 0;
  if (bits_ == 2) {
    const bool is_outer = std::abs(value) > (1 + outer_level) / 2;
    if (value >= 0) return is_outer ? 3 : 2;
    return is_outer ? 0 : 1;
  }
  const double half = std::ldexp(1.0, bits_ - 1);
  // Also for NaN.
  const double code = value >= -half ? std::min(std::nearbyint(value) + half, 2 * half - 1) : 0;
  return static_cast<std::uint32_t>(code);
}

void VdifSamples::decode(std::span<const std::byte> payload, std::span<float> numbers) const {
  if (!table_.empty()) {
    if (bits_ == 1) return decode_bytes<8>(payload, table_.data(), numbers);
    if (bits_ == 2) return decode_bytes<4>(payload, table_.data(), numbers);
    if (bits_ == 4) return decode_bytes<2>(payload, table_.data(), numbers);
    return decode_bytes<1>(payload, table_.data(), numbers);
  }
  const std::uint32_t mask = bits_ == 32 ? 0xFFFFFFFF : (1U << bits_) - 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, payload.data() + i / in_word_ * 4, sizeof word);
    numbers[i] = value_of(word >> (i % in_word_ * static_cast<std::size_t>(bits_)) & mask);
  }
}

void VdifSamples::encode(std::span<const float> numbers, std::span<std::byte> payload) const {
  std::ranges::fill(payload, std::byte{0});
  for (std::size_t first = 0, at = 0; first < numbers.size(); first += in_word_, at += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < std::min(in_word_, numbers.size() - first); ++i)
      word |= code_of(numbers[first + i]) << (i * static_cast<std::size_t>(bits_));
    std::memcpy(payload.data() + at, &word, sizeof word);
  }
}

}  // namespace takt::sensors
