#pragma once
/// Eigenvalues of small symmetric matrices.

#include <cstddef>
#include <vector>

namespace takt::schedulers {

/// Returns lower bounds of the `count` smallest eigenvalues of a symmetric n x n matrix (row by row),
/// ascending, for matrices without negative eigenvalues.
///
/// Householder's reduction to a tridiagonal matrix, then bisection by Sturm sequences (G. H. Golub, C. F. Van
/// Loan, "Matrix computations", 8.3 and 8.4). The reduction is backward stable: its rounding moves an
/// eigenvalue by a small multiple of n times the machine epsilon times the matrix's norm. That is subtracted
/// with a safety factor of more than a thousand. O(n^3 + count n) time.
[[nodiscard]] std::vector<double> smallest_eigenvalues(std::vector<double> matrix, std::size_t n,
                                                       std::size_t count);

}  // namespace takt::schedulers
