#include "schedulers/bounds/eigenvalues.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace takt::schedulers {

namespace {

/// Relative to the matrix's norm.
constexpr double margin = 1e-9;

struct Tridiagonal {
  std::vector<double> diagonal;
  /// Squares of the off-diagonal elements, which are all that Sturm sequences need.
  std::vector<double> squares;
};

/// Reflects from both sides, so that row k keeps only the element next to the diagonal.
void reflect(std::vector<double>& a, std::size_t n, std::size_t k, Tridiagonal& result) {
  double* const row = &a[k * n];
  double norm = 0;
  for (std::size_t i = k + 1; i < n; ++i) norm += row[i] * row[i];
  result.squares[k] = norm;
  if (norm == 0) return;
  std::vector<double> v(row, row + n), p(n, 0.0);
  v[k + 1] += row[k + 1] > 0 ? std::sqrt(norm) : -std::sqrt(norm);
  double square = 0;
  for (std::size_t i = k + 1; i < n; ++i) square += v[i] * v[i];
  double projection = 0;
  for (std::size_t i = k + 1; i < n; ++i) {
    const double* const other = &a[i * n];
    double sum = 0;
    for (std::size_t j = k + 1; j < n; ++j) sum += other[j] * v[j];
    p[i] = 2 * sum / square;
    projection += v[i] * p[i];
  }
  for (std::size_t i = k + 1; i < n; ++i) p[i] -= projection / square * v[i];
  for (std::size_t i = k + 1; i < n; ++i) {
    double* const other = &a[i * n];
    for (std::size_t j = k + 1; j < n; ++j) other[j] -= v[i] * p[j] + p[i] * v[j];
  }
}

Tridiagonal tridiagonal(std::vector<double> a, std::size_t n) {
  Tridiagonal result{std::vector<double>(n), std::vector<double>(n, 0.0)};
  for (std::size_t k = 0; k < n; ++k) {
    result.diagonal[k] = a[k * n + k];
    if (k + 2 < n) reflect(a, n, k, result);
  }
  if (n > 1) result.squares[n - 2] = a[(n - 2) * n + n - 1] * a[(n - 2) * n + n - 1];
  return result;
}

/// Returns the number of eigenvalues below x: negative pivots of the matrix minus x.
std::size_t count_below(const Tridiagonal& matrix, double x, double smallest_pivot) {
  std::size_t count = 0;
  double pivot = 1;
  for (std::size_t i = 0; i < matrix.diagonal.size(); ++i) {
    pivot = matrix.diagonal[i] - x - (i > 0 ? matrix.squares[i - 1] / pivot : 0);
    if (std::abs(pivot) < smallest_pivot) pivot = -smallest_pivot;
    if (pivot < 0) ++count;
  }
  return count;
}

}  // namespace

std::vector<double> smallest_eigenvalues(std::vector<double> matrix, std::size_t n, std::size_t count) {
  const double norm = std::sqrt(std::transform_reduce(matrix.begin(), matrix.end(), matrix.begin(), 0.0));
  const Tridiagonal reduced = tridiagonal(std::move(matrix), n);
  std::vector<double> values;
  for (std::size_t k = 0; k < std::min(count, n); ++k) {
    double low = values.empty() ? 0 : values.back(), high = norm;
    // Enough bisections that the remaining interval is far below the margin.
    for (int step = 0; step < 50; ++step) {
      const double middle = low + (high - low) / 2;
      (count_below(reduced, middle, norm * 1e-30) > k ? high : low) = middle;
    }
    values.push_back(low);
  }
  for (double& value : values) value = std::max(0.0, value - margin * norm);
  return values;
}

}  // namespace takt::schedulers
