#include "bench/tasking/tiles.hpp"

#include <cmath>
#include <cstring>

namespace takt::bench {

std::uint64_t hash_of(const std::vector<double>& values) {
  std::uint64_t hash = 0;
  for (const double each : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &each, sizeof(bits));
    hash = mix(hash ^ bits);
  }
  return hash;
}

void Tiles::fill() {
  const std::size_t size = tiles_ * side;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      at(i / side, j / side)[i % side * side + j % side] =
          i == j ? 2.0 * static_cast<double>(size)
                 : 1 / (1 + std::abs(static_cast<double>(i) - static_cast<double>(j)));
}

void factor_tile(double* a) {
  constexpr std::size_t n = Tiles::side;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    const double root = std::sqrt(a[j * n + j]);
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= root;
  }
}
void solve_tile(const double* l, double* b) {
  constexpr std::size_t n = Tiles::side;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = b[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= b[i * n + k] * l[j * n + k];
      b[i * n + j] = sum / l[j * n + j];
    }
}
void update_tile(const double* a, const double* b, double* c) {
  constexpr std::size_t n = Tiles::side;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a[i * n + k] * b[j * n + k];
      c[i * n + j] -= sum;
    }
}

void solve_vector(const double* l, double* b) {
  constexpr std::size_t n = Tiles::side;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= l[i * n + j] * b[j];
    b[i] /= l[i * n + i];
  }
}

void update_vector(const double* l, const double* x, double* b) {
  constexpr std::size_t n = Tiles::side;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += l[i * n + j] * x[j];
    b[i] -= sum;
  }
}

}  // namespace takt::bench
