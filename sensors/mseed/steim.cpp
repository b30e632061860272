#include "sensors/mseed/steim.hpp"

#include <algorithm>
#include <array>

namespace takt::sensors {

namespace {

constexpr std::size_t words_per_frame = 16, bytes_per_word = 4;

/// The packing of differences in a word: `count` numbers of equal size, the last one in the lowest bits.
struct Packing {
  std::uint32_t code;
  /// The word's two top bits, if the code is ambiguous.
  std::optional<std::uint32_t> sub_code;
  std::size_t count;
  unsigned bits;
};

// The largest count first.
constexpr std::array<Packing, 3> steim_one{{{1, {}, 4, 8}, {2, {}, 2, 16}, {3, {}, 1, 32}}};
constexpr std::array<Packing, 7> steim_two{
    {{3, 2, 7, 4}, {3, 1, 6, 5}, {3, 0, 5, 6}, {1, {}, 4, 8}, {2, 3, 3, 10}, {2, 2, 2, 15}, {2, 1, 1, 30}}};

std::span<const Packing> packings_of(SteimLevel level) {
  if (level == SteimLevel::one) return steim_one;
  return steim_two;
}

std::uint32_t word_at(std::span<const std::byte> frames, std::size_t word) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes_per_word; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(frames[word * bytes_per_word + i]);
  return value;
}

void put_word(std::span<std::byte> frames, std::size_t word, std::uint32_t value) {
  for (std::size_t i = bytes_per_word; i-- > 0; value >>= 8)
    frames[word * bytes_per_word + i] = static_cast<std::byte>(value & 0xFF);
}

std::uint32_t low_bits(unsigned bits) {
  return bits == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits) - 1;
}

/// Differences wrap as the integers do.
std::uint32_t sign_extended(std::uint32_t value, unsigned bits) {
  const std::uint32_t sign = std::uint32_t{1} << (bits - 1);
  return ((value & low_bits(bits)) ^ sign) - sign;
}

bool fits(std::int32_t difference, unsigned bits) {
  const std::int64_t most = (std::int64_t{1} << (bits - 1)) - 1;
  return difference <= most && difference >= -most - 1;
}

/// Returns the difference of each sample to its predecessor (first: 0), as far as Steim-2 represents it.
std::vector<std::int32_t> differences_of(std::span<const std::int32_t> samples, std::size_t most,
                                         SteimLevel level) {
  std::vector<std::int32_t> differences;
  for (std::size_t i = 0; i < std::min(samples.size(), most); ++i) {
    const std::int64_t exact = i == 0 ? 0 : std::int64_t{samples[i]} - samples[i - 1];
    if (level == SteimLevel::two && (exact >= 1 << 29 || exact < -(1 << 29))) break;
    differences.push_back(static_cast<std::int32_t>(static_cast<std::uint32_t>(exact)));
  }
  return differences;
}

/// Returns the packing that holds the most of them.
const Packing& best_packing(std::span<const std::int32_t> differences, SteimLevel level) {
  const std::span<const Packing> packings = packings_of(level);
  for (const Packing& packing : packings.first(packings.size() - 1))
    if (differences.size() >= packing.count &&
        std::ranges::all_of(differences.first(packing.count),
                            [&](std::int32_t difference) { return fits(difference, packing.bits); }))
      return packing;
  return packings.back();
}

}  // namespace

std::optional<std::vector<std::int32_t>> decode_steim(std::span<const std::byte> frames, std::size_t samples,
                                                      SteimLevel level) {
  const std::size_t count = frames.size() / steim_frame_bytes;
  if (samples > count * most_steim_differences) return {};
  std::vector<std::int32_t> decoded;
  if (samples == 0) return decoded;
  decoded.reserve(samples);
  std::uint32_t value = word_at(frames, 1);
  for (std::size_t frame = 0; frame < count && decoded.size() < samples; ++frame) {
    const std::uint32_t codes = word_at(frames, frame * words_per_frame);
    for (std::size_t word = frame == 0 ? 3 : 1; word < words_per_frame && decoded.size() < samples; ++word) {
      const std::uint32_t code = codes >> (30 - 2 * word) & 3;
      if (code == 0) continue;
      const std::uint32_t packed = word_at(frames, frame * words_per_frame + word);
      const std::span<const Packing> packings = packings_of(level);
      const auto packing = std::ranges::find_if(packings, [&](const Packing& each) {
        return each.code == code && (!each.sub_code || *each.sub_code == packed >> 30);
      });
      if (packing == packings.end()) return {};
      for (std::size_t i = packing->count; i-- > 0 && decoded.size() < samples;) {
        const std::uint32_t shifted = packed >> (static_cast<unsigned>(i) * packing->bits);
        // The first difference refers to the previous record; the first sample is stored itself.
        if (!decoded.empty()) value += sign_extended(shifted, packing->bits);
        decoded.push_back(static_cast<std::int32_t>(value));
      }
    }
  }
  if (decoded.size() != samples) return {};
  return decoded;
}

SteimPiece encode_steim(std::span<const std::int32_t> samples, std::size_t most_frames, SteimLevel level) {
  SteimPiece piece;
  const std::vector<std::int32_t> all = differences_of(samples, most_frames * most_steim_differences, level);
  std::span<const std::int32_t> left = all;
  for (std::size_t frame = 0; frame < most_frames && !left.empty(); ++frame) {
    piece.frames.resize(piece.frames.size() + steim_frame_bytes);
    std::uint32_t codes = 0;
    for (std::size_t word = frame == 0 ? 3 : 1; word < words_per_frame && !left.empty(); ++word) {
      const Packing& packing = best_packing(left, level);
      std::uint32_t packed = packing.sub_code.value_or(0) << 30;
      for (std::size_t i = 0; i < packing.count; ++i)
        packed |= (static_cast<std::uint32_t>(left[i]) & low_bits(packing.bits))
                  << (static_cast<unsigned>(packing.count - 1 - i) * packing.bits);
      put_word(piece.frames, frame * words_per_frame + word, packed);
      codes |= packing.code << (30 - 2 * word);
      left = left.subspan(packing.count);
      piece.samples += packing.count;
    }
    put_word(piece.frames, frame * words_per_frame, codes);
  }
  if (piece.samples == 0) return piece;
  put_word(piece.frames, 1, static_cast<std::uint32_t>(samples.front()));
  put_word(piece.frames, 2, static_cast<std::uint32_t>(samples[piece.samples - 1]));
  return piece;
}

}  // namespace takt::sensors
