#include "core/units.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Units, read_durations) {
  EXPECT_EQ(parse_time("250"), Time{250});
  EXPECT_EQ(parse_time(" 250 ns "), Time{250});
  EXPECT_EQ(parse_time("10us"), Time{10'000});
  EXPECT_EQ(parse_time("1.5 ms"), Time{1'500'000});
  EXPECT_EQ(parse_time("2 s"), Time{2'000'000'000});
  EXPECT_EQ(parse_time("3 min"), Time{180'000'000'000});
  EXPECT_EQ(parse_time("1 h"), Time{3'600'000'000'000});
  EXPECT_EQ(parse_time("0.4"), Time{0});
  EXPECT_EQ(parse_time("0.6 ns"), Time{1});
}

TEST(Units, require_a_unit_for_real_times) {
  EXPECT_EQ(parse_duration("5 s"), Time{5'000'000'000});
  EXPECT_EQ(parse_duration("250 ns"), Time{250});
  EXPECT_EQ(parse_duration("0"), Time{0});
  EXPECT_THAT([] { (void)parse_duration("5"); }, ThrowsMessage<ConfigError>(HasSubstr("'5' has no unit")));
  EXPECT_THAT([] { (void)parse_duration("1e3"); }, ThrowsMessage<ConfigError>(HasSubstr("has no unit")));
  EXPECT_THAT([] { (void)parse_duration("10sec"); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 's'?")));
  EXPECT_THAT([] { (void)parse_frequency("200 hz"); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'Hz'?")));
  EXPECT_THAT([] { (void)parse_bytes("4 mib"); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'MiB'?")));
  EXPECT_THAT([] { (void)parse_duration("x"); }, ThrowsMessage<ConfigError>(HasSubstr("is not a duration")));
}

TEST(Units, read_whole_numbers_exactly) {
  // Neither fits the 53 bits of a double's fraction.
  EXPECT_EQ(parse_time("9007199254740993").count(), 9007199254740993);
  EXPECT_EQ(parse_time("9223372036854775807").count(), 9223372036854775807);
  EXPECT_EQ(parse_bytes("9007199254740993").count, 9007199254740993U);
}

TEST(Units, read_sizes_and_rates) {
  EXPECT_EQ(parse_bytes("512").count, 512U);
  EXPECT_EQ(parse_bytes("512 B").count, 512U);
  EXPECT_EQ(parse_bytes("4 KiB").count, 4096U);
  EXPECT_EQ(parse_bytes("1.5MiB").count, 1'572'864U);
  EXPECT_EQ(parse_bytes("2 GiB").count, 2'147'483'648U);
  EXPECT_EQ(parse_bytes("1 kB").count, 1000U);
  EXPECT_EQ(parse_bytes("3 MB").count, 3'000'000U);
  EXPECT_EQ(parse_bytes("1 GB").count, 1'000'000'000U);
  EXPECT_DOUBLE_EQ(parse_frequency("50").hertz, 50);
  EXPECT_DOUBLE_EQ(parse_frequency("2.4 kHz").hertz, 2400);
  EXPECT_DOUBLE_EQ(parse_frequency("1 GHz").hertz, 1e9);
}

TEST(Units, refuse_invalid_quantities) {
  for (const char* text : {"", " ", "x", "-1", "1 parsec", "1 KiB", "1e", "nan", "inf", "1 us us", "1e30",
                           "9223372036854775808", "3000000 h", "99999999999999999999", "1,5", "0x10"})
    EXPECT_THAT([&] { (void)parse_time(text); }, ThrowsMessage<ConfigError>(HasSubstr("is not a duration")))
        << text;
  for (const char* text : {"", "-1", "1 s", "1 kib", "1e30", "20000000000 GiB"})
    EXPECT_THAT([&] { (void)parse_bytes(text); }, ThrowsMessage<ConfigError>(HasSubstr("is not a size")))
        << text;
  for (const char* text : {"", "-1", "1 s", "hz"})
    EXPECT_THAT([&] { (void)parse_frequency(text); },
                ThrowsMessage<ConfigError>(HasSubstr("is not a frequency")))
        << text;
}

TEST(Units, write_three_significant_digits) {
  EXPECT_EQ(to_string(Time{0}), "0 ns");
  EXPECT_EQ(to_string(Time{12'345}), "12.3 us");
  EXPECT_EQ(to_string(Time{999'999}), "1 ms");
  EXPECT_EQ(to_string(Time{7'200'000'000'000}), "7200 s");
  EXPECT_EQ(to_string(Bytes{4096}), "4 KiB");
  EXPECT_EQ(to_string(Bytes{1}), "1 B");
  EXPECT_EQ(to_string(Frequency{2441.4}), "2.44 kHz");
}

}  // namespace
}  // namespace takt
