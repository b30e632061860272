/// Tests that the samples of PSRFITS search-mode files match their headers and scales.

#include "sensors/psrfits/file.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/psrfits/keywords.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/sensors/psrfits/hand_made_fits.hpp"
#include "tests/support/compressed.hpp"

namespace takt::sensors {
namespace psrfits_file_test {

using test::big_endian;
using test::counting;
using test::HandMadeFits;
using test::KeptFrame;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Psrfits : public testing::Test {
 protected:
  std::vector<KeptFrame> read(const HandMadeFits& fits, std::size_t samples = 4) {
    const std::string path = folder_.file("a.fits", fits.bytes());
    SampleFileSource source({.pieces = read_psrfits(path, samples)});
    type_ = source.type();
    description_ = source.description();
    source.start();
    std::vector<KeptFrame> frames = test::take_all(source);
    counters_ = source.counters();
    warnings_ = source.warnings();
    return frames;
  }
  /// Returns all values, from frames of one row each.
  std::vector<float> values(const HandMadeFits& fits) {
    std::vector<float> all;
    for (const KeptFrame& frame : read(fits)) {
      std::vector<float> some(frame.bytes.size() / sizeof(float));
      std::memcpy(some.data(), frame.bytes.data(), frame.bytes.size());
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  std::string refusal(const HandMadeFits& fits) {
    try {
      (void)read(fits);
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  }

  const test::TemporaryFolder folder_;
  FrameType type_;
  std::vector<std::string> description_, warnings_;
  SourceCounters counters_;
};

TEST_F(Psrfits, samples_have_their_times_frequencies_and_polarisations) {
  const std::vector<KeptFrame> frames = read(counting(3));
  EXPECT_EQ(type_.to_string(), "float32[time=4][polarisation=2][channel=2]");
  EXPECT_THAT(type_.axes[2].coordinates, ElementsAre(1400e6, 1399.5e6));
  ASSERT_EQ(frames.size(), 3U);
  // MJD 55000 is 2009-06-18.
  EXPECT_EQ(frames[0].header.utc_ns, 1'245'286'800'250'000'000);
  EXPECT_EQ(frames[1].header.utc_ns, frames[0].header.utc_ns + 2'000'000'000);
  const std::vector<float> all = values(counting(3));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], static_cast<float>(i));
  EXPECT_THAT(description_, Contains("SRC_NAME: B0329+54"));
  EXPECT_THAT(warnings_, ElementsAre());
  HandMadeFits stokes = counting(1);
  stokes.subint["POL_TYPE"] = "'IQUV'";
  (void)read(stokes);
  EXPECT_EQ(type_.axes[1].name, "stokes");
}

TEST_F(Psrfits, values_of_few_bits_begin_with_the_most_significant_one) {
  // 0x1B is 0 0 0 1 1 0 1 1, and 0 1 2 3, and 1 11.
  const std::map<int, std::vector<float>> expected{
      {1, {0, 0, 0, 1, 1, 0, 1, 1}}, {2, {0, 1, 2, 3}}, {4, {1, 11}}};
  const std::map<int, std::vector<float>> with_sign{
      {1, {0, 0, 0, -1, -1, 0, -1, -1}}, {2, {0, 1, -2, -1}}, {4, {1, -5}}};
  for (const bool is_signed : {false, true})
    for (const auto& [bits, begin] : is_signed ? with_sign : expected) {
      HandMadeFits fits;
      fits.subint["NBITS"] = std::to_string(bits);
      fits.subint["SIGNINT"] = is_signed ? "1" : "0";
      fits.data_form = std::to_string(2 * bits) + "B";
      fits.rows = {std::string(static_cast<std::size_t>(2 * bits), '\x1b')};
      const std::vector<float> all = values(fits);
      ASSERT_EQ(all.size(), 16U);
      for (std::size_t i = 0; i < begin.size(); ++i) EXPECT_EQ(all[i], begin[i]) << bits << ' ' << i;
    }
}

TEST_F(Psrfits, values_of_8_16_and_32_bits_have_their_signs) {
  HandMadeFits fits;
  fits.rows = {std::string(16, '\xfe')};
  EXPECT_EQ(values(fits)[0], 254);
  fits.subint["SIGNINT"] = "1";
  EXPECT_EQ(values(fits)[0], -2);
  // FITS represents signed bytes as unsigned ones with an offset of -128.
  fits.subint["TZERO6"] = "-128";
  EXPECT_EQ(values(fits)[0], 126);
  fits = {};
  fits.subint["NBITS"] = "16";
  fits.data_form = "16I";
  fits.rows = {std::string()};
  for (int i = 0; i < 16; ++i) fits.rows[0] += big_endian(static_cast<std::int16_t>(i == 0 ? -5 : i));
  EXPECT_EQ(values(fits)[0], -5);
  fits.subint["TZERO6"] = "32768";
  EXPECT_EQ(values(fits)[0], 32763);
  fits = {};
  fits.subint["NBITS"] = "32";
  fits.data_form = "16E";
  fits.rows = {std::string()};
  for (int i = 0; i < 16; ++i) fits.rows[0] += big_endian(static_cast<float>(i) + 0.5F);
  EXPECT_EQ(values(fits)[15], 15.5F);
}

TEST_F(Psrfits, scales_offsets_weights_and_the_zero_are_obeyed) {
  HandMadeFits fits = counting(1);
  fits.subint["ZERO_OFF"] = "2.5";
  fits.scales = {1, 2, 3, 4};
  fits.offsets = {10, 20, 30, 40};
  fits.weights = {1, 0.5F};
  const std::vector<float> all = values(fits);
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t place = i % 4;
    const float expected =
        ((static_cast<float>(i) - 2.5F) * fits.scales[place] + fits.offsets[place]) * fits.weights[place % 2];
    EXPECT_EQ(all[i], expected) << i;
  }
  fits.weights = {0, 1};
  const std::vector<KeptFrame> frames = read(fits);
  EXPECT_EQ(frames[0].header.missing_parts, 4U);
  EXPECT_TRUE(std::isnan(values(fits)[0]));
  EXPECT_FALSE(std::isnan(values(fits)[1]));
}

TEST_F(Psrfits, missing_rows_are_a_gap_and_the_last_one_may_be_short) {
  HandMadeFits fits = counting(3);
  // Centres of rows of 2 s: the second row is the fourth of the observation.
  fits.middles = {1, 7, 9};
  fits.subint["NSTOT"] = "11";
  const std::vector<KeptFrame> frames = read(fits);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].header.sequence, 3U);
  EXPECT_EQ(frames[1].header.utc_ns, frames[0].header.utc_ns + 6'000'000'000);
  EXPECT_EQ(frames[2].header.missing_parts, 1U);
  EXPECT_EQ(counters_.lost, 2U);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("8 samples are missing within it")));
}

