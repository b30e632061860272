/// Leap seconds: conversions at their edges, the system's files, expiry. The expected times are those of IERS
/// Bulletin C and of the cited specifications.

#include "core/leap_seconds.hpp"

#include <filesystem>

#include <gmock/gmock.h>

#include "core/system/text_file.hpp"

namespace takt {
namespace {

/// `date -u -d 2017-01-01 +%s`: the day after the last leap second of the built-in table.
constexpr std::int64_t new_year_2017 = 1'483'228'800;
constexpr std::int64_t ns = 1'000'000'000;

TEST(LeapSeconds, the_offset_of_tai_changes_at_midnight_after_each_leap_second) {
  const LeapSecondTable table = LeapSecondTable::built_in();
  EXPECT_EQ(table.tai_minus_utc(new_year_2017 - 1), 36);
  EXPECT_EQ(table.tai_minus_utc(new_year_2017), 37);
  // 1999-01-01 and 2005-12-31, 2006-01-01: no leap second in seven years.
  EXPECT_EQ(table.tai_minus_utc(915'148'800), 32);
  EXPECT_EQ(table.tai_minus_utc(1'136'073'599), 32);
  EXPECT_EQ(table.tai_minus_utc(1'136'073'600), 33);
  // Before 1972.
  EXPECT_EQ(table.tai_minus_utc(0), 10);
  EXPECT_EQ(table.tai_minus_utc(-1'000'000'000'000), 10);
}

TEST(LeapSeconds, a_leap_second_shares_its_number_with_the_following_midnight) {
  const LeapSecondTable table = LeapSecondTable::built_in();
  const std::int64_t tai = table.tai_second(new_year_2017);
  EXPECT_EQ(table.utc_second(tai - 2), (UtcSecond{new_year_2017 - 1, false}));
  EXPECT_EQ(table.utc_second(tai - 1), (UtcSecond{new_year_2017, true}));
  EXPECT_EQ(table.utc_second(tai), (UtcSecond{new_year_2017, false}));
  for (const LeapSecondTable::Entry& entry : table.entries())
    for (std::int64_t second = entry.unix_second - 3; second < entry.unix_second + 3; ++second)
      EXPECT_EQ(table.utc_second(table.tai_second(second)), (UtcSecond{second, false})) << second;
}

TEST(LeapSeconds, gps_time_is_18_seconds_ahead_of_utc_since_2017) {
  const LeapSecondTable table = LeapSecondTable::built_in();
  // IS-GPS-200: week 0 begins on 1980-01-06, 00:00:00 UTC.
  EXPECT_EQ(table.gps_second(315'964'800), 0);
  EXPECT_EQ(table.gps_second(new_year_2017) - (new_year_2017 - 315'964'800), 18);
  // 2011-09-14T01:46:25 UTC, when GPS was 15 s ahead.
  EXPECT_EQ(table.gps_second(1'315'964'785), 1'000'000'000);
  EXPECT_EQ(table.utc_of_gps(1'000'000'000), (UtcSecond{1'315'964'785, false}));
}

TEST(LeapSeconds, elapsed_time_across_a_leap_second_is_one_second_longer_than_the_difference_of_utc) {
  const LeapSecondTable table = LeapSecondTable::built_in();
  const std::int64_t start = (new_year_2017 - 10) * ns + 5;
  EXPECT_EQ(table.utc_ns_after(start, 9 * ns), start + 9 * ns);
  // 23:59:60.000000005 has the number of 00:00:00.000000005, which is one second later.
  EXPECT_EQ(table.utc_ns_after(start, 10 * ns), start + 10 * ns);
  EXPECT_EQ(table.utc_ns_after(start, 11 * ns), start + 10 * ns);
  EXPECT_EQ(table.utc_ns_after(start, 100 * ns), start + 99 * ns);
  EXPECT_EQ(table.utc_ns_after(start + 99 * ns, -100 * ns), start);
  // Four leap seconds from 2000-01-01 on: 2005, 2008, 2012, 2015.
  EXPECT_EQ(table.utc_ns_after(946'684'800 * ns, 514'629'935 * ns), 1'461'314'731 * ns);
  EXPECT_EQ(table.utc_ns_after(-3 * ns / 2, ns), -ns / 2);
}

TEST(LeapSeconds, both_system_formats_yield_the_same_table) {
  const std::filesystem::path folder = "/usr/share/zoneinfo";
  if (!std::filesystem::exists(folder / "leap-seconds.list") ||
      !std::filesystem::exists(folder / "leapseconds"))
    GTEST_SKIP() << "no tables of leap seconds in " << folder;
  const auto ntp = LeapSecondTable::parse(read_text_file(folder / "leap-seconds.list"));
  const auto zone = LeapSecondTable::parse(read_text_file(folder / "leapseconds"));
  ASSERT_TRUE(ntp && zone);
  EXPECT_EQ(ntp->entries(), zone->entries());
  EXPECT_EQ(ntp->expiry(), zone->expiry());
  EXPECT_GE(leap_seconds().expiry(), ntp->expiry());
}

/// Returns a `leap-seconds.list` with the built-in table's entries and additional lines.
std::string ntp_list(const std::string& more) {
  std::string text = "#\tof a test\n#$\t3960835200\n";
  const LeapSecondTable known = LeapSecondTable::built_in();
  for (const LeapSecondTable::Entry& entry : known.entries())
    text += std::to_string(entry.unix_second + 2'208'988'800) + "\t" + std::to_string(entry.tai_minus_utc) +
            "\t# day\n";
  return text + more;
}

TEST(LeapSeconds, a_newer_file_adds_its_leap_seconds_and_its_expiry) {
  // 2027-01-01 and 2027-06-28, in seconds since 1900.
  const auto table = LeapSecondTable::parse(ntp_list("4007750400\t38\n#@\t4023129600\n"));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->tai_minus_utc(1'798'761'599), 37);
  EXPECT_EQ(table->tai_minus_utc(1'798'761'600), 38);
  EXPECT_EQ(table->expiry(), 1'814'140'800);
}

TEST(LeapSeconds, files_that_are_damaged_or_contradict_the_built_in_table_are_not_used) {
  EXPECT_FALSE(LeapSecondTable::parse(""));
  EXPECT_FALSE(LeapSecondTable::parse("#@ 4023129600\n3692217600 37\n")) << "most of the table is missing";
  EXPECT_FALSE(LeapSecondTable::parse(ntp_list(""))) << "no expiry date";
  EXPECT_FALSE(LeapSecondTable::parse(ntp_list("#@ 4023129600\n4007750400 39\n"))) << "a step of two";
  EXPECT_FALSE(LeapSecondTable::parse(ntp_list("#@ 4023129600\n4007750400 x\n")));
  EXPECT_FALSE(LeapSecondTable::parse(ntp_list("#@ 4023129600\n3692217601 38\n3692217600 39\n")));
  EXPECT_FALSE(LeapSecondTable::parse("Leap 2016 Feb 31 23:59:60 + S\n#expires 1782604800\n"));
}

TEST(LeapSeconds, only_ends_of_half_years_after_the_expiry_are_uncertain) {
  const LeapSecondTable table = LeapSecondTable::built_in();
  const std::int64_t expiry = table.expiry(), july = expiry + 3 * 86400;
  ASSERT_EQ(expiry, 1'782'604'800) << "2026-06-28";
  EXPECT_TRUE(table.is_certain(0, expiry - 1));
  EXPECT_TRUE(table.is_certain(expiry - 100, july - 1));
  EXPECT_FALSE(table.is_certain(expiry - 100, july));
  // No leap second can be inserted between 1 July and the end of December.
  EXPECT_TRUE(table.is_certain(july, july + 180 * 86400));
  EXPECT_FALSE(table.is_certain(july, july + 190 * 86400));
  EXPECT_THAT(expired_leap_seconds(table), testing::HasSubstr("2026-06-28"));
}

}  // namespace
}  // namespace takt
