/// Tests the frame type of valid options, and the errors of invalid ones.

#include "sensors/lofar/format.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"

namespace takt::sensors {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(LofarFormat, frames_hold_packets_beamlets_of_all_lanes_time_and_polarisation) {
  LofarFormat format;
  format.lanes = 4;
  EXPECT_EQ(lofar_frame_type(format).to_string(),
            "complex_int8[packet=16][beamlet=488][time=16][polarisation=2]");
  format.bits = 16;
  format.beamlets = 61;
  EXPECT_EQ(lofar_frame_type(format).to_string(),
            "complex_int16[packet=16][beamlet=244][time=16][polarisation=2]");
  format.bits = 4;
  EXPECT_EQ(lofar_frame_type(format).element, ElementType::complex_int8);
}

TEST(LofarFormat, a_frame_lasts_sixteen_samples_a_packet) {
  LofarFormat format;
  const FrameType type = lofar_frame_type(format);
  // 200e6 / 1024 / 256 = 762.939453125 frames/s.
  EXPECT_DOUBLE_EQ(type.rate_hz, 762.939453125);
  EXPECT_DOUBLE_EQ(type.find_axis("time")->coordinates[1], 5.12e-6);
  EXPECT_DOUBLE_EQ(type.find_axis("packet")->coordinates[15], 15 * 16 * 5.12e-6);
}

TEST(LofarFormat, beamlets_have_the_sky_frequencies_of_their_subbands) {
  LofarFormat format;
  format.beamlets = 2;
  format.subbands = {256, 100};
  const auto frequencies = [&](const char* band, std::int64_t clock_hz) {
    format.band = band;
    format.clock_hz = clock_hz;
    return lofar_frame_type(format).find_axis("beamlet")->coordinates;
  };
  // Subband 256 of 512 is the centre of the band's Nyquist zone; 100 * 200e6 / 1024 = 19.53125 MHz.
  EXPECT_THAT(frequencies("LBA", 200'000'000), ElementsAre(50e6, 19.53125e6));
  EXPECT_THAT(frequencies("HBA_110_190", 200'000'000), ElementsAre(150e6, 119.53125e6));
  EXPECT_THAT(frequencies("HBA_170_230", 160'000'000), ElementsAre(200e6, 175.625e6));
  EXPECT_THAT(frequencies("HBA_210_250", 200'000'000), ElementsAre(250e6, 219.53125e6));
}

TEST(LofarFormat, subbands_are_written_as_numbers_and_ranges) {
  EXPECT_THAT(parse_subbands(std::vector<std::string>{"12..14", "200", "7..7"}),
              ElementsAre(12, 13, 14, 200, 7));
  EXPECT_THAT(parse_subbands(std::vector<std::string>{}), ElementsAre());
  for (const std::string wrong : {"", "512", "-1", "a", "1..", "..2", "1...2", "3..1", "1 "})
    EXPECT_THROW((void)parse_subbands(std::vector{wrong}), ConfigError) << wrong;
}

TEST(LofarFormat, wrong_formats_are_refused_with_what_was_expected) {
  const auto refusal = [](auto change) {
    LofarFormat format;
    change(format);
    try {
      validate(format);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal([](LofarFormat& f) { f.lanes = 5; }), HasSubstr("1 to 4"));
  EXPECT_THAT(refusal([](LofarFormat& f) { f.bits = 12; }), HasSubstr("16, 8 or 4"));
  EXPECT_THAT(refusal([](LofarFormat& f) { f.bits = 16; }), HasSubstr("1 to 61"))
      << "122 beamlets of 16 bits";
  EXPECT_THAT(refusal([](LofarFormat& f) { f.clock_hz = 100; }), HasSubstr("200 MHz or 160 MHz"));
  EXPECT_THAT(refusal([](LofarFormat& f) { f.packets = 0; }), HasSubstr("1 or more"));
  EXPECT_THAT(refusal([](LofarFormat& f) { f.band = "HBA_110_109"; }),
              HasSubstr("did you mean 'HBA_110_190'"));
  EXPECT_THAT(refusal([](LofarFormat& f) {
                f.subbands = {1, 2};
              }),
              HasSubstr("1 lanes x 122 beamlets = 122"));
  EXPECT_THAT(refusal([](LofarFormat& f) {
                f.beamlets = 1;
                f.subbands = {1};
              }),
              HasSubstr("band"));
  EXPECT_THAT(refusal([](LofarFormat& f) {
                f.beamlets = 1;
                f.subbands = {1};
                f.band = "HBA_170_230";
              }),
              HasSubstr("160 MHz, not 200 MHz"));
}

}  // namespace
}  // namespace takt::sensors
