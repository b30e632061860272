#pragma once
/// A random-number generator with a low start-up cost: one stream for each packet or frame.

#include <cmath>
#include <cstdint>
#include <numbers>

namespace takt::sensors {

/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014). Unlike a
/// Mersenne twister it has no state to fill, so that the content of packet n can depend on the seed and n
/// only.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  /// Stream `number` of a seed, independent of the other streams.
  SplitMix(std::uint64_t seed, std::uint64_t number)
      : state_(SplitMix(seed ^ SplitMix(number).next()).next()) {}

  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  /// Returns 0 .. bound - 1, for bounds far below 2^64.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  /// Returns a number in [0, 1).
  [[nodiscard]] double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  [[nodiscard]] bool chance(double probability) { return unit() < probability; }
  /// Returns a standard normal number, by Box and Muller.
  [[nodiscard]] double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  std::uint64_t state_;
};

}  // namespace takt::sensors
