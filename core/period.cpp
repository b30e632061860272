#include "core/period.hpp"

#include <numeric>

#include <fmt/format.h>

namespace takt {

namespace {

// Times fill 63 bits, so that products of times and counts need more than 64.
__extension__ typedef __int128 Wide;

}  // namespace

Time Period::time_of(std::uint32_t count) const {
  return Time(static_cast<Time::rep>((Wide{time.count()} * count + frames - 1) / frames));
}

std::weak_ordering operator<=>(const Period& a, const Period& b) {
  const Wide left = Wide{a.time.count()} * b.frames, right = Wide{b.time.count()} * a.frames;
  if (left == right) return std::weak_ordering::equivalent;
  return left < right ? std::weak_ordering::less : std::weak_ordering::greater;
}

std::string to_decimal(const Period& period) {
  const Time::rep divisor = std::gcd(period.time.count(), Time::rep{period.frames});
  const Time::rep over = period.time.count() / divisor, under = period.frames / divisor;
  // The digits are finite if the denominator has no prime factors but 2 and 5.
  Time::rep rest = under;
  for (const int prime : {2, 5})
    while (rest % prime == 0) rest /= prime;
  if (rest != 1) return fmt::format("{}", period.ticks());
  std::string text = fmt::format("{}", over / under);
  Wide remainder = over % under;
  if (remainder > 0) text += '.';
  for (; remainder > 0; remainder = remainder * 10 % under)
    text += static_cast<char>('0' + static_cast<int>(remainder * 10 / under));
  return text;
}

}  // namespace takt