TEST_F(Psrfits, rows_off_the_grid_of_samples_are_counted_with_a_warning) {
  HandMadeFits fits = counting(3);
  // Centres of rows of 2 s; a sample lasts 0.5 s.
  fits.middles = {1, 3.1, 5.2};
  EXPECT_EQ(read(fits).size(), 3U);
  EXPECT_EQ(test::value_of(counters_.details, "time_rounded_by"), 200'000'000U);
  EXPECT_THAT(warnings_,
              ElementsAre("times are rounded to the grid of samples, by up to 0.4 samples (200 ms)"));
}

TEST_F(Psrfits, keywords_with_a_default_cause_a_warning_where_they_are_missing) {
  HandMadeFits fits = counting(1);
  fits.primary.erase("STT_OFFS");
  EXPECT_EQ(read(fits)[0].header.utc_ns, 1'245'286'800'000'000'000);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("STT_OFFS is missing: read as 0")));
  fits = counting(1);
  fits.subint.erase("NPOL");
  fits.subint["NCHAN"] = "4";
  fits.frequencies = {1, 2, 3, 4};
  fits.weights = {1, 1, 1, 1};
  EXPECT_EQ(read(fits).size(), 1U);
  EXPECT_EQ(type_.to_string(), "float32[time=4][channel=4]");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("NPOL is missing in SUBINT: read as 1")));
}

