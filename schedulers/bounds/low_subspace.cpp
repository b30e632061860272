#include "schedulers/bounds/low_subspace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"

namespace takt::schedulers {

namespace {

using Vector = std::vector<double>;

constexpr int filter_degree = 8;
constexpr int most_sweeps = 12;

double dot(const Vector& a, const Vector& b) {
  return std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0);
}

void add_times(Vector& a, double factor, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

/// Rotates rows and columns p and q of a symmetric k x k matrix so that element (p, q) becomes 0, and the
/// rows of `turned` with them (Jacobi).
void turn(Vector& h, std::size_t k, std::size_t p, std::size_t q, std::vector<Vector>& turned) {
  const double apart = h[p * k + q];
  const double theta = (h[q * k + q] - h[p * k + p]) / (2 * apart);
  const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  const auto rotate = [c, s](double& a, double& b) {
    const double first = c * a - s * b;
    b = s * a + c * b;
    a = first;
  };
  for (std::size_t i = 0; i < k; ++i) rotate(h[i * k + p], h[i * k + q]);
  for (std::size_t i = 0; i < k; ++i) rotate(h[p * k + i], h[q * k + i]);
  for (std::size_t i = 0; i < k; ++i) rotate(turned[p][i], turned[q][i]);
}

/// Returns the eigenvectors of a symmetric k x k matrix as rows; the eigenvalues replace its diagonal.
std::vector<Vector> eigenvectors(Vector& h, std::size_t k) {
  std::vector<Vector> rows(k, Vector(k, 0.0));
  for (std::size_t i = 0; i < k; ++i) rows[i][i] = 1;
  const double small = 1e-8 * std::sqrt(dot(h, h)) / static_cast<double>(k);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool is_done = true;
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t q = p + 1; q < k; ++q) {
        if (std::abs(h[p * k + q]) <= small) continue;
        is_done = false;
        turn(h, k, p, q, rows);
      }
    if (is_done) break;
  }
  return rows;
}

}  // namespace

LowSubspace::LowSubspace(const CutMatrix& matrix, std::size_t count)
    : matrix_(matrix), vectors_(count, Vector(matrix.size())) {
  Random random(1);
  for (Vector& vector : vectors_)
    for (double& value : vector) value = random.unit() - 0.5;
  make_orthonormal();
  rotate(Vector(matrix.size(), 0.0));
}

void LowSubspace::improve(const std::vector<double>& shift) {
  // A subspace that is the whole space cannot improve.
  if (vectors_.size() < matrix_.size()) {
    filter(shift);
    make_orthonormal();
  }
  rotate(shift);
}

/// The Chebyshev polynomial is small between the largest Ritz value and the matrix's top, and grows fast
/// below. Each step is scaled by its value at the lowest Ritz value.
void LowSubspace::filter(const std::vector<double>& shift) {
  const double high = matrix_.top(shift),
               low = std::min(values_.back(), high - 1e-9 * std::abs(high) - 1e-12);
  const double half = (high - low) / 2, centre = (high + low) / 2;
  const double first = half / (std::min(values_.front(), low - half * 1e-3) - centre);
  Vector next(matrix_.size());
  for (Vector& x : vectors_) {
    double sigma = first;
    Vector y(matrix_.size());
    matrix_.multiply(shift, x.data(), y.data());
    add_times(y, -centre, x);
    for (double& value : y) value *= sigma / half;
    for (int i = 1; i < filter_degree; ++i) {
      const double scale = 1 / (2 / first - sigma);
      matrix_.multiply(shift, y.data(), next.data());
      for (std::size_t j = 0; j < y.size(); ++j)
        next[j] = 2 * scale / half * (next[j] - centre * y[j]) - sigma * scale * x[j];
      std::swap(x, y);
      std::swap(y, next);
      sigma = scale;
    }
    std::swap(x, y);
  }
}

void LowSubspace::make_orthonormal() {
  for (std::size_t i = 0; i < vectors_.size(); ++i) {
    // Two passes are enough for orthogonality.
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t j = 0; j < i; ++j) add_times(vectors_[i], -dot(vectors_[i], vectors_[j]), vectors_[j]);
    const double length = std::sqrt(dot(vectors_[i], vectors_[i]));
    for (double& value : vectors_[i]) value /= std::max(length, 1e-300);
  }
}

void LowSubspace::rotate(const std::vector<double>& shift) {
  const std::size_t k = vectors_.size();
  Vector h(k * k), product(matrix_.size());
  for (std::size_t i = 0; i < k; ++i) {
    matrix_.multiply(shift, vectors_[i].data(), product.data());
    for (std::size_t j = 0; j <= i; ++j) h[i * k + j] = h[j * k + i] = dot(product, vectors_[j]);
  }
  const std::vector<Vector> turned = eigenvectors(h, k);
  std::vector<std::size_t> order(k);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return h[i * k + i]; });
  std::vector<Vector> vectors;
  values_.clear();
  for (std::size_t i : order) {
    values_.push_back(h[i * k + i]);
    Vector& vector = vectors.emplace_back(matrix_.size(), 0.0);
    for (std::size_t j = 0; j < k; ++j) add_times(vector, turned[i][j], vectors_[j]);
  }
  vectors_ = std::move(vectors);
}

}  // namespace takt::schedulers
