#pragma once
/// Where beams point, and how much earlier each antenna hears what comes from there.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/parameters.hpp"

namespace takt::pipeline {

/// Of a source as an observer sees it, in degrees: azimuth from north to east, elevation from the horizon.
struct Pointing {
  double azimuth = 0, elevation = 0;
};

/// A place on the Earth, in degrees east and north.
struct ArraySite {
  double longitude = 0, latitude = 0;
};

/// Where a source of these equatorial coordinates (degrees, of date) stands at that time. UTC is taken for
/// UT1, from which it differs by less than 0.9 s, or 14 arc seconds; refraction, nutation and aberration are
/// left out, another 20 at most beside refraction.
/// Source: Meeus, "Astronomical algorithms" (1998), 12 (mean sidereal time) and 13.
[[nodiscard]] Pointing horizontal(double right_ascension, double declination, const ArraySite& site,
                                  std::int64_t utc_ns);

/// Positions of antennas and directions of beams, fixed (`directions`) or on the sky (`sky` and `site`), as
/// `beamform` has them.
class BeamGeometry {
 public:
  /// Throws at the parameters' places.
  BeamGeometry(const Parameters& parameters, std::size_t antennas);

  /// Directions; 0 where antennas are added as they are.
  [[nodiscard]] std::size_t beams() const { return fixed_.size() + sky_.size(); }
  /// Whether directions move with time.
  [[nodiscard]] bool tracks() const { return !sky_.empty(); }
  [[nodiscard]] Pointing at(std::size_t beam, std::int64_t utc_ns) const;
  /// Seconds by which the antenna hears what comes from there earlier than one at 0:0:0.
  [[nodiscard]] double earlier_s(std::size_t antenna, const Pointing& source) const;

 private:
  double speed_;
  /// East, north, up in m.
  std::vector<std::vector<double>> positions_;
  std::vector<Pointing> fixed_;
  /// Right ascension and declination.
  std::vector<std::vector<double>> sky_;
  ArraySite site_;
};

}  // namespace takt::pipeline
