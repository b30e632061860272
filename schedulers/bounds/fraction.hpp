#pragma once
/// Exact quotients of sums and products of times.

#include "core/period.hpp"

namespace takt::schedulers {

/// Products of two sums of times.
__extension__ typedef __int128 Wide;

/// `over` / `under`, neither negative, and `under` positive.
struct Fraction {
  Wide over = 0;
  Wide under = 1;

  /// The least whole time that is no less.
  [[nodiscard]] Time ceiling() const;
  /// Exactly the quotient where its denominator is at most 2^20, otherwise less by a millionth of a tick at
  /// most (more only where the numerator would become too large for a time), so that a lower bound stays one.
  [[nodiscard]] Period floor() const;
};

}  // namespace takt::schedulers
