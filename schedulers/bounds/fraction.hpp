#pragma once
/// Exact quotients of sums and products of times.

#include "core/period.hpp"

namespace takt::schedulers {

/// Holds a product of two sums of times.
__extension__ typedef __int128 Wide;

/// `over` / `under`, neither negative, and `under` positive.
struct Fraction {
  Wide over = 0;
  Wide under = 1;

  /// Returns the quotient, rounded up to a whole time.
  [[nodiscard]] Time ceiling() const;
  /// Returns the exact quotient if its denominator is at most 2^20; otherwise a value lower by up to 1e-6
  /// ticks (more only if the numerator would overflow), so a lower bound remains one.
  [[nodiscard]] Period floor() const;
};

}  // namespace takt::schedulers
