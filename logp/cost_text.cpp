#include "logp/cost_text.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::logp {

namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Returns the number in the text, if the whole text is one.
template <class Number>
bool read_whole(std::string_view text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end;
}

}  // namespace

Cost parse_cost(std::string_view text) {
  // A plus sign after the first character that is not part of an exponent separates constant and slope.
  std::size_t plus = text.find('+', 1);
  while (plus != std::string_view::npos && (text[plus - 1] == 'e' || text[plus - 1] == 'E'))
    plus = text.find('+', plus + 1);
  double constant = 0, per_byte = 0;
  const bool valid = read_whole(trim(text.substr(0, plus)), constant) && std::isfinite(constant) &&
                     (plus == std::string_view::npos ||
                      (read_whole(trim(text.substr(plus + 1)), per_byte) && std::isfinite(per_byte)));
  if (!valid)
    throw ConfigError(fmt::format(
        "'{}' is not a cost: expected nanoseconds such as 5, or with nanoseconds a byte, such as 5+0.1",
        text));
  return {constant, per_byte};
}

std::size_t parse_count(std::string_view text, std::size_t least) {
  constexpr std::size_t most = 1'000'000;
  std::size_t count = 0;
  if (!read_whole(trim(text), count) || count < least || count > most)
    throw ConfigError(fmt::format("'{}': expected a whole number from {} to {}", text, least, most));
  return count;
}

double parse_number(std::string_view text) {
  double number = 0;
  if (!read_whole(trim(text), number) || !std::isfinite(number))
    throw ConfigError(fmt::format("'{}': expected a number", text));
  return number;
}

std::string to_string(const Cost::Segment& segment) {
  if (segment.per_byte == 0) return fmt::format("{}", segment.constant);
  return fmt::format("{} + {}", segment.constant, segment.per_byte);
}

}  // namespace takt::logp
