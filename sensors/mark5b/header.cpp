#include "sensors/mark5b/header.hpp"

#include <array>

#include "core/leap_seconds.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t mjd_of_1970 = 40587, day_s = 86400, days_of_header = 1000;

constexpr KeywordUse obeyed = KeywordUse::obeyed, carried = KeywordUse::carried;

constexpr std::array rows{
    HeaderKeyword{"sync", obeyed, "word 0: 0xABADDEED; frames without it are refused"},
    HeaderKeyword{"user", carried, "word 1, bits 31-16: of the first frame"},
    HeaderKeyword{
        "TVG", obeyed,
        "word 1, bit 15: samples of the test-vector generator; frames are counted as `refused_invalid`"},
    HeaderKeyword{"frame", obeyed, "word 1, bits 14-0: number of the frame in its second"},
    HeaderKeyword{
        "day", obeyed,
        "word 2, bits 31-20: the last three decimals of the modified Julian date; which thousand days "
        "follows from `near`"},
    HeaderKeyword{"second", obeyed, "word 2, bits 19-0: five decimals, second of the day"},
    HeaderKeyword{
        "fraction", obeyed,
        "word 3, bits 31-16: four decimals of a second; a warning where it contradicts the frame's number"},
    HeaderKeyword{"CRC", obeyed,
                  "word 3, bits 15-0: of the time; frames with a wrong one (unless 0) are refused"},
};

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t word) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(bytes[4 * word + i]);
  return value;
}

/// Returns nothing if a digit is invalid.
std::optional<int> from_decimals(std::uint32_t code, int digits) {
  int value = 0;
  for (int i = digits; i-- > 0;) {
    const auto digit = static_cast<int>(code >> 4 * i & 0xF);
    if (digit > 9) return std::nullopt;
    value = 10 * value + digit;
  }
  return value;
}

std::uint32_t to_decimals(int value, int digits) {
  std::uint32_t code = 0;
  for (int i = 0; i < digits; ++i, value /= 10) code |= static_cast<std::uint32_t>(value % 10) << 4 * i;
  return code;
}

}  // namespace

Mark5bHeader decode_mark5b(std::span<const std::byte> bytes) {
  const std::uint32_t first = word_at(bytes, 1), second = word_at(bytes, 2), third = word_at(bytes, 3);
  Mark5bHeader header;
  header.sync_word = word_at(bytes, 0);
  header.user = static_cast<std::uint16_t>(first >> 16);
  header.is_test_vector = (first >> 15 & 1) != 0;
  header.frame = static_cast<std::uint16_t>(first & 0x7FFF);
  const auto day = from_decimals(second >> 20, 3), time = from_decimals(second & 0xFFFFF, 5),
             fraction = from_decimals(third >> 16, 4);
  header.is_time_valid = day && time && fraction && *time <= day_s;
  header.day = day.value_or(0);
  header.second = time.value_or(0);
  header.fraction = fraction.value_or(0);
  header.checksum = static_cast<std::uint16_t>(third & 0xFFFF);
  return header;
}

void encode_mark5b(const Mark5bHeader& header, std::span<std::byte> bytes) {
  const std::array<std::uint32_t, 4> words{header.sync_word,
                                           static_cast<std::uint32_t>(header.user) << 16 |
                                               (header.is_test_vector ? 1U << 15 : 0U) |
                                               (header.frame & 0x7FFFU),
                                           to_decimals(header.day, 3) << 20 | to_decimals(header.second, 5),
                                           to_decimals(header.fraction, 4) << 16 | header.checksum};
  for (std::size_t i = 0; i < mark5b_header_bytes; ++i)
    bytes[i] = static_cast<std::byte>(words[i / 4] >> 8 * (i % 4));
}

std::uint16_t mark5b_checksum(const Mark5bHeader& header) {
  const std::uint64_t time = static_cast<std::uint64_t>(to_decimals(header.day, 3)) << 36 |
                             static_cast<std::uint64_t>(to_decimals(header.second, 5)) << 16 |
                             to_decimals(header.fraction, 4);
  std::uint32_t rest = 0;
  for (int bit = 48; bit-- > 0;) {
    const bool is_set = (rest >> 15 & 1) != (time >> bit & 1);
    rest = rest << 1 & 0xFFFF;
    if (is_set) rest ^= 0x8005;
  }
  return static_cast<std::uint16_t>(rest);
}

std::int64_t tai_second(const Mark5bHeader& header, std::int64_t near_unix_second) {
  const std::int64_t near = near_unix_second / day_s + mjd_of_1970;
  std::int64_t day = near / days_of_header * days_of_header + header.day;
  if (day - near > days_of_header / 2) day -= days_of_header;
  if (near - day > days_of_header / 2) day += days_of_header;
  // Second 86400 of a day is its leap second.
  return leap_seconds().tai_second((day - mjd_of_1970) * day_s) + header.second;
}

const HeaderKeywords& mark5b_keywords() {
  static constexpr HeaderKeywords table{"Mark 5B", "mark5b.md", rows};
  return table;
}

}  // namespace takt::sensors
