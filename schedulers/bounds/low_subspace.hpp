#pragma once
/// Approximate eigenvectors of the lowest eigenvalues of a sparse symmetric matrix.

#include <cstddef>
#include <vector>

#include "schedulers/bounds/cut_matrix.hpp"

namespace takt::schedulers {

/// A subspace that each improvement brings nearer to that of the lowest eigenvalues, also while the matrix's
/// diagonal changes slightly in between. A Chebyshev polynomial of the matrix damps the components of the
/// other eigenvalues; then the Rayleigh-Ritz method finds the best vectors in the subspace (Y. Zhou, Y. Saad,
/// M. L. Tiago, J. R. Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered subspace
/// iteration", Journal of Computational Physics 219, 2006).
class LowSubspace {
 public:
  /// Spanned by `count` vectors: at least one, at most the size of the matrix.
  LowSubspace(const CutMatrix& matrix, std::size_t count);

  /// O(m q + n q^2 + q^3) for q vectors.
  void improve(const std::vector<double>& shift);

  /// Returns the Ritz values, ascending; each is an upper bound of the eigenvalue of its rank.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Returns a vector of length 1.
  [[nodiscard]] const std::vector<double>& vector(std::size_t i) const { return vectors_[i]; }

 private:
  void filter(const std::vector<double>& shift);
  void make_orthonormal();
  void rotate(const std::vector<double>& shift);

  const CutMatrix& matrix_;
  std::vector<std::vector<double>> vectors_;
  std::vector<double> values_;
};

}  // namespace takt::schedulers
