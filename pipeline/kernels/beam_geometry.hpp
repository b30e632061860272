#pragma once
/// Directions of beams, and the geometric delays of antennas.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/parameters.hpp"

namespace takt::pipeline {

/// Direction of a source in degrees: azimuth from north to east, elevation above the observer's horizon.
struct Pointing {
  double azimuth = 0, elevation = 0;
};

/// A place on the Earth, in degrees east and north.
struct ArraySite {
  double longitude = 0, latitude = 0;
};

/// Returns the direction of a source with these equatorial coordinates (degrees, of date) at a time. Uses UTC
/// for UT1, a difference of less than 0.9 s or 14 arc seconds, and ignores nutation and aberration (up to 20
/// more) and refraction.
/// Source: Meeus, "Astronomical algorithms" (1998), 12 (mean sidereal time) and 13.
[[nodiscard]] Pointing horizontal(double right_ascension, double declination, const ArraySite& site,
                                  std::int64_t utc_ns);

/// Positions of antennas and directions of beams, fixed (`directions`) or on the sky (`sky` and `site`), for
/// `beamform`.
class BeamGeometry {
 public:
  /// Throws at the parameters' places.
  BeamGeometry(const Parameters& parameters, std::size_t antennas);

  /// Returns the number of directions; 0 if antennas are added without steering.
  [[nodiscard]] std::size_t beams() const { return fixed_.size() + sky_.size(); }
  /// Returns true if directions change with time.
  [[nodiscard]] bool tracks() const { return !sky_.empty(); }
  [[nodiscard]] Pointing at(std::size_t beam, std::int64_t utc_ns) const;
  /// Returns the seconds by which the antenna receives the source earlier than one at 0:0:0.
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
