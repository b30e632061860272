#pragma once
/// `matrix_product`: C = A B, of two inputs.
///
/// float32|float64 [r=R][k=K] and [k'=K][c=C] -> [r=R][c=C], with any names of axes; if both output names are
/// equal, the last one gets a prime. Each element is summed in the order of k, so that its bits do not depend
/// on the number of ranks. Its unit is the product of the inputs' units.
///
/// Data-parallel over the rows of A, B and C: each member receives the other members' rows of B, then
/// computes its rows of C. O(R K C / p) operations, K C elements received.
///
/// Source: Golub and Van Loan, "Matrix computations" (2013), 1.1 and 1.6.

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind matrix_product_kernel();

}  // namespace takt::pipeline
