#include "schedulers/bounds/fraction.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace takt::schedulers {

Time Fraction::ceiling() const {
  return Time(static_cast<Time::rep>((over + under - 1) / under));
}

Period Fraction::floor() const {
  Wide a = over, b = under;
  while (b != 0) a = std::exchange(b, a % b);
  const Wide reduced_over = over / a, reduced_under = under / a;
  constexpr Wide most_frames = 1 << 20, most_time = std::numeric_limits<Time::rep>::max();
  if (reduced_under <= most_frames && reduced_over <= most_time)
    return {Time(static_cast<Time::rep>(reduced_over)), static_cast<std::uint32_t>(reduced_under)};
  // Integer part and remainder are added separately, since their joint numerator can overflow.
  const Wide whole = reduced_over / reduced_under, rest = reduced_over % reduced_under;
  const Wide frames = std::min(most_frames, most_time / (whole + 1));
  return {Time(static_cast<Time::rep>(whole * frames + rest * frames / reduced_under)),
          static_cast<std::uint32_t>(frames)};
}

}  // namespace takt::schedulers
