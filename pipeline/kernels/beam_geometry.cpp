#include "pipeline/kernels/beam_geometry.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

constexpr double degree = std::numbers::pi / 180;

/// Parses an angle around, up to 360 degrees, and one up or down, up to 90.
std::vector<double> angles(const Parameters& parameters, const char* name, const std::string& text,
                           const char* example, const char* around, const char* up) {
  std::vector<double> both = colon_numbers(parameters, name, text, 2, example);
  if (std::abs(both[0]) > 360)
    parameters.refuse(name, fmt::format("'{}': {} of {} degrees is not valid: expected -360 to 360", text,
                                        around, both[0]));
  if (std::abs(both[1]) > 90)
    parameters.refuse(
        name, fmt::format("'{}': {} of {} degrees is not valid: expected -90 to 90", text, up, both[1]));
  return both;
}

}  // namespace

Pointing horizontal(double right_ascension, double declination, const ArraySite& site, std::int64_t utc_ns) {
  constexpr double j2000_s = 946'728'000, day_s = 86'400, century_days = 36'525;
  const double days = (static_cast<double>(utc_ns) * 1e-9 - j2000_s) / day_s, t = days / century_days;
  const double sidereal =
      280.46061837 + 360.98564736629 * days + 0.000387933 * t * t - t * t * t / 38'710'000 + site.longitude;
  const double hour = std::fmod(sidereal - right_ascension, 360.0) * degree, phi = site.latitude * degree,
               delta = declination * degree;
  const double up = std::sin(phi) * std::sin(delta) + std::cos(phi) * std::cos(delta) * std::cos(hour);
  const double north = std::cos(phi) * std::sin(delta) - std::sin(phi) * std::cos(delta) * std::cos(hour);
  const double east = -std::cos(delta) * std::sin(hour);
  const double azimuth = std::atan2(east, north) / degree;
  return {azimuth < 0 ? azimuth + 360 : azimuth, std::atan2(up, std::hypot(north, east)) / degree};
}

BeamGeometry::BeamGeometry(const Parameters& parameters, std::size_t antennas)
    : speed_(parameters.number("speed")) {
  for (const std::string& text : parameters.texts("positions"))
    positions_.push_back(colon_numbers(parameters, "positions", text, 3, "east:north:up in m, 12.5:-3:0"));
  for (const std::string& text : parameters.texts("directions")) {
    const std::vector<double> both =
        angles(parameters, "directions", text, "azimuth:elevation, 180:45", "an azimuth", "an elevation");
    fixed_.push_back({both[0], both[1]});
  }
  for (const std::string& text : parameters.texts("sky"))
    sky_.push_back(angles(parameters, "sky", text, "right ascension:declination in degrees, 299.868:40.734",
                          "a right ascension", "a declination"));
  if (!positions_.empty() && positions_.size() != antennas)
    parameters.refuse("positions",
                      fmt::format("{} positions are given for {} antennas", positions_.size(), antennas));
  if (!fixed_.empty() && !sky_.empty())
    parameters.refuse("sky", "'sky' and 'directions' are given: expected one of them");
  if (positions_.empty() != (beams() == 0))
    parameters.refuse(!positions_.empty() ? "positions"
                      : fixed_.empty()    ? "sky"
                                          : "directions",
                      "expected positions together with directions or sky");
  const std::string site = parameters.text("site");
  if (site.empty() == tracks())
    parameters.refuse(tracks() ? "sky" : "site", "expected sky and site together");
  if (site.empty()) return;
  const std::vector<double> both =
      angles(parameters, "site", site, "longitude:latitude, 6.87:52.91", "a longitude", "a latitude");
  site_ = {both[0], both[1]};
}

Pointing BeamGeometry::at(std::size_t beam, std::int64_t utc_ns) const {
  return tracks() ? horizontal(sky_[beam][0], sky_[beam][1], site_, utc_ns) : fixed_[beam];
}

double BeamGeometry::earlier_s(std::size_t antenna, const Pointing& source) const {
  const double azimuth = source.azimuth * degree, elevation = source.elevation * degree;
  const std::vector<double>& at = positions_[antenna];
  return (at[0] * std::sin(azimuth) * std::cos(elevation) + at[1] * std::cos(azimuth) * std::cos(elevation) +
          at[2] * std::sin(elevation)) /
         speed_;
}

}  // namespace takt::pipeline
