#include "sensors/vdif/header.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "core/leap_seconds.hpp"

namespace takt::sensors {

namespace {

constexpr std::uint32_t low_bits(unsigned count) {
  return (std::uint32_t{1} << count) - 1;
}

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t word) {
  if (bytes.size() < 4 * word + 4) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(bytes[4 * word + i]);
  return value;
}

/// Returns the Unix second at which a half-year begins.
std::int64_t begin_of(int epoch) {
  using namespace std::chrono;
  const auto day =
      year_month_day{year{2000 + epoch / 2}, month{epoch % 2 == 0 ? 1U : 7U}, std::chrono::day{1}};
  return seconds(sys_days(day).time_since_epoch()).count();
}

constexpr int half_years = 64;

/// TAI seconds at which the half-years begin.
const std::array<std::int64_t, half_years>& tai_epochs() {
  static const auto epochs = [] {
    std::array<std::int64_t, half_years> seconds{};
    for (int epoch = 0; epoch < half_years; ++epoch)
      seconds[static_cast<std::size_t>(epoch)] = leap_seconds().tai_second(begin_of(epoch));
    return seconds;
  }();
  return epochs;
}

}  // namespace

std::optional<double> VdifHeader::sample_hz() const {
  if (is_legacy || (extended_version != 1 && extended_version != 3)) return {};
  // Some writers of version 1 omit the sync word.
  if (sync_word != vdif_sync_word && (extended_version == 3 || sync_word != 0)) return {};
  const double rate = (extended_data & low_bits(23)) * ((extended_data >> 23 & 1) != 0 ? 1e6 : 1e3);
  if (rate <= 0) return {};
  // The field is a bandwidth: real samples have twice its rate.
  return is_complex ? rate : 2 * rate;
}

bool VdifHeader::is_channel_valid(std::size_t channel, std::size_t channels) const {
  if (is_legacy || extended_version != 4 || sync_word != vdif_sync_word) return true;
  // This many bits of the mask represent equal groups of channels.
  const std::size_t groups = extended_data >> 16 & low_bits(8);
  if (groups == 0 || groups > 64 || channels % groups != 0) return true;
  const std::size_t group = channel / (channels / groups);
  return (extended_words[group / 32] >> (group % 32) & 1) != 0;
}

std::string VdifHeader::unknown_parts() const {
  std::string parts;
  const auto add = [&parts](const std::string& part) { parts += (parts.empty() ? "" : ", ") + part; };
  if (version > 1) add(fmt::format("VDIF version {}", version));
  if (unassigned != 0) add("unassigned bits in word 1");
  if (is_legacy) return parts;
  if (extended_version > 4) add(fmt::format("extended data version {}", extended_version));
  if (extended_version == 4 && sync_word != vdif_sync_word)
    add("extended data version 4 without its sync word");
  if (extended_version == 1 && sync_word != vdif_sync_word && sync_word != 0)
    add("extended data version 1 with another sync word");
  return parts;
}

std::int64_t VdifHeader::tai_second() const {
  return tai_epochs()[epoch % half_years] + second;
}

std::int64_t VdifHeader::epoch_unix_second() const {
  return begin_of(epoch);
}

std::int64_t VdifHeader::unix_second() const {
  return leap_seconds().utc_second(tai_second()).unix_second;
}

VdifHeader decode_vdif(std::span<const std::byte> bytes) {
  VdifHeader header;
  const std::uint32_t first = word_at(bytes, 0), second = word_at(bytes, 1), third = word_at(bytes, 2),
                      fourth = word_at(bytes, 3);
  header.is_invalid = (first >> 31) != 0;
  header.is_legacy = (first >> 30 & 1) != 0;
  header.second = first & low_bits(30);
  header.epoch = static_cast<std::uint8_t>(second >> 24 & low_bits(6));
  header.unassigned = static_cast<std::uint8_t>(second >> 30);
  header.frame = second & low_bits(24);
  header.version = static_cast<std::uint8_t>(third >> 29);
  header.log2_channels = static_cast<std::uint8_t>(third >> 24 & low_bits(5));
  header.frame_bytes = (third & low_bits(24)) * 8;
  header.is_complex = (fourth >> 31) != 0;
  header.bits = static_cast<int>(fourth >> 26 & low_bits(5)) + 1;
  header.thread = static_cast<std::uint16_t>(fourth >> 16 & low_bits(10));
  header.station = static_cast<std::uint16_t>(fourth & low_bits(16));
  if (header.is_legacy) return header;
  const std::uint32_t fifth = word_at(bytes, 4);
  header.extended_version = static_cast<std::uint8_t>(fifth >> 24);
  header.extended_data = fifth & low_bits(24);
  header.sync_word = word_at(bytes, 5);
  header.extended_words = {word_at(bytes, 6), word_at(bytes, 7)};
  return header;
}

void encode_vdif(const VdifHeader& header, std::span<std::byte> bytes) {
  const auto flag = [](bool is_set, unsigned bit) { return is_set ? std::uint32_t{1} << bit : 0U; };
  const std::array<std::uint32_t, 8> words{
      flag(header.is_invalid, 31) | flag(header.is_legacy, 30) | (header.second & low_bits(30)),
      static_cast<std::uint32_t>(header.unassigned) << 30 | (header.epoch & low_bits(6)) << 24 |
          (header.frame & low_bits(24)),
      static_cast<std::uint32_t>(header.version) << 29 | (header.log2_channels & low_bits(5)) << 24 |
          (header.frame_bytes / 8 & low_bits(24)),
      flag(header.is_complex, 31) | (static_cast<std::uint32_t>(header.bits - 1) & low_bits(5)) << 26 |
          (header.thread & low_bits(10)) << 16 | header.station,
      static_cast<std::uint32_t>(header.extended_version) << 24 | (header.extended_data & low_bits(24)),
      header.sync_word,
      header.extended_words[0],
      header.extended_words[1]};
  for (std::size_t i = 0; i < header.header_bytes(); ++i)
    bytes[i] = static_cast<std::byte>(words[i / 4] >> 8 * (i % 4));
}

VdifTime vdif_time(std::int64_t unix_second) {
  return vdif_time_of_tai(leap_seconds().tai_second(unix_second));
}

VdifTime vdif_time_of_tai(std::int64_t tai_second) {
  const auto& epochs = tai_epochs();
  const auto next = std::ranges::upper_bound(epochs, tai_second);
  const auto epoch = next == epochs.begin() ? 0 : next - epochs.begin() - 1;
  return {static_cast<std::uint8_t>(epoch),
          static_cast<std::uint32_t>(tai_second - epochs[static_cast<std::size_t>(epoch)])};
}

}  // namespace takt::sensors
