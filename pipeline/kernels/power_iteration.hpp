#pragma once
/// `power_iteration`: the eigenvector of a square matrix whose eigenvalue is largest in magnitude.
///
/// float32|float64 [r=N][c=N] -> the same element [r=N]: the last product A x of a unit vector x, so that its
/// length is the eigenvalue's magnitude. The start is x_i proportional to 1 + i/N, in double precision; each
/// iteration reduces the error by the ratio of the second largest magnitude to the largest one. A matrix of
/// zeros yields zeros. The unit is the matrix's.
///
/// Data-parallel over rows: in each iteration a member computes its part of A x and shares it. The bits do
/// not depend on the number of ranks. Source: von Mises and Pollaczek-Geiringer (1929).

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

[[nodiscard]] KernelKind power_iteration_kernel();

}  // namespace takt::pipeline
