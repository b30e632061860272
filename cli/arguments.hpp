#pragma once
/// Options and arguments of a sub-command: declared once, for parsing, for help, for man pages and for a
/// shell's completion.

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

/// A command line that cannot be understood.
class UsageError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// The numbers that an option takes, ends included.
struct Range {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
};

/// One option or argument.
class Argument {
 public:
  /// What is to be done with each value as it was written; a ConfigError of it gets the option's name.
  using Set = std::function<void(const std::string&)>;

  Argument(std::string names, std::string help, Set set);

  Argument& required();
  /// May be given several times (an argument: several values).
  Argument& repeats();
  /// Values may also be given at once, with commas between them; it then repeats.
  Argument& with_commas();
  /// What the value is called in help: `FILE`. A flag has none.
  Argument& value(std::string name);
  /// What it is when it is not given, for help.
  Argument& fallback(std::string text);
  /// The only values; an error names the nearest one.
  Argument& one_of(std::vector<std::string> names);
  /// Values that a shell may offer.
  Argument& suggest(std::vector<std::string> names);
  /// Values that a shell may offer behind this word.
  Argument& suggest_after(std::string word, std::vector<std::string> names);
  /// A flag that may have a value, `--drift=0.1`; without one it is this.
  Argument& value_without(std::string text);
  /// Not together with these options.
  Argument& excludes(std::vector<std::string> options);
  /// Heading under which help shows it.
  Argument& group(std::string name);

  /// All names with commas between them, `-o,--output`, or that of an argument.
  [[nodiscard]] const std::string& names() const { return names_; }
  /// The long name, `--output`; that of an argument.
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
  /// By the word before them.
  [[nodiscard]] const std::map<std::string, std::vector<std::string>>& suggestions_after() const {
    return suggestions_after_;
  }
  [[nodiscard]] const std::vector<std::string>& excluded() const { return excluded_; }

  /// Takes the values over. Throws ConfigError.
  void set(const std::vector<std::string>& values) const;

 private:
  std::string names_, help_;
  Set set_;
  std::string value_ = "TEXT", fallback_, value_without_, group_ = "Options";
  std::vector<std::string> suggestions_, excluded_;
  std::map<std::string, std::vector<std::string>> suggestions_after_;
  bool is_required_ = false, may_repeat_ = false, has_commas_ = false, is_closed_ = false;
};

/// A sub-command: its file declares what it takes and what it does.
class Command {
 public:
  Command(std::string name, std::string summary);

  /// A name without `-` is an argument's.
  Argument& add(std::string names, std::string& value, std::string help);
  Argument& add(std::string names, std::vector<std::string>& values, std::string help);
  /// Whole numbers and others; a text that is none, or is out of range, is refused.
  template <class Number>
  Argument& number(std::string names, Number& value, std::string help, Range range = {});
  Argument& flag(std::string names, bool& value, std::string help);
  /// Any other kind of value.
  Argument& add_with(std::string names, std::string help, Argument::Set set);

  /// A paragraph below the options, which help fills to the width of its lines. Lines that begin with a space
  /// stay as they are.
  void note(std::string text);
  void example(std::string line);
  /// What it does; returns the exit code.
  void does(std::function<int()> action);
  /// The same for an action that asks what the user has given.
  void does(std::function<int(const Command&)> action);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& summary() const { return summary_; }
  [[nodiscard]] const std::vector<Argument>& arguments() const { return arguments_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::vector<std::string>& examples() const { return examples_; }

  /// Reads the words after the command's name. Throws UsageError, or what the values' setters throw.
  void parse(const std::vector<std::string>& words);
  /// Whether the user has given this option (its long name).
  [[nodiscard]] bool has(std::string_view name) const;
  /// All words, for commands that start themselves again as MPI ranks.
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }
  [[nodiscard]] int run() const { return action_(*this); }

 private:
  std::string name_, summary_;
  /// A deque would do; references that `add` gives are used up before the next call.
  std::vector<Argument> arguments_;
  std::vector<std::string> notes_, examples_, given_, words_;
  std::function<int(const Command&)> action_;
};

/// Throws ConfigError that says what was expected.
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
