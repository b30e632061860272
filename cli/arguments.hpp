#pragma once
/// Declares options and arguments of a sub-command once, for parsing, help, man pages and shell
/// completion.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace takt::cli {

/// An invalid command line.
class UsageError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// The valid numbers of an option, ends included.
struct Range {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

/// One option or argument.
class Argument {
 public:
  /// Called for each value as written; its ConfigErrors get the option's name.
  using Set = std::function<void(const std::string&)>;

  Argument(std::string names, std::string help, Set set);

  Argument& required();
  /// Allows repetition (for an argument: several values).
  Argument& repeats();
  /// Also allows several values separated by commas; implies repeats().
  Argument& with_commas();
  /// Sets the value's name in help: `FILE`. A flag has none.
  Argument& value(std::string name);
  /// Sets the default shown in help.
  Argument& fallback(std::string text);
  /// Sets the only valid values; an error names the nearest one.
  Argument& one_of(std::vector<std::string> names);
  /// Sets values for shell completion.
  Argument& suggest(std::vector<std::string> names);
  /// Sets values for shell completion after this word.
  Argument& suggest_after(std::string word, std::vector<std::string> names);
  /// Makes a flag with an optional value, `--drift=0.1`; without a value it is `text`.
  Argument& value_without(std::string text);
  /// Excludes these options.
  Argument& excludes(std::vector<std::string> options);
  /// Sets the heading under which help shows it.
  Argument& group(std::string name);

  /// Returns all names separated by commas, `-o,--output`, or the name of an argument.
  [[nodiscard]] const std::string& names() const { return names_; }
  /// Returns the long name, `--output`, or the name of an argument.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool is_option() const { return names_.starts_with('-'); }
  [[nodiscard]] bool is_flag() const { return value_.empty() || !value_without_.empty(); }
  [[nodiscard]] bool is_required() const { return is_required_; }
  [[nodiscard]] bool may_repeat() const { return may_repeat_; }
  [[nodiscard]] const std::string& value_name() const { return value_; }
  [[nodiscard]] const std::string& text_without_value() const { return value_without_; }
  [[nodiscard]] const std::string& help() const { return help_; }
  [[nodiscard]] const std::string& fallback_text() const { return fallback_; }
  [[nodiscard]] const std::string& group_name() const { return group_; }
  [[nodiscard]] const std::vector<std::string>& suggestions() const { return suggestions_; }
  /// By the preceding word.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& suggestions_after() const {
    return suggestions_after_;
  }
  [[nodiscard]] const std::vector<std::string>& excluded() const { return excluded_; }

  /// Passes the values on. Throws ConfigError.
  void set(const std::vector<std::string>& values) const;

 private:
  std::string names_, help_;
  Set set_;
  std::string value_ = "TEXT", fallback_, value_without_, group_ = "Options";
  std::vector<std::string> suggestions_, excluded_;
  std::map<std::string, std::vector<std::string>> suggestions_after_;
  bool is_required_ = false, may_repeat_ = false, has_commas_ = false, is_closed_ = false;
};

/// A sub-command: its file declares its arguments and its action.
class Command {
 public:
  Command(std::string name, std::string summary);

  /// Names without `-` are arguments.
  Argument& add(std::string names, std::string& value, std::string help);
  Argument& add(std::string names, std::vector<std::string>& values, std::string help);
  /// Adds integer or real numbers; rejects invalid texts and values out of range.
  template <class Number>
  Argument& number(std::string names, Number& value, std::string help, Range range = {});
  Argument& flag(std::string names, bool& value, std::string help);
  /// Adds any other kind of value.
  Argument& add_with(std::string names, std::string help, Argument::Set set);

  /// Adds a paragraph below the options, which help wraps. Lines that begin with a space stay
  /// unchanged.
  void note(std::string text);
  void example(std::string line);
  /// Sets the action, which returns the exit code.
  void does(std::function<int()> action);
  /// Sets an action that needs to know which options the user has set.
  void does(std::function<int(const Command&)> action);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& summary() const { return summary_; }
  [[nodiscard]] const std::vector<Argument>& arguments() const { return arguments_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::vector<std::string>& examples() const { return examples_; }

  /// Parses the words after the command's name. Throws UsageError, or what the values' setters throw.
  void parse(const std::vector<std::string>& words);
  /// Returns true if the user has set this option (its long name).
  [[nodiscard]] bool has(std::string_view name) const;
  /// Returns all words, for commands that start themselves again as MPI ranks.
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }
  [[nodiscard]] int run() const { return action_(*this); }

 private:
  std::string name_, summary_;
  /// A vector suffices: references returned by `add` are not used after the next call.
  std::vector<Argument> arguments_;
  std::vector<std::string> notes_, examples_, given_, words_;
  std::function<int(const Command&)> action_;
};

/// Throw ConfigError with the expected values.
[[nodiscard]] std::int64_t parse_whole(const std::string& text, Range range);
[[nodiscard]] double parse_real(const std::string& text, Range range);

template <class Value>
struct NumberOf {
  using Type = Value;
};
template <class Value>
struct NumberOf<std::optional<Value>> {
  using Type = Value;
};
template <class Value>
struct NumberOf<std::vector<Value>> {
  using Type = Value;
};

template <class Number>
Argument& Command::number(std::string names, Number& value, std::string help, Range range) {
  using Type = typename NumberOf<Number>::Type;
  using Limits = std::numeric_limits<Type>;
  constexpr bool is_list = requires {
    value.push_back(Type{});
  };
  if constexpr (Limits::is_integer)
    range = {std::max(range.least, static_cast<double>(Limits::min())),
             std::min(range.most, static_cast<double>(Limits::max()))};
  Argument& argument = add_with(std::move(names), std::move(help), [&value, range](const std::string& text) {
    Type number{};
    if constexpr (Limits::is_integer)
      number = static_cast<Type>(parse_whole(text, range));
    else
      number = static_cast<Type>(parse_real(text, range));
    if constexpr (is_list)
      value.push_back(number);
    else
      value = number;
  });
  argument.value(Limits::is_integer ? "N" : "X");
  if constexpr (is_list) argument.repeats();
  return argument;
}

}  // namespace takt::cli
