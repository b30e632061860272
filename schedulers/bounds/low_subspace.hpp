#pragma once
/// Approximate eigenvectors of the lowest eigenvalues of a sparse symmetric matrix.

#include <cstddef>
#include <vector>

#include "schedulers/bounds/cut_matrix.hpp"

namespace takt::schedulers {

/// A subspace that comes nearer to that of the lowest eigenvalues with each improvement, also while the
/// matrix's diagonal changes a little in between: a Chebyshev polynomial of the matrix damps what belongs to
/// the other eigenvalues, then Rayleigh and Ritz' method finds the best vectors in the subspace (Y. Zhou, Y.
/// Saad, M. L. Tiago, J. R. Chelikowsky, "Self-consistent-field calculations using Chebyshev-filtered
/// subspace iteration", Journal of Computational Physics 219, 2006).
class LowSubspace {
 public:
  /// Of so many vectors, one at least and not more than the matrix is large.
  LowSubspace(const CutMatrix& matrix, std::size_t count);

  /// O(m q + n q^2 + q^3) for q vectors.
  void improve(const std::vector<double>& shift);

  /// Ritz values, ascending; none is below the matrix's own eigenvalue of its place.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Of length 1.
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
