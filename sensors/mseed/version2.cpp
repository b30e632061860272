#include "sensors/mseed/version2.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

namespace takt::sensors {

namespace {

/// Ticks of the header's time and of its correction.
constexpr std::int64_t ns_a_header_tick = 100'000, ns_per_blockette_tick = 1000;
/// Within these years, 64 bits of nanoseconds represent times since 1970 and their differences.
constexpr int least_head_year = 1900, most_head_year = 2100;
/// A longer chain of blockettes is a cycle of damaged offsets.
constexpr int most_blockettes = 64;

/// Reads numbers of a record in its byte order.
class Version2Fields {
 public:
  Version2Fields(std::span<const std::byte> bytes, bool is_big) : bytes_(bytes), is_big_(is_big) {}

  template <class Value>
  [[nodiscard]] Value at(std::size_t place) const {
    std::array<std::byte, sizeof(Value)> raw;
    std::memcpy(raw.data(), bytes_.data() + place, sizeof(Value));
    if (is_big_ != (std::endian::native == std::endian::big)) std::ranges::reverse(raw);
    return std::bit_cast<Value>(raw);
  }
  [[nodiscard]] std::uint8_t byte(std::size_t place) const {
    return std::to_integer<std::uint8_t>(bytes_[place]);
  }
  [[nodiscard]] bool holds(std::size_t place, std::size_t count) const {
    return place <= bytes_.size() && bytes_.size() - place >= count;
  }
  /// Returns characters without the surrounding blanks.
  [[nodiscard]] std::string text(std::size_t place, std::size_t count) const {
    std::string_view word(reinterpret_cast<const char*>(bytes_.data()) + place, count);
    word = word.substr(0, word.find('\0'));
    const std::size_t end = word.find_last_not_of(' ');
    word = word.substr(0, end == std::string_view::npos ? 0 : end + 1);
    word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
    return std::string(word);
  }

