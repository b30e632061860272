#include "sensors/files/fits_cards.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t card_letters = 80, longest_card_text = 67;

}  // namespace

FitsCards& FitsCards::value(std::string_view keyword, std::string_view value, std::string_view comment) {
  const std::size_t end = header_.size() + card_letters;
  fmt::format_to(std::back_inserter(header_), "{:<8}= {} / {}", keyword, value, comment);
  header_.resize(end, ' ');
  return *this;
}

FitsCards& FitsCards::text(std::string_view keyword, std::string_view value, std::string_view comment) {
  std::array<char, card_letters> field{};
  // At least eight characters, and the comment in column 34.
  char* const quote = fmt::format_to_n(field.data(), field.size(), "'{:<8}'", value).out;
  const auto width = std::max<std::size_t>(20, static_cast<std::size_t>(quote - field.data()));
  std::fill(quote, field.data() + width, ' ');
  return this->value(keyword, {field.data(), width}, comment);
}

FitsCards& FitsCards::integer(std::string_view keyword, std::int64_t value, std::string_view comment) {
  std::array<char, card_letters> field{};
  const auto end = fmt::format_to_n(field.data(), field.size(), "{:>20}", value).out;
  return this->value(keyword, {field.data(), end}, comment);
}

FitsCards& FitsCards::real(std::string_view keyword, double value, std::string_view comment) {
  std::array<char, 32> digits{};
  const std::string_view number(digits.data(),
                                fmt::format_to_n(digits.data(), digits.size(), "{}", value).out);
  const std::size_t exponent = std::min(number.find('e'), number.size());
  const std::string_view mantissa = number.substr(0, exponent), rest = number.substr(exponent);
  std::array<char, card_letters> field{};
  char* end = fmt::format_to_n(field.data(), field.size(), "{}{}{}{}", mantissa,
                               mantissa.find('.') == std::string_view::npos ? ".0" : "",
                               rest.empty() ? "" : "E", rest.empty() ? rest : rest.substr(1))
                  .out;
  constexpr std::ptrdiff_t width = 20;
  if (const std::ptrdiff_t length = end - field.data(); length < width) {
    std::copy_backward(field.data(), end, field.data() + width);
    std::fill_n(field.data(), width - length, ' ');
    end = field.data() + width;
  }
  return this->value(keyword, {field.data(), end}, comment);
}

FitsCards& FitsCards::truth(std::string_view keyword, bool value, std::string_view comment) {
  return this->value(keyword, value ? "                   T" : "                   F", comment);
}

FitsCards& FitsCards::start(std::int64_t utc_ns) {
  constexpr std::int64_t second_ns = 1'000'000'000, day_s = 86'400, mjd_of_1970 = 40'587;
  const std::int64_t rest_ns = (utc_ns % second_ns + second_ns) % second_ns,
                     second = (utc_ns - rest_ns) / second_ns, of_day = (second % day_s + day_s) % day_s;
  return integer("STT_IMJD", (second - of_day) / day_s + mjd_of_1970, "day of the first sample (MJD, UTC)")
      .integer("STT_SMJD", of_day, "[s] second of that day")
      .real("STT_OFFS", static_cast<double>(rest_ns) / 1e9, "[s] beyond that second");
}

FitsCards& FitsCards::end() {
  header_ += "END";
  header_.append(card_letters - 3, ' ');
  return *this;
}

void check_fits_text(const std::string& option, std::string_view text) {
  const bool is_plain =
      std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~' && letter != '\''; });
  if (!is_plain || text.size() > longest_card_text)
    throw OptionError(option, fmt::format("'{}' cannot be in a FITS card: expected up to {} printable ASCII "
                                          "characters without quotes",
                                          excerpt(text), longest_card_text));
}

}  // namespace takt::sensors
