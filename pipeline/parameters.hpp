#pragma once
/// Parameters of kernels, sources and sinks: declared and checked once, then read by name.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/units.hpp"

namespace takt::pipeline {

/// Types of parameters. `input_file` and `input_files` are paths of files to read; a relative path in a
/// pipeline file starts at that file's directory. `recordings` are such paths, each of which may be a
/// pattern for several files (sensors/files/input_names.hpp). `output_file` is the path of a file to
/// write, which nothing else in the pipeline may read or write. `integers` may hold inclusive ranges:
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

/// Returns true for types whose values name files to read.
[[nodiscard]] bool is_input(ParameterType type);

/// Returns the name of a type for users: `integer`, `time`, `list of integers`, ....
[[nodiscard]] std::string_view name_of(ParameterType type);

/// Specification of one parameter. It is the source of the schema check, `takt list` and the documentation.
struct ParameterSpec {
  std::string name;
  ParameterType type = ParameterType::text;
  /// Default value as text (entries of a list are separated by commas). Without one the parameter is
  /// mandatory.
  std::optional<std::string> fallback = {};
  std::string help = {};
  /// For text: the valid values besides the fallback; empty: any.
  std::vector<std::string> choices = {};
  /// For integer, number, time (ns), bytes and frequency (Hz): the inclusive valid range.
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  /// For kernels: true if the value may change during a run (`takt set`).
  bool may_change = false;
};

/// The values of one kernel, source or sink, complete and of the declared types.
class Parameters {
 public:
  /// A value as written, with the positions of the value and its name. Lists hold several texts.
  struct Value {
    std::vector<std::string> texts;
    bool is_list = false;
    SourceLocation where;
    SourceLocation name_where = where;
  };

  /// Checks the written values against the specification and adds the fallbacks. Every error goes to
  /// `errors`: unknown names (nearest first), missing ones (at `where`), wrong types, values out of range.
  /// Each message begins with `owner`, for example `task 'spectrum'`. The object is valid only if no error
  /// was added.
  Parameters(const std::vector<ParameterSpec>& specification, std::map<std::string, Value> written,
             const SourceLocation& where, ErrorList& errors, const std::string& owner = {});

  /// Returns the named value. An undeclared name or type is a bug of the caller and throws std::logic_error.
  /// `text` and `texts` also return files.
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] double number(std::string_view name) const;
  /// Returns nothing where the fallback is empty and the user sets no value.
  [[nodiscard]] std::optional<double> optional_number(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] Time time(std::string_view name) const;
  [[nodiscard]] Bytes bytes(std::string_view name) const;
  [[nodiscard]] Frequency frequency(std::string_view name) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;

  /// Returns the same parameters with every output file replaced by this one.
  [[nodiscard]] Parameters with_output_file(const std::string& path) const;
  /// Returns the same parameters with this value, if there is a parameter of that name.
  [[nodiscard]] Parameters with(std::string_view name, const std::string& text) const;
  /// Returns the same parameters without this entry of the named list, if there is one.
  [[nodiscard]] Parameters without(std::string_view name, const std::string& text) const;
  /// Returns the same parameters with a new value for one of them, checked against the specification. Errors
  /// go to `errors`.
  [[nodiscard]] Parameters changed(const std::vector<ParameterSpec>& specification, const std::string& name,
                                   const Value& value, ErrorList& errors) const;
  /// Converts the values to another kind of stage: keeps the names that its specification shares and adds
  /// `more`. Errors go to `errors`.
  [[nodiscard]] Parameters as(const std::vector<ParameterSpec>& specification,
                              const std::map<std::string, Value>& more, ErrorList& errors) const;
  /// Returns the value as a user writes it: `5`, `[a, b]`.
  [[nodiscard]] std::string shown(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return entries_.contains(name); }

  /// Returns the position of the value or, for a fallback, of the whole stage.
  [[nodiscard]] const SourceLocation& where(std::string_view name) const;
  [[nodiscard]] const SourceLocation& where() const { return where_; }
  /// Throws a ConfigError at the value's place: `file:line:column: owner: parameter 'name': message`.
  [[noreturn]] void refuse(std::string_view name, const std::string& message) const;
  /// Throws the same for the values as a whole.
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
