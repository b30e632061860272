#pragma once
/// Parameters of kernels, sources and sinks: declared once, checked once, then read by name.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/units.hpp"

namespace takt::pipeline {

enum class ParameterType : std::uint8_t { integer, number, text, boolean, time, bytes, frequency, integers, texts };

[[nodiscard]] std::string_view name_of(ParameterType type);

/// What a user may write for one parameter. It feeds the schema check, `takt list` and the documentation.
struct ParameterSpec {
  std::string name;
  ParameterType type = ParameterType::text;
  /// The value when the user writes none, as text; nothing means that it must be written.
  std::optional<std::string> fallback;
  std::string help;
  /// For text: the values allowed; empty means any.
  std::vector<std::string> choices = {};
  /// For integer, number, time (ns), bytes and frequency (Hz): the range allowed.
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
};

/// The values of one kernel, source or sink, complete and of the declared types.
class Parameters {
 public:
  /// A written value and where it stands. Lists hold several texts.
  struct Value {
    std::vector<std::string> texts;
    bool is_list = false;
    SourceLocation where;
  };

  /// Checks the written values against the specification and adds the fallbacks. Every error goes to `errors`:
  /// unknown names (nearest first), missing ones (at `where`), wrong types, values outside their range.
  Parameters(const std::vector<ParameterSpec>& specification, std::map<std::string, Value> written,
             const SourceLocation& where, ErrorList& errors);

  /// The named value; asking for a name or type that was not declared is a bug of the caller and throws
  /// std::logic_error.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] Time time(std::string_view name) const;
  [[nodiscard]] Bytes bytes(std::string_view name) const;
  [[nodiscard]] Frequency frequency(std::string_view name) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;

  /// Where the value (or, for a fallback, the whole) is written.
  [[nodiscard]] const SourceLocation& where(std::string_view name) const;
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  /// Throws a ConfigError at the value's place.
  [[noreturn]] void refuse(std::string_view name, const std::string& message) const;

 private:
  [[nodiscard]] const Value& value(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
  SourceLocation where_;
};

}  // namespace takt::pipeline
