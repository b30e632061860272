/// Tests that beams point at the positions of sources.

#include "pipeline/kernels/beam_geometry.hpp"

#include <cmath>

#include <gmock/gmock.h>

namespace takt::pipeline::test {
namespace {

/// Meeus, "Astronomical algorithms" (1998), example 13.b: Venus from the US Naval Observatory on 1987 April
/// 10 at 19:21:00 UT, azimuth 68.0337 degrees from the south, elevation 15.1249. The example uses apparent
/// sidereal time, which differs from the mean one by 0.23 s, or 0.001 degrees.
TEST(Horizontal, agrees_with_the_textbook) {
  const ArraySite washington{-(77 + 3.0 / 60 + 56.0 / 3600), 38 + 55.0 / 60 + 17.0 / 3600};
  constexpr std::int64_t utc_ns = 545'080'860'000'000'000;  // 1987-04-10T19:21:00
  const Pointing venus = horizontal(347.3193375, -6.719891667, washington, utc_ns);
  EXPECT_NEAR(venus.azimuth, 180 + 68.0337, 0.002);
  EXPECT_NEAR(venus.elevation, 15.1249, 0.002);
}

/// The pole is fixed in the north, as high as the latitude; the zenith's declination is the latitude.
TEST(Horizontal, keeps_the_pole_fixed) {
  for (const double latitude : {-52.0, 0.5, 52.0})
    for (const std::int64_t hours : {0, 5, 11, 17}) {
      const Pointing pole =
          horizontal(123, 90, {7, latitude}, 1'700'000'000'000'000'000 + hours * 3'600'000'000'000);
      EXPECT_NEAR(pole.elevation, latitude, 1e-6);
      EXPECT_NEAR(std::remainder(pole.azimuth, 360.0), 0, 1e-6);
    }
}

}  // namespace
}  // namespace takt::pipeline::test
