#pragma once
/// How far two measurements rank the same subjects in the same order.

#include <cstddef>
#include <span>

namespace takt::schedulers {

/// Returns Kendall's tau-b of two lists of equal length: 1 for the same order, -1 for the opposite one, 0
/// where one list has no two different values. Pairs whose entries of `a` differ by no more than
/// `least_difference`, relative to the larger one, do not count. O(n^2). Source: M. G. Kendall, "The
/// treatment of ties in ranking problems", Biometrika 33 (1945).
[[nodiscard]] double kendall_tau(std::span<const double> a, std::span<const double> b,
                                 double least_difference = 0);

/// Returns how many pairs of entries differ by more than `least_difference`, relative to the larger one.
[[nodiscard]] std::size_t pairs_apart(std::span<const double> a, double least_difference);

}  // namespace takt::schedulers
