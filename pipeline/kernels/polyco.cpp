#include "pipeline/kernels/polyco.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"

namespace takt::pipeline {

namespace {

/// Words of a text, each with its place.
class Words {
 public:
  Words(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {}

  [[nodiscard]] bool at_end() {
    skip();
    return at_ == text_.size();
  }
  std::string word(const char* what) {
    skip();
    begin_ = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    if (at_ == begin_) refuse(fmt::format("the file ends where {} is expected", what));
    return text_.substr(begin_, at_ - begin_);
  }
  /// Parses `1.5`, `-3.2D-10`.
  long double number(const char* what) {
    std::string text = word(what);
    for (char& c : text)
      if (c == 'D' || c == 'd') c = 'e';
    char* end = nullptr;
    const long double value = std::strtold(text.c_str(), &end);
    if (*end != 0 || !std::isfinite(value))
      refuse(fmt::format("'{}' is not a number: expected {}", excerpt(text), what));
    return value;
  }
  /// Parses a day and its fraction into ns since 1970, separately to keep precision.
  long double mjd(const char* what) {
    const std::string text = word(what);
    constexpr long double day_ns = 86400e9L, unix_epoch = 40587;
    const std::size_t point = std::min(text.find('.'), text.size());
    const std::string whole = text.substr(0, point), rest = "0" + text.substr(point);
    char *end = nullptr, *end_of_fraction = nullptr;
    const long double day = std::strtold(whole.c_str(), &end);
    const long double fraction = std::strtold(rest.c_str(), &end_of_fraction);
    if (*end != 0 || *end_of_fraction != 0 || !std::isfinite(day))
      refuse(fmt::format("'{}' is not a modified Julian date: expected {}", excerpt(text), what));
    return (day - unix_epoch) * day_ns + fraction * day_ns;
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  [[noreturn]] void refuse(const std::string& message) const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(begin_), '\n');
    const std::size_t line_begin = begin_ == 0 ? std::string::npos : text_.rfind('\n', begin_ - 1);
    const std::size_t column = begin_ - (line_begin == std::string::npos ? 0 : line_begin + 1);
    throw ConfigError(SourceLocation{file_, static_cast<int>(line) + 1, static_cast<int>(column) + 1},
                      message);
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  std::string text_, file_;
  std::size_t at_ = 0, begin_ = 0;
};

}  // namespace

Polyco::Polyco(const std::filesystem::path& file) : file_(file) {
  constexpr long double most_coefficients = 64;
  Words words(read_text_file(file), file.string());
  while (!words.at_end()) {
    Block block;
    (void)words.word("the pulsar's name");
    (void)words.word("the date");
    (void)words.word("the time of day");
    block.middle_ns = words.mjd("the middle of the block (TMID), a modified Julian day");
    words.skip_line();
    block.phase = words.number("the reference phase (RPHASE)");
    block.hertz = words.number("the reference frequency (F0) in Hz");
    (void)words.word("the observatory");
    block.span_minutes = static_cast<double>(words.number("the block's span in minutes"));
    const long double count = words.number("the number of coefficients");
    if (!(block.hertz > 0)) words.refuse("the reference frequency is not above 0");
    if (!(block.span_minutes > 0)) words.refuse("the span is not above 0");
    if (count < 1 || count > most_coefficients || count != std::floor(count))
      words.refuse(fmt::format("expected 1 to {} coefficients", static_cast<int>(most_coefficients)));
    words.skip_line();
    for (int k = 0; k < static_cast<int>(count); ++k)
      block.coefficients.push_back(static_cast<double>(words.number("a coefficient")));
    blocks_.push_back(std::move(block));
  }
  if (blocks_.empty()) words.refuse("the file has no block of coefficients");
}

long double Polyco::turns(long double utc_ns) const {
  constexpr long double minute_ns = 60e9L;
  const auto distance = [&](const Block& block) { return std::abs(utc_ns - block.middle_ns); };
  const Block& block = *std::ranges::min_element(blocks_, {}, distance);
  // Frames for measurements have no real time: they count from 1970.
  constexpr long double day_ns = 86400e9L;
  if (utc_ns < day_ns) return block.phase + block.hertz * utc_ns / 1e9L;
  const long double minutes = (utc_ns - block.middle_ns) / minute_ns;
  if (std::abs(minutes) > static_cast<long double>(block.span_minutes) * 0.5L + 1e-6L)
    throw WorkError(
        fmt::format("{}: no block reaches the frame's time, {:.3f} minutes from the middle of the nearest "
                    "one, which spans {} minutes",
                    file_.string(), static_cast<double>(minutes), block.span_minutes));
  long double sum = 0;
  for (std::size_t k = block.coefficients.size(); k-- > 0;)
    sum = sum * minutes + static_cast<long double>(block.coefficients[k]);
  return block.phase + minutes * 60 * block.hertz + sum;
}

}  // namespace takt::pipeline
