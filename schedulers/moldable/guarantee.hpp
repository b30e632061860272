#pragma once
/// The guarantee of MCGAS: the largest ratio of its makespan to the shortest one.
///
/// Clusters of p_1 >= p_2 >= ... processors of equal speed, m in all; rounding with mu makes the critical
/// path 1 / (1 - mu) and the work 1 / mu times the best ones, and no task has more than b processors. With S
/// = sum of max(0, p_i - b + 1), the fewest busy processors when no cluster has b idle ones, the makespan is
/// at most 1 / beta times the shortest one, where for any alpha in [0, 1]
///
///     beta1 = alpha (1 - mu) + (1 - alpha) mu / m             at most b - 1 processors in use
///     beta2 = b (alpha (1 - mu) / p_1 + (1 - alpha) mu / m)   b to S - 1 in use
///     beta3 = (1 - alpha) mu S / m                            S or more in use
///
/// and beta is the largest min(beta1, beta2, beta3) over alpha. (Lemma 1 of the source, alpha = 1 - mu, holds
/// at the best mu only: elsewhere its guarantee is weaker than the true one.)
///
/// It ignores communication and requires list scheduling: no task waits while it fits into a cluster.
///
/// Source: Dutot, N'Takpe, Suter, Casanova (2009), section 4.3.

#include <cstddef>
#include <optional>
#include <span>

namespace takt::schedulers {

struct MuAndBound {
  double mu = 0.5;
  std::size_t bound = 1;
};

/// Returns 1 / beta, at least 1; infinite without a guarantee. Sizes in any order. Exact maximum over alpha:
/// the three are lines. O(clusters).
[[nodiscard]] double guarantee_ratio(std::span<const std::size_t> sizes, const MuAndBound& parameters);

/// Returns the mu and b with the smallest ratio; of equals the smallest b. O(p_1 clusters).
[[nodiscard]] MuAndBound best_guarantee(std::span<const std::size_t> sizes);

/// Returns the mu with the smallest ratio for a b.
[[nodiscard]] double best_mu(std::span<const std::size_t> sizes, std::size_t bound);

/// Returns the smallest mu with at most this ratio; nothing if there is none.
[[nodiscard]] std::optional<double> smallest_mu(std::span<const std::size_t> sizes, std::size_t bound,
                                                double ratio);

/// Returns the largest mu with at most this ratio; nothing if there is none.
[[nodiscard]] std::optional<double> largest_mu(std::span<const std::size_t> sizes, std::size_t bound,
                                               double ratio);

}  // namespace takt::schedulers
