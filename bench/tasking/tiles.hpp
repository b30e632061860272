#pragma once
/// A matrix in tiles, and what is done to its tiles: compiled once, so that all libraries run the same code.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace takt::bench {

/// splitmix64 (Vigna 2015).
[[nodiscard]] inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// Returns a hash of all bits.
[[nodiscard]] std::uint64_t hash_of(const std::vector<double>& values);

/// A square matrix in tiles, each contiguous, row after row.
class Tiles {
 public:
  static constexpr std::size_t side = 32;

  explicit Tiles(std::size_t tiles) : tiles_(tiles), data_(tiles * tiles * side * side) {}
  [[nodiscard]] std::size_t tiles() const { return tiles_; }
  [[nodiscard]] double* at(std::size_t row, std::size_t column) {
    return data_.data() + (row * tiles_ + column) * side * side;
  }
  /// Diagonally dominant and symmetric.
  void fill();
  [[nodiscard]] std::uint64_t hash() const { return hash_of(data_); }

 private:
  std::size_t tiles_;
  std::vector<double> data_;
};

/// a = Cholesky's factor of a.
void factor_tile(double* a);
/// b = b l^-T.
void solve_tile(const double* l, double* b);
/// c -= a b^T.
void update_tile(const double* a, const double* b, double* c);
/// b = l^-1 b.
void solve_vector(const double* l, double* b);
/// b -= l x.
void update_vector(const double* l, const double* x, double* b);

}  // namespace takt::bench
