#pragma once
/// A lower bound of the period for expensive messages, from the cost of partitions of the graph.

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The bound of Donath and Hoffman for partitions, with a diagonal that is chosen for the graph (W. E.
/// Donath, A. J. Hoffman, "Lower bounds for the partitioning of graphs", IBM Journal of Research and
/// Development 17, 1973; J. Cullum, W. E. Donath, P. Wolfe, "The minimization of certain nondifferentiable
/// sums of eigenvalues of symmetric matrices", Mathematical Programming Study 3, 1975).
///
/// Let processor i have the tasks S_i, of work w(S_i), and overheads c(S_i). With the Laplacian L of the
/// costs of cut edges, the tasks' work D, and any numbers u with U = diag(u),
///
///   sum of c(S_i) = <L, X> = <L + D U, X> - sum of work u,  X = sum of 1_i 1_i^T over the parts,
///
/// since X has the diagonal 1. D^1/2 X D^1/2 has the eigenvalues w(S_i). Let m_1 <= m_2 <= ... be the
/// smallest eigenvalues of D^-1/2 L D^-1/2 + U, and let the k-th largest w(S_i) be at most a_k T for a period
/// T. Then sum of c(S_i) >= T sum of a_i min(0, m_i) - sum of work u. All processors together have at least
/// sum of s_i T = work + sum of s_i c(S_i), so that with the lowest speed s_P
///
///   period >= (work - s_P sum of work u) / (sum of s_i - s_P sum of a_i min(0, m_i)).
///
/// If k parts have at least the work b each, their overheads are at least b times the sum of the k smallest
/// eigenvalues l_i without U (K. Fan 1949, with the cheaper end of each message), all within k periods: for
/// speeds s_1 >= s_2 >= ...,
///
///   a_k = min(s_k, sum of s_i / (k + s_P sum of l_i)), both sums for i up to k.
///
/// Every u yields a bound; with a good u all tasks have an equal share in the relevant eigenvectors. A
/// subgradient method finds it on approximate eigenvectors (Chebyshev-filtered subspaces: Y. Zhou, Y. Saad,
/// M. L. Tiago, J. R. Chelikowsky, Journal of Computational Physics 219, 2006). The result follows from
/// eigenvalues with a margin for rounding. For schedules of one copy; 0 for more than 512 tasks and if
/// overheads do not grow with the data. O(n^3) time twice, O(n q^2 + m q) a step with q = min(n, P) vectors.
[[nodiscard]] Time partition_bound(const Workload& workload);

}  // namespace takt::schedulers
