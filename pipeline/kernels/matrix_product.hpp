#pragma once
/// `matrix_product`: C = A B, of two inputs.
///
/// float32|float64 [r=R][k=K] and [k'=K][c=C] -> [r=R][c=C], whatever the axes are called; the last one of
/// the output gets a prime behind its name where both would be called alike. An element's sum is taken in the
/// order of k, so it has the same bits however many ranks there are. Its unit is the product of theirs.
///
/// Data-parallel by the rows of A, B and C: each member takes the others' rows of B, then makes its rows of
/// C. O(R K C / p) operations, K C elements received.
///
/// Source: Golub and Van Loan, "Matrix computations" (2013), 1.1 and 1.6.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind matrix_product_kernel();

}  // namespace takt::pipeline
