#pragma once
/// Random numbers that are the same on every machine and with every standard library.

#include <cstdint>
#include <random>

namespace takt {

/// A Mersenne twister with ranges of its own: the standard fixes the engine's numbers but leaves to each
/// library how its distributions use them.
class Random {
 public:
  /// Different streams of one seed are independent of each other.
  explicit Random(std::uint64_t seed, std::uint32_t stream = 0);

  /// Uniform in [0, bound), without bias; bound must be positive.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  /// Uniform in [least, most], without bias; least must not exceed most.
  [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most);
  /// Uniform in [0, 1), a multiple of 2^-53.
  [[nodiscard]] double unit();

 private:
  std::mt19937_64 engine_;
};

}  // namespace takt
