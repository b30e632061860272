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

/// `input_file` and `input_files` are texts that name files to read: a relative one that stands in a pipeline
/// file counts from that file's folder. `recordings` are such texts, each of which may be a pattern for
/// several files (sensors/files/input_names.hpp). `output_file` is a text that names a file to write, which
/// nothing else in the pipeline may read or write. `integers` may hold ranges, both ends included:
/// `[12..499]`.
enum class ParameterType : std::uint8_t {
  integer,
  number,
  text,
  boolean,
  time,
  bytes,
  frequency,
  input_file,
  output_file,
  integers,
  texts,
  input_files,
  recordings,
};

/// Whether values name files to read.
[[nodiscard]] bool is_input(ParameterType type);

/// For people: `integer`, `time`, `list of integers`, ....
[[nodiscard]] std::string_view name_of(ParameterType type);

/// What a user may write for one parameter. It feeds the schema check, `takt list` and the documentation.
struct ParameterSpec {
  std::string name;
  ParameterType type = ParameterType::text;
  /// The value when the user writes none, as text (a list's with commas between its entries); nothing means
  /// that it must be written.
  std::optional<std::string> fallback = {};
  std::string help = {};
  /// For text: the values allowed besides the fallback; empty means any.
  std::vector<std::string> choices = {};
  /// For integer, number, time (ns), bytes and frequency (Hz): the range allowed, ends included.
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  /// Of a kernel: whether the value may change while it runs (`takt set`).
  bool may_change = false;
};

/// The values of one kernel, source or sink, complete and of the declared types.
class Parameters {
 public:
  /// A written value, where it stands, and where its name does. Lists hold several texts.
  struct Value {
    std::vector<std::string> texts;
    bool is_list = false;
    SourceLocation where;
    SourceLocation name_where = where;
  };

  /// Checks the written values against the specification and adds the fallbacks. Every error goes to
  /// `errors`: unknown names (nearest first), missing ones (at `where`), wrong types, values outside their
  /// range. `owner`, for example `task 'spectrum'`, begins each message. The object may be read only when no
  /// error was added.
  Parameters(const std::vector<ParameterSpec>& specification, std::map<std::string, Value> written,
             const SourceLocation& where, ErrorList& errors, const std::string& owner = {});

  /// The named value; asking for a name or type that was not declared is a bug of the caller and throws
  /// std::logic_error. `text` and `texts` also give files.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  /// Nothing where the fallback is empty and the user writes no value.
  [[nodiscard]] std::optional<double> optional_number(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] Time time(std::string_view name) const;
  [[nodiscard]] Bytes bytes(std::string_view name) const;
  [[nodiscard]] Frequency frequency(std::string_view name) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;

  /// The same parameters, with this file in the place of each output file.
  [[nodiscard]] Parameters with_output_file(const std::string& path) const;
  /// The same parameters, with this value where there is a parameter of that name.
  [[nodiscard]] Parameters with(std::string_view name, const std::string& text) const;
  /// The same parameters without this entry in the list of that name, where there is one.
  [[nodiscard]] Parameters without(std::string_view name, const std::string& text) const;
  /// The same parameters with another value for one of them, checked against the specification as the others
  /// were. Errors go to `errors`.
  [[nodiscard]] Parameters changed(const std::vector<ParameterSpec>& specification, const std::string& name,
                                   const Value& value, ErrorList& errors) const;
  /// The values of another kind of stage: of its specification what has the same names here, and `more`.
  /// Errors go to `errors`.
  [[nodiscard]] Parameters as(const std::vector<ParameterSpec>& specification,
                              const std::map<std::string, Value>& more, ErrorList& errors) const;
  /// As it is written: `5`, `[a, b]`.
  [[nodiscard]] std::string shown(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return entries_.contains(name); }

  /// Where the value (or, for a fallback, the whole) is written.
  [[nodiscard]] const SourceLocation& where(std::string_view name) const;
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  /// Throws a ConfigError at the value's place: `file:line:column: owner: parameter 'name': message`.
  [[noreturn]] void refuse(std::string_view name, const std::string& message) const;
  /// The same for the values as a whole.
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  struct Entry {
    ParameterType type = ParameterType::text;
    Value value;
  };
  [[nodiscard]] const Entry& entry(std::string_view name) const;
  [[nodiscard]] const Value& value(std::string_view name, ParameterType type) const;

  std::map<std::string, Entry, std::less<>> entries_;
  SourceLocation where_;
  std::string owner_;
};

}  // namespace takt::pipeline