TEST_F(Psrfits, a_truncated_gzip_file_is_named_as_such) {
  const std::string whole = test::gzipped(counting(2000).bytes());
  const std::string path = folder_.file("a.fits.gz", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(
      [&] {
        SampleFileSource source({.pieces = read_psrfits(path, 4)});
        source.start();
        (void)test::take_all(source);
      },
      ThrowsMessage<WorkError>(AllOf(HasSubstr("of SUBINT failed (the gzip stream is cut short at byte "))));
}

TEST_F(Psrfits, fewer_rows_than_nstot_declares_cause_a_warning) {
  HandMadeFits fits = counting(3);
  fits.subint["NSTOT"] = "40";
  EXPECT_EQ(read(fits).size(), 3U);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("NSTOT declares 40 samples, the table has 12")));
}

TEST_F(Psrfits, files_of_one_observation_are_one_stream) {
  HandMadeFits first = counting(2), second = counting(3);
  second.subint["NSUBOFFS"] = "2";
  const std::string a = folder_.file("1.fits", first.bytes()), b = folder_.file("2.fits", second.bytes());
  std::vector<SamplePiece> pieces = read_psrfits(b, 4);
  for (SamplePiece& piece : read_psrfits(a, 4)) pieces.push_back(std::move(piece));
  SampleFileSource source({.pieces = pieces});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(frames[i].header.sequence, i);
  EXPECT_EQ(source.counters().incomplete, 0U);
  for (std::size_t taken = 0; taken <= 5; ++taken) {
    SampleFileSource rest({.pieces = pieces});
    ASSERT_TRUE(rest.resume_after({.frames = taken, .last = {}}));
    rest.start();
    const std::vector<KeptFrame> behind = test::take_all(rest);
    ASSERT_EQ(behind.size(), 5 - taken);
    if (taken < 5) {
      EXPECT_EQ(behind[0].bytes, frames[taken].bytes);
    }
  }
}

TEST_F(Psrfits, a_gzip_file_is_read) {
  const std::string path = folder_.file("a.fits.gz", test::gzipped(counting(2).bytes()));
  SampleFileSource source({.pieces = read_psrfits(path, 4)});
  source.start();
  EXPECT_EQ(test::take_all(source).size(), 2U);
}

TEST_F(Psrfits, unsupported_properties_are_refused_by_name) {
  const auto with = [](bool is_primary, const char* name, const char* value) {
    HandMadeFits fits = counting(1);
    (is_primary ? fits.primary : fits.subint)[name] = value;
    return fits;
  };
  EXPECT_THAT(refusal(with(true, "OBS_MODE", "'PSR'")), HasSubstr("OBS_MODE is 'PSR': expected SEARCH"));
  EXPECT_THAT(refusal(with(true, "FITSTYPE", "'OTHER'")), HasSubstr("FITSTYPE is 'OTHER': expected PSRFITS"));
  EXPECT_THAT(refusal(with(false, "NBITS", "3")), HasSubstr("NBITS is 3: expected 1, 2, 4, 8, 16 or 32"));
  EXPECT_THAT(refusal(with(false, "NBITS", "16")),
              HasSubstr("NBITS is 16, but its column DATA has elements of 8 bits"));
  EXPECT_THAT(refusal(with(false, "NCHAN", "3")), HasSubstr("need 24"));
  EXPECT_THAT(refusal(with(false, "NSBLK", "5")), HasSubstr("need 20"));
  EXPECT_THAT(refusal(with(false, "NBIN", "64")), HasSubstr("folded profiles are not read"));
  EXPECT_THAT(refusal(with(false, "INT_TYPE", "'BINPHSPERI'")),
              HasSubstr("INT_TYPE is 'BINPHSPERI': expected TIME"));
  EXPECT_THAT(refusal(with(false, "TBIN", "-1")), HasSubstr("TBIN is -1"));
  EXPECT_THAT(refusal(with(false, "TSCAL6", "2")), HasSubstr("TSCAL of DATA is 2"));
  EXPECT_THAT(refusal(with(false, "TNULL6", "0")), HasSubstr("TNULL of DATA is not read"));
  EXPECT_THAT(refusal(with(false, "TUNIT2", "'Hz'")), HasSubstr("DAT_FREQ is in 'Hz': expected MHz"));
  HandMadeFits no_table = counting(1);
  std::string bytes = no_table.bytes();
  bytes.resize(2880);
  EXPECT_THAT([&] { (void)read_psrfits(folder_.file("b.fits", bytes), 4); },
              ThrowsMessage<ConfigError>(HasSubstr("it has no table SUBINT")));
  const std::string table = counting(1).bytes().substr(2880);
  EXPECT_THAT([&] { (void)read_psrfits(folder_.file("d.fits", bytes + table + table), 4); },
              ThrowsMessage<ConfigError>(HasSubstr("it has 2 tables SUBINT: expected one")));
  EXPECT_THAT([&] { (void)read_psrfits(folder_.file("c.fits", "nothing of the kind"), 4); },
              ThrowsMessage<ConfigError>(HasSubstr("not a readable FITS file")));
}

