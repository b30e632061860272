#pragma once
/// Cards of FITS headers: 80 characters with a keyword, a value and a comment.
///
/// Source: FITS standard 4.0, section 4 (fixed format). GUPPI raw files have the same cards.

#include <cstdint>
#include <string>
#include <string_view>

namespace takt::sensors {

/// Appends cards to a header. Allocates nothing if the string has sufficient capacity.
class FitsCards {
 public:
  explicit FitsCards(std::string& header) : header_(header) {}

  /// `KEYWORD = 'text    ' / comment`. A comment that does not fit is truncated.
  FitsCards& text(std::string_view keyword, std::string_view value, std::string_view comment);
  /// `KEYWORD =                   42 / comment`.
  FitsCards& integer(std::string_view keyword, std::int64_t value, std::string_view comment);
  /// With enough digits to identify the number, and a decimal point.
  FitsCards& real(std::string_view keyword, double value, std::string_view comment);
  FitsCards& truth(std::string_view keyword, bool value, std::string_view comment);
  /// STT_IMJD, STT_SMJD and STT_OFFS of a UTC time: the day (MJD), the second of the day and the fraction.
  FitsCards& start(std::int64_t utc_ns);
  /// The card END.
  FitsCards& end();

 private:
  FitsCards& value(std::string_view keyword, std::string_view value, std::string_view comment);

  std::string& header_;
};

/// Throws OptionError with the option's name if a text is no valid value of a card: longer than 67
/// characters, not printable ASCII, or with a quote, which readers interpret differently.
void check_fits_text(const std::string& option, std::string_view text);

}  // namespace takt::sensors
