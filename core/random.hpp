#pragma once
/// Random numbers that are identical on every machine and with every standard library.

#include <cstdint>
#include <random>

namespace takt {

/// A Mersenne twister with its own distributions: the standard defines the engine's numbers but not the
/// distributions' use of them.
class Random {
 public:
  /// Different streams of one seed are independent of each other.
  explicit Random(std::uint64_t seed, std::uint32_t stream = 0);

  /// Returns a uniform number in [0, bound), without bias; bound must be positive.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  /// Returns a uniform number in [least, most], without bias; least must not exceed most.
  [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most);
  /// Returns a uniform number in [0, 1), a multiple of 2^-53.
  [[nodiscard]] double unit();

 private:
  std::mt19937_64 engine_;
};

}  // namespace takt