TEST_F(Psrfits, a_truncated_table_is_read_up_to_its_end_and_counted) {
  // Rows of 8 + 16 + 8 + 16 + 16 + 16 bytes after the two headers: 36 of 80 in the first block.
  const std::string whole = counting(80).bytes();
  const std::string path = folder_.file("cut.fits", whole.substr(0, 3 * 2880 + 100));
  SampleFileSource source({.pieces = read_psrfits(path, 4)});
  source.start();
  EXPECT_EQ(test::take_all(source).size(), 36U);
  EXPECT_EQ(test::value_of(source.counters().details, "samples_cut_off"), 176U);
  EXPECT_EQ(source.counters().lost, 44U);
  EXPECT_THAT(source.warnings(), ElementsAre(HasSubstr("NAXIS2 declares 320 samples, the file holds 144")));
}

TEST_F(Psrfits, channels_that_change_from_row_to_row_are_refused_before_a_run) {
  HandMadeFits fits = counting(2);
  std::string bytes = fits.bytes();
  // The second row's first frequency.
  bytes.replace(2 * 2880 + 80 + 8, 8, big_endian(1401.0));
  const SampleFileSource source({.pieces = read_psrfits(folder_.file("a.fits", bytes), 4)});
  EXPECT_THAT([&] { source.check(); },
              ThrowsMessage<ConfigError>(HasSubstr("DAT_FREQ of row 1 has 1401 MHz for channel 0")));
}

TEST_F(Psrfits, units_and_dimensions_of_columns_are_those_that_are_read) {
  HandMadeFits fits = counting(1);
  fits.subint["TUNIT1"] = "'ms'";
  EXPECT_THAT(refusal(fits), HasSubstr("OFFS_SUB is in 'ms': expected s"));
  fits = counting(1);
  fits.subint["TDIM6"] = "'(1,2,2,4)'";
  (void)read(fits);
  EXPECT_THAT(warnings_, ElementsAre());
  fits.subint["TDIM6"] = "'(4,2,2)'";
  (void)read(fits);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("TDIM of DATA is (4,2,2): expected (2,2,4)")));
}

TEST_F(Psrfits, keywords_that_no_table_has_are_carried_with_a_warning) {
  HandMadeFits fits = counting(1);
  fits.primary["MYKEY"] = "7";
  (void)read(fits);
  EXPECT_THAT(description_, Contains("MYKEY: 7"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("'MYKEY'")));
}

TEST_F(Psrfits, damaged_headers_are_refused_or_read_and_nothing_else) {
  const std::string valid = counting(2).bytes();
  std::mt19937 random(4);
  for (int i = 0; i < 200; ++i) {
    std::string bad = valid;
    for (int k = 0; k < 2; ++k) bad[random() % (3 * 2880)] = static_cast<char>(' ' + random() % 95);
    if (i % 5 == 0) bad.resize(random() % bad.size());
    try {
      SampleFileSource source({.pieces = read_psrfits(folder_.file("bad.fits", bad), 4)});
      source.start();
      (void)test::take_all(source);
    } catch (const ConfigError&) {
    } catch (const WorkError&) {
    }
  }
}

}  // namespace psrfits_file_test
}  // namespace takt::sensors
