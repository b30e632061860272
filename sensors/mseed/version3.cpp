#include "sensors/mseed/version3.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "sensors/files/rounding.hpp"
#include "sensors/mseed/steim.hpp"

namespace takt::sensors {

namespace {

static_assert(std::endian::native == std::endian::little, "fields are read as they lie in memory");

constexpr std::size_t head_bytes = 40, crc_at = 28;
constexpr std::uint8_t format_version = 3;
/// Within these years, 64 bits of nanoseconds represent times since 1970 and their differences.
constexpr int first_year = 1824, last_year = 2115;
/// Longer records exceed their recommended 4096 bytes a thousandfold.
constexpr std::size_t longest_version3 = std::size_t{8} << 20;
constexpr std::size_t most_code = 8;

// Encodings in addition to those of TraceEncoding.
constexpr std::uint8_t encoded_text = 0, encoded_opaque = 100;

std::uint8_t code_of(TraceEncoding encoding) {
  switch (encoding) {
    case TraceEncoding::int16:
      return 1;
    case TraceEncoding::int32:
      return 3;
    case TraceEncoding::float32:
      return 4;
    case TraceEncoding::float64:
      return 5;
    case TraceEncoding::steim1:
      return 10;
    case TraceEncoding::steim2:
      break;
  }
  return 11;
}

template <class Value>
Value field(std::span<const std::byte> bytes, std::size_t at) {
  Value value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class Value>
void put_field(std::span<std::byte> bytes, std::size_t at, Value value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// Computed bit by bit for each byte value.
constexpr std::array<std::uint32_t, 256> crc_table = [] {
  constexpr std::uint32_t castagnoli_reversed = 0x82F63B78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ castagnoli_reversed : crc >> 1;
    table[byte] = crc;
  }
  return table;
}();

std::uint32_t crc_of(std::uint32_t crc, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes)
    crc = crc_table[(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFF] ^ crc >> 8;
  return crc;
}

/// Returns the CRC-32C of a record with zeros in its checksum field.
std::uint32_t checksum_of(std::span<const std::byte> record) {
  constexpr std::array<std::byte, sizeof(std::uint32_t)> zeros{};
  std::uint32_t crc = crc_of(~std::uint32_t{0}, record.first(crc_at));
  crc = crc_of(crc, zeros);
  return ~crc_of(crc, record.subspan(crc_at + zeros.size()));
}

std::optional<std::int64_t> start_of(std::span<const std::byte> record) {
  using namespace std::chrono;
  const auto nanosecond = field<std::uint32_t>(record, 4);
  const auto year = field<std::uint16_t>(record, 8), day = field<std::uint16_t>(record, 10);
  const auto hour = field<std::uint8_t>(record, 12), minute = field<std::uint8_t>(record, 13),
             second = field<std::uint8_t>(record, 14);
  if (nanosecond > 999'999'999 || year < first_year || year > last_year || day < 1 || day > days_in(year) ||
      hour > 23 || minute > 59 || second > 60)
    return {};
  const sys_days date = sys_days(std::chrono::year(year) / January / 1) + days(day - 1);
  const auto time = date + hours(hour) + minutes(minute) + seconds(second);
  return duration_cast<nanoseconds>(time.time_since_epoch()).count() + nanosecond;
}

template <class Number>
float count_rounded(Number number, TraceRecord& record) {
  if (is_rounded(static_cast<double>(number))) ++record.rounded;
  return static_cast<float>(number);
}

template <class Number>
bool decode_plain(std::span<const std::byte> data, TraceRecord& record) {
  if (data.size() / sizeof(Number) < record.samples.size()) return false;
  for (std::size_t i = 0; i < record.samples.size(); ++i)
    record.samples[i] = count_rounded(field<Number>(data, i * sizeof(Number)), record);
  return true;
}

bool decode_steim_to(std::span<const std::byte> data, SteimLevel level, TraceRecord& record) {
  const auto decoded = decode_steim(data, record.samples.size(), level);
  if (decoded)
    std::ranges::transform(*decoded, record.samples.begin(),
                           [&](std::int32_t number) { return count_rounded(number, record); });
  return decoded.has_value();
}

/// Flags in the extra headers, as converters from version 2 write them.
struct ExtraFlag {
  const char* path;
  RecordMark mark;
};
constexpr std::array<ExtraFlag, 13> extra_flags{
    {{"/FDSN/Flags/AmplifierSaturation", RecordMark::saturated},
     {"/FDSN/Flags/DigitizerClipping", RecordMark::clipped},
     {"/FDSN/Flags/Spikes", RecordMark::spikes},
     {"/FDSN/Flags/Glitches", RecordMark::glitches},
     {"/FDSN/Flags/MissingData", RecordMark::padded},
     {"/FDSN/Flags/TelemetrySyncError", RecordMark::telemetry_error},
     {"/FDSN/Flags/FilterCharging", RecordMark::filter_charging},
     {"/FDSN/Flags/StationVolumeParityError", RecordMark::recorder_error},
     {"/FDSN/Flags/LongRecordRead", RecordMark::recorder_error},
     {"/FDSN/Flags/ShortRecordRead", RecordMark::recorder_error},
     {"/FDSN/Event/Detection", RecordMark::events},
     {"/FDSN/Calibration/Sequence", RecordMark::calibration},
     {"/FDSN/Event/InProgress", RecordMark::events}}};

/// Byte 3 of the header: bit 0 calibration signals, 1 questionable time, 2 clock locked.
void read_marks(std::span<const std::byte> record, std::span<const std::byte> extra, TraceRecord& trace) {
  const auto flags = field<std::uint8_t>(record, 3);
  if ((flags & 1) != 0) trace.marks.set(RecordMark::calibration);
  if ((flags & 2) != 0) trace.marks.set(RecordMark::time_questionable);
  if (extra.empty()) return;
  const auto* const text = reinterpret_cast<const char*>(extra.data());
  const nlohmann::json json = nlohmann::json::parse(text, text + extra.size(), nullptr, false);
  if (!json.is_object()) {
    trace.marks.set(RecordMark::passed_over);
    return;
  }
  for (const ExtraFlag& flag : extra_flags) {
    const nlohmann::json::json_pointer path(flag.path);
    if (json.contains(path) && json.at(path) != nlohmann::json(false)) trace.marks.set(flag.mark);
  }
  const nlohmann::json::json_pointer leap("/FDSN/Time/LeapSecond");
  if (!json.contains(leap)) return;
  trace.marks.set(RecordMark::leap_second);
  trace.has_leap_second = json.at(leap) == nlohmann::json(1);
}

/// Returns whether the data could be decoded.
bool decode_samples(std::uint8_t encoding, std::span<const std::byte> data, TraceRecord& samples) {
  switch (encoding) {
    case 1:
      return decode_plain<std::int16_t>(data, samples);
    case 3:
      return decode_plain<std::int32_t>(data, samples);
    case 4:
      return decode_plain<float>(data, samples);
    case 5:
      return decode_plain<double>(data, samples);
    case 10:
      return decode_steim_to(data, SteimLevel::one, samples);
    case 11:
      return decode_steim_to(data, SteimLevel::two, samples);
    default:
      return false;
  }
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> words;
  for (std::size_t end = 0; (end = text.find(at)) != std::string_view::npos; text.remove_prefix(end + 1))
    words.push_back(text.substr(0, end));
  words.push_back(text);
  return words;
}

bool is_code(std::string_view code, bool may_be_empty) {
  return (may_be_empty || !code.empty()) && code.size() <= most_code && std::ranges::all_of(code, [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

}  // namespace

std::size_t version3_length(std::span<const std::byte> bytes) {
  if (bytes.size() < head_bytes || bytes[0] != std::byte{'M'} || bytes[1] != std::byte{'S'} ||
      field<std::uint8_t>(bytes, 2) != format_version || !start_of(bytes))
    return 0;
  const std::size_t length = head_bytes + field<std::uint8_t>(bytes, 33) +
                             std::size_t{field<std::uint16_t>(bytes, 34)} + field<std::uint32_t>(bytes, 36);
  return length <= longest_version3 ? length : 0;
}

std::optional<TraceRecord> decode_version3(std::span<const std::byte> bytes, bool with_samples) {
  const std::size_t length = version3_length(bytes);
  if (length == 0 || length > bytes.size()) return {};
  bytes = bytes.first(length);
  if (field<std::uint32_t>(bytes, crc_at) != checksum_of(bytes)) return {};
  const std::size_t identifier_bytes = field<std::uint8_t>(bytes, 33);
  const std::string_view identifier(reinterpret_cast<const char*>(bytes.data()) + head_bytes,
                                    identifier_bytes);
  if (!std::ranges::all_of(identifier, [](char c) { return c > ' ' && c <= '~'; })) return {};
  const auto data = bytes.last(field<std::uint32_t>(bytes, 36));
  TraceRecord record{.channel = channel_of(identifier),
                     .start_ns = *start_of(bytes),
                     .publication = field<std::uint8_t>(bytes, 32),
                     .starts_in_leap_second = field<std::uint8_t>(bytes, 14) == 60};
  read_marks(bytes, bytes.subspan(head_bytes + identifier_bytes, field<std::uint16_t>(bytes, 34)), record);
  const auto encoding = field<std::uint8_t>(bytes, 15);
  record.is_log = encoding == encoded_text || encoding == encoded_opaque;
  if (record.is_log) return record;
  const auto coded_rate = field<double>(bytes, 16);
  record.rate_hz = coded_rate < 0 ? -1 / coded_rate : coded_rate;
  const std::size_t samples = field<std::uint32_t>(bytes, 24);
  // No encoding is denser than Steim-2: seven samples in four bytes.
  if (!std::isfinite(record.rate_hz) || samples > 2 * data.size()) return {};
  record.is_log = record.rate_hz == 0;
  if (record.is_log) return record;
  record.samples.resize(samples);
  if (with_samples && !decode_samples(encoding, data, record)) return {};
  constexpr std::array<std::uint8_t, 6> known{1, 3, 4, 5, 10, 11};
  if (std::ranges::find(known, encoding) == known.end()) record.unknown_encoding = encoding;
  return record;
}

std::optional<std::string> identifier_of(std::string_view channel) {
  const std::vector<std::string_view> words = split(channel, '.');
  if (words.size() != 4 || !is_code(words[0], false) || !is_code(words[1], false) || !is_code(words[2], true))
    return {};
  std::vector<std::string_view> codes = split(words[3], '_');
  if (codes.size() == 1 && words[3].size() == 3)
    codes = {words[3].substr(0, 1), words[3].substr(1, 1), words[3].substr(2, 1)};
  // Band and subsource may be empty, the source may not.
  if (codes.size() != 3 || !is_code(codes[0], true) || !is_code(codes[1], false) || !is_code(codes[2], true))
    return {};
  std::string identifier = "FDSN:";
  for (const std::string_view word : {words[0], words[1], words[2], codes[0], codes[1], codes[2]}) {
    if (!identifier.ends_with(':')) identifier += '_';
    identifier += word;
  }
  return identifier;
}

std::string channel_of(std::string_view identifier) {
  constexpr std::string_view prefix = "FDSN:";
  const std::vector<std::string_view> codes = identifier.starts_with(prefix)
                                                  ? split(identifier.substr(prefix.size()), '_')
                                                  : std::vector<std::string_view>();
  if (codes.size() != 6) return std::string(identifier);
  std::string channel;
  for (std::size_t i = 0; i < 3; ++i) channel += std::string(codes[i]) + '.';
  const bool is_short = std::ranges::all_of(std::span(codes).subspan(3),
                                            [](std::string_view code) { return code.size() == 1; });
  for (std::size_t i = 3; i < codes.size(); ++i)
    channel += (i > 3 && !is_short ? "_" : "") + std::string(codes[i]);
  return channel;
}

void encode_version3(const Version3Head& head, std::span<const std::byte> data,
                     std::vector<std::byte>& records) {
  using namespace std::chrono;
  const std::size_t begin = records.size();
  records.resize(begin + head_bytes + head.identifier.size());
  records.insert(records.end(), data.begin(), data.end());
  const std::span<std::byte> record = std::span(records).subspan(begin);
  const sys_time<nanoseconds> time{nanoseconds(head.start_ns)};
  const sys_days date = floor<days>(time);
  const year_month_day calendar(date);
  const hh_mm_ss clock(time - date);
  std::memcpy(record.data(), "MS", 2);
  put_field(record, 2, format_version);
  put_field(record, 4, static_cast<std::uint32_t>(clock.subseconds().count()));
  put_field(record, 8, static_cast<std::uint16_t>(static_cast<int>(calendar.year())));
  put_field(record, 10,
            static_cast<std::uint16_t>((date - sys_days(calendar.year() / January / 1)).count() + 1));
  put_field(record, 12, static_cast<std::uint8_t>(clock.hours().count()));
  put_field(record, 13, static_cast<std::uint8_t>(clock.minutes().count()));
  put_field(record, 14, static_cast<std::uint8_t>(clock.seconds().count()));
  put_field(record, 15, code_of(head.encoding));
  put_field(record, 16, head.rate_hz < 1 ? -1 / head.rate_hz : head.rate_hz);
  put_field(record, 24, head.samples);
  put_field(record, 32, head.publication);
  put_field(record, 33, static_cast<std::uint8_t>(head.identifier.size()));
  put_field(record, 36, static_cast<std::uint32_t>(data.size()));
  std::memcpy(record.data() + head_bytes, head.identifier.data(), head.identifier.size());
  put_field(record, crc_at, checksum_of(record));
}

}  // namespace takt::sensors