 private:
  std::span<const std::byte> bytes_;
  bool is_big_;
};

bool is_time(const Version2Fields& fields) {
  const auto year = fields.at<std::uint16_t>(20), day = fields.at<std::uint16_t>(22);
  return year >= least_head_year && year <= most_head_year && day >= 1 && day <= days_in(year);
}

std::optional<std::uint8_t> publication_of(char quality) {
  constexpr std::string_view qualities = "RDQM";
  const std::size_t place = qualities.find(quality);
  if (place == std::string_view::npos) return {};
  return static_cast<std::uint8_t>(place + 1);
}

/// Reports whether a fixed header may begin here, by criteria independent of the byte order.
bool looks_like_head(std::span<const std::byte> bytes) {
  if (bytes.size() < version2_head_bytes) return false;
  const auto letter = [&](std::size_t place) { return std::to_integer<unsigned char>(bytes[place]); };
  for (std::size_t i = 0; i < 6; ++i)
    if (!(letter(i) >= '0' && letter(i) <= '9') && letter(i) != ' ' && letter(i) != '\0') return false;
  return publication_of(static_cast<char>(letter(6))) && (letter(7) == ' ' || letter(7) == '\0') &&
         letter(24) <= 23 && letter(25) <= 59 && letter(26) <= 60;
}

double rate_of(double factor, double multiplier) {
  if (factor == 0) return 0;
  const double rate = factor > 0 ? factor : -1 / factor;
  if (multiplier == 0) return rate;
  return multiplier > 0 ? rate * multiplier : rate / -multiplier;
}

void read_time(const Version2Fields& fields, Version2Head& head) {
  using namespace std::chrono;
  const sys_days date =
      sys_days(year(fields.at<std::uint16_t>(20)) / January / 1) + days(fields.at<std::uint16_t>(22) - 1);
  const auto time = date + hours(fields.byte(24)) + minutes(fields.byte(25)) + seconds(fields.byte(26));
  head.starts_in_leap_second = fields.byte(26) == 60;
  head.start_ns = duration_cast<nanoseconds>(time.time_since_epoch()).count() +
                  std::int64_t{fields.at<std::uint16_t>(28)} * ns_a_header_tick;
}

void read_flags(const Version2Fields& fields, Version2Head& head) {
  const unsigned activity = fields.byte(36), clock = fields.byte(37), quality = fields.byte(38);
  const auto mark = [&](unsigned flags, unsigned mask, RecordMark kind) {
    if ((flags & mask) != 0) head.marks.set(kind);
  };
  mark(activity, 0x01, RecordMark::calibration);
  mark(activity, 0x4C, RecordMark::events);
  mark(activity, 0x30, RecordMark::leap_second);
  head.has_leap_second = (activity & 0x10) != 0;
  // Parity error of the volume, long and short record.
  mark(clock, 0x07, RecordMark::recorder_error);
  constexpr std::array of_quality{RecordMark::saturated,       RecordMark::clipped,
                                  RecordMark::spikes,          RecordMark::glitches,
                                  RecordMark::padded,          RecordMark::telemetry_error,
                                  RecordMark::filter_charging, RecordMark::time_questionable};
  for (std::size_t bit = 0; bit < of_quality.size(); ++bit) mark(quality, 1U << bit, of_quality[bit]);
  // Bit 1: the header's time already includes the correction.
  if ((activity & 0x02) == 0) head.start_ns += std::int64_t{fields.at<std::int32_t>(40)} * ns_a_header_tick;
}

/// Returns false if a blockette that takt obeys is invalid.
bool read_blockette(const Version2Fields& fields, std::size_t place, std::uint16_t type, Version2Head& head) {
  const auto known = std::ranges::find(blockettes(), type, &BlocketteKind::type);
  if (known == blockettes().end()) {
    // 2000 is opaque data, which do not affect the samples.
    if (type != 2000) head.marks.set(RecordMark::passed_over);
    return true;
  }
  if (!fields.holds(place, type == 405 || type == 500 ? 4 : std::min<std::size_t>(known->bytes, 8)))
    return true;
  switch (type) {
    case 100:
      head.rate_hz = static_cast<double>(fields.at<float>(place + 4));
      return std::isfinite(head.rate_hz) && head.rate_hz >= 0;
    case 500:
      return true;
    case 1000: {
      const unsigned exponent = fields.byte(place + 6);
      head.encoding = fields.byte(place + 4);
      head.are_samples_big_endian = fields.byte(place + 5) != 0;
      head.bytes = exponent >= 7 && exponent <= 20 ? std::size_t{1} << exponent : 0;
      return head.bytes > 0;
    }
    case 1001:
      head.start_ns += static_cast<std::int8_t>(fields.byte(place + 5)) * ns_per_blockette_tick;
      return true;
    default:
      head.marks.set(known->mark);
      return true;
  }
}

}  // namespace

std::optional<Version2Head> read_version2_head(std::span<const std::byte> bytes) {
  if (!looks_like_head(bytes)) return {};
  const bool is_big = is_time({bytes, true});
  const Version2Fields fields(bytes, is_big);
  if (!is_time(fields) || fields.at<std::uint16_t>(28) > 9999) return {};
  Version2Head head;
  head.channel = fmt::format("{}.{}.{}.{}", fields.text(18, 2), fields.text(8, 5), fields.text(13, 2),
                             fields.text(15, 3));
  head.publication = *publication_of(static_cast<char>(fields.byte(6)));
  head.samples = fields.at<std::uint16_t>(30);
  head.rate_hz = rate_of(fields.at<std::int16_t>(32), fields.at<std::int16_t>(34));
  head.data_offset = fields.at<std::uint16_t>(44);
  read_time(fields, head);
  read_flags(fields, head);
  std::size_t place = fields.at<std::uint16_t>(46);
  for (int count = 0; place >= version2_head_bytes && fields.holds(place, 4) && count < most_blockettes;
       ++count) {
    if (!read_blockette(fields, place, fields.at<std::uint16_t>(place), head)) return {};
    const std::size_t next = fields.at<std::uint16_t>(place + 2);
    if (next <= place) break;
    place = next;
  }
  return head;
}

std::size_t version2_length(std::span<const std::byte> bytes, bool is_all, std::size_t usual) {
  const std::optional<Version2Head> head =
      read_version2_head(bytes.first(std::min(bytes.size(), most_version2_record)));
  if (!head) return 0;
  if (head->bytes > 0) return head->bytes <= bytes.size() ? head->bytes : 0;
  for (std::size_t length = least_version2_record; length < bytes.size() && length <= most_version2_record;
       length *= 2)
    if (read_version2_head(bytes.subspan(length))) return length;
  if (!is_all) return 0;
  if (std::has_single_bit(bytes.size()) && bytes.size() >= least_version2_record &&
      bytes.size() <= most_version2_record)
    return bytes.size();
  return usual > 0 && usual <= bytes.size() ? usual : 0;
}

}  // namespace takt::sensors
