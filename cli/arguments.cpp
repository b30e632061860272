#include "cli/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>

// The only file that includes CLI11, which takes ten seconds to compile.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt::cli {

Argument::Argument(std::string names, std::string help, Set set)
    : names_(std::move(names)), help_(std::move(help)), set_(std::move(set)) {}

Argument& Argument::required() {
  is_required_ = true;
  return *this;
}
Argument& Argument::repeats() {
  may_repeat_ = true;
  return *this;
}
Argument& Argument::with_commas() {
  has_commas_ = true;
  return repeats();
}
Argument& Argument::value(std::string name) {
  value_ = std::move(name);
  return *this;
}
Argument& Argument::fallback(std::string text) {
  fallback_ = std::move(text);
  return *this;
}
Argument& Argument::one_of(std::vector<std::string> names) {
  is_closed_ = true;
  return suggest(std::move(names));
}
Argument& Argument::suggest(std::vector<std::string> names) {
  suggestions_ = std::move(names);
  return *this;
}
Argument& Argument::suggest_after(std::string word, std::vector<std::string> names) {
  suggestions_after_.emplace(std::move(word), std::move(names));
  return *this;
}
Argument& Argument::value_without(std::string text) {
  value_without_ = std::move(text);
  return *this;
}
Argument& Argument::excludes(std::vector<std::string> options) {
  excluded_ = std::move(options);
  return *this;
}
Argument& Argument::group(std::string name) {
  group_ = std::move(name);
  return *this;
}

std::string Argument::name() const {
  return names_.substr(names_.rfind(',') + 1);
}

void Argument::set(const std::vector<std::string>& values) const {
  std::vector<std::string> all;
  for (const std::string& value : values) {
    std::size_t start = 0;
    for (std::size_t comma = 0; has_commas_ && (comma = value.find(',', start)) != std::string::npos;
         start = comma + 1)
      all.push_back(value.substr(start, comma - start));
    all.push_back(value.substr(start));
  }
  for (const std::string& value : all) {
    if (is_closed_ && std::ranges::find(suggestions_, value) == suggestions_.end())
      throw ConfigError(unknown_name(name().substr(name().find_first_not_of('-')), value,
                                     {suggestions_.begin(), suggestions_.end()}));
    try {
      set_(value);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{} {}: {}", name(), value, error.what()));
    }
  }
}

Command::Command(std::string name, std::string summary)
    : name_(std::move(name)), summary_(std::move(summary)) {}

Argument& Command::add_with(std::string names, std::string help, Argument::Set set) {
  return arguments_.emplace_back(std::move(names), std::move(help), std::move(set));
}

Argument& Command::add(std::string names, std::string& value, std::string help) {
  return add_with(std::move(names), std::move(help), [&value](const std::string& text) { value = text; })
      .fallback(value);
}

Argument& Command::add(std::string names, std::vector<std::string>& values, std::string help) {
  std::string fallback = fmt::format("{}", fmt::join(values, ","));
  // The user's values replace the default.
  return add_with(std::move(names), std::move(help),
                  [&values, is_first = true](const std::string& text) mutable {
                    if (is_first) values.clear();
                    is_first = false;
                    values.push_back(text);
                  })
      .repeats()
      .fallback(std::move(fallback));
}

Argument& Command::flag(std::string names, bool& value, std::string help) {
  return add_with(std::move(names), std::move(help),
                  [&value](const std::string& text) {
                    if (text != "true") throw ConfigError("it takes no value");
                    value = true;
                  })
      .value("");
}

void Command::note(std::string text) {
  notes_.push_back(std::move(text));
}

void Command::example(std::string line) {
  examples_.push_back(std::move(line));
}

void Command::does(std::function<int()> action) {
  action_ = [action = std::move(action)](const Command&) { return action(); };
}

void Command::does(std::function<int(const Command&)> action) {
  action_ = std::move(action);
}

bool Command::has(std::string_view name) const {
  return std::ranges::find(given_, name) != given_.end();
}

void Command::parse(const std::vector<std::string>& words) {
  words_ = {name_};
  words_.insert(words_.end(), words.begin(), words.end());

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  // The deque keeps its elements in place while it grows.
  std::deque<std::vector<std::string>> values;
  std::vector<CLI::Option*> options;
  for (const Argument& argument : arguments_) {
    std::vector<std::string>& place = values.emplace_back();
    CLI::Option* option = nullptr;
    if (!argument.is_option()) {
      option = app.add_option(argument.names(), place);
      if (!argument.may_repeat()) option->allow_extra_args(false)->expected(1);
    } else if (argument.is_flag()) {
      const std::string& without = argument.text_without_value();
      option = app.add_flag(argument.names() + "{" + (without.empty() ? "true" : without) + "}", place);
    } else {
      option = app.add_option(argument.names(), place)->allow_extra_args(false)->expected(1);
    }
    options.push_back(option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }

  std::vector<std::string> names;
  for (const Argument& argument : arguments_)
    if (argument.is_option()) names.push_back(argument.name());
  for (const std::string& extra : app.remaining()) {
    if (extra == "--") continue;
    if (!extra.starts_with('-') || extra == "-")
      throw UsageError(fmt::format("unexpected argument '{}'", extra));
    throw UsageError(unknown_name("option", extra.substr(0, extra.find('=')), {names.begin(), names.end()}));
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    if (options[i]->count() > 0) given_.push_back(argument.name());
    if (argument.is_required() && values[i].empty())
      throw UsageError(fmt::format("{} is required", argument.name()));
    if (!argument.may_repeat() && !argument.is_flag() && values[i].size() > 1)
      throw UsageError(fmt::format("{} is given {} times", argument.name(), values[i].size()));
  }
  for (const Argument& argument : arguments_)
    for (const std::string& other : argument.excluded())
      if (has(argument.name()) && has(other))
        throw UsageError(fmt::format("{} excludes {}", argument.name(), other));
  for (std::size_t i = 0; i < arguments_.size(); ++i) arguments_[i].set(values[i]);
}

namespace {

/// Returns `a whole number from 1 to 10`, without limits too large to matter.
std::string expected(std::string_view what, Range range) {
  constexpr double largest_shown = 1e15;
  std::string text = fmt::format("expected {}", what);
  if (range.least > -largest_shown) text += fmt::format(" from {}", range.least);
  if (range.most < largest_shown) text += fmt::format(" to {}", range.most);
  return text;
}

template <class Number>
Number parse(const std::string& text, Range range, std::string_view what) {
  Number number{};
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto real = static_cast<double>(number);
  if (error != std::errc{} || rest != text.data() + text.size() || !std::isfinite(real) ||
      real < range.least || real > range.most)
    throw ConfigError(expected(what, range));
  return number;
}

}  // namespace

std::int64_t parse_whole(const std::string& text, Range range) {
  return parse<std::int64_t>(text, range, "a whole number");
}

double parse_real(const std::string& text, Range range) {
  return parse<double>(text, range, "a number");
}

}  // namespace takt::cli
