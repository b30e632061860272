#include "pipeline/parameters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt::pipeline {

namespace {

/// In the order of ParameterType.
constexpr std::array<std::string_view, 13> type_names{"integer",
                                                      "number",
                                                      "text",
                                                      "boolean",
                                                      "time",
                                                      "bytes",
                                                      "frequency",
                                                      "input file",
                                                      "output file",
                                                      "list of integers",
                                                      "list of texts",
                                                      "list of input files",
                                                      "input files or patterns"};

/// Longer ranges are likely a typing error and would only fill the memory.
constexpr std::int64_t largest_range = 1'000'000;

bool is_list(ParameterType type) {
  return type == ParameterType::integers || type == ParameterType::texts ||
         type == ParameterType::input_files || type == ParameterType::recordings;
}

/// Returns the type as which a value is parsed: a path is a text that the loader of pipelines interprets.
ParameterType plain(ParameterType type) {
  switch (type) {
    case ParameterType::input_file:
    case ParameterType::output_file:
      return ParameterType::text;
    case ParameterType::input_files:
    case ParameterType::recordings:
      return ParameterType::texts;
    default:
      return type;
  }
}

template <class Number>
Number parse_number(std::string_view text, std::string_view what) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) throw ConfigError(fmt::format("'{}' is too large", text));
  if (error != std::errc{} || rest != end) throw ConfigError(fmt::format("'{}' is not {}", text, what));
  return value;
}

std::int64_t parse_integer(std::string_view text) {
  return parse_number<std::int64_t>(text, "an integer");
}

double parse_real(std::string_view text) {
  const auto value = parse_number<double>(text, "a number");
  if (!std::isfinite(value)) throw ConfigError(fmt::format("'{}' is not a finite number", text));
  return value;
}

bool parse_boolean(std::string_view text) {
  // As defined by YAML 1.1.
  if (text == "true" || text == "on") return true;
  if (text == "false" || text == "off") return false;
  throw ConfigError(fmt::format("'{}' is not a boolean: expected true or false", text));
}

/// Adds `7` or, for `3..5`, 3 4 5.
void append_integers(std::string_view text, std::vector<std::int64_t>& values) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    values.push_back(parse_integer(text));
    return;
  }
  const std::int64_t first = parse_integer(text.substr(0, dots));
  const std::int64_t last = parse_integer(text.substr(dots + 2));
  if (last < first) throw ConfigError(fmt::format("the range '{}' runs backwards", text));
  // Unsigned, since the difference of two 64-bit integers may need 65 bits.
  if (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) >= largest_range)
    throw ConfigError(fmt::format("the range '{}' has more than {} entries", text, largest_range));
  for (std::int64_t value = first; value <= last; ++value) values.push_back(value);
}

std::vector<std::int64_t> parse_integers(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> values;
  for (const std::string& text : texts) append_integers(text, values);
  return values;
}

std::string show(ParameterType type, double value) {
  switch (type) {
    case ParameterType::time:
      return takt::to_string(Time(std::llround(value)));
    case ParameterType::bytes:
      return takt::to_string(Bytes{static_cast<std::uint64_t>(value)});
    case ParameterType::frequency:
      return takt::to_string(Frequency{value});
    default:
      return fmt::format("{}", value);
  }
}

void check_range(const ParameterSpec& spec, double value) {
  if (spec.minimum && value < *spec.minimum)
    throw ConfigError(fmt::format("{} is out of range: expected {} or more", show(spec.type, value),
                                  show(spec.type, *spec.minimum)));
  if (spec.maximum && value > *spec.maximum)
    throw ConfigError(fmt::format("{} is out of range: expected {} or less", show(spec.type, value),
                                  show(spec.type, *spec.maximum)));
}

void check_text(const ParameterSpec& spec, const std::string& text) {
  if (plain(spec.type) != spec.type && text.empty())
    throw ConfigError("expected the name of a file, not an empty text");
  if (spec.choices.empty() || text == spec.fallback ||
      std::ranges::find(spec.choices, text) != spec.choices.end())
    return;
  throw ConfigError(unknown_name("value", text, {spec.choices.begin(), spec.choices.end()}));
}

/// Throws ConfigError that describes the fault of the value, without its place.
void check(const ParameterSpec& spec, const Parameters::Value& value) {
  if (!is_list(spec.type) && value.texts.size() != 1)
    throw ConfigError(fmt::format("expected one value ({}), not a list", name_of(spec.type)));
  switch (plain(spec.type)) {
    case ParameterType::integer:
      return check_range(spec, static_cast<double>(parse_integer(value.texts.front())));
    case ParameterType::number:
      // An empty value is valid where the parameter has no default (optional_number).
      if (spec.fallback == "" && value.texts.front().empty()) return;
      return check_range(spec, parse_real(value.texts.front()));
    case ParameterType::boolean:
      return static_cast<void>(parse_boolean(value.texts.front()));
    case ParameterType::time:
      return check_range(spec, static_cast<double>(parse_duration(value.texts.front()).count()));
    case ParameterType::bytes:
      return check_range(spec, static_cast<double>(parse_bytes(value.texts.front()).count));
    case ParameterType::frequency:
      return check_range(spec, parse_frequency(value.texts.front()).hertz);
    case ParameterType::integers:
      for (std::int64_t number : parse_integers(value.texts)) check_range(spec, static_cast<double>(number));
      return;
    default:
      for (const std::string& text : value.texts) check_text(spec, text);
  }
}

/// Returns the default value of a parameter.
Parameters::Value fallback_of(const ParameterSpec& spec, const SourceLocation& where) {
  Parameters::Value value{{}, is_list(spec.type), where, where};
  if (!value.is_list) {
    value.texts.push_back(*spec.fallback);
    return value;
  }
  std::string_view rest = *spec.fallback;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    value.texts.emplace_back(part);
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return value;
}

const ParameterSpec* find(const std::vector<ParameterSpec>& specification, std::string_view name) {
  const auto found = std::ranges::find(specification, name, &ParameterSpec::name);
  return found == specification.end() ? nullptr : &*found;
}

}  // namespace

bool is_input(ParameterType type) {
  return type == ParameterType::input_file || type == ParameterType::input_files ||
         type == ParameterType::recordings;
}

std::string_view name_of(ParameterType type) {
  return type_names[static_cast<std::size_t>(type)];
}

Parameters::Parameters(const std::vector<ParameterSpec>& specification, std::map<std::string, Value> written,
                       const SourceLocation& where, ErrorList& errors, const std::string& owner)
    : where_(where), owner_(owner.empty() ? "" : owner + ": ") {
  std::vector<std::string_view> known;
  known.reserve(specification.size());
  for (const ParameterSpec& spec : specification) known.push_back(spec.name);
  for (const auto& [name, value] : written)
    if (find(specification, name) == nullptr)
      errors.add(value.name_where, owner_ + unknown_name("parameter", name, known));

  for (const ParameterSpec& spec : specification) {
    const auto found = written.find(spec.name);
    if (found == written.end() && !spec.fallback) {
      errors.add(where_, fmt::format("{}parameter '{}' is missing: {} ({})", owner_, spec.name, spec.help,
                                     name_of(spec.type)));
      continue;
    }
    Entry entry{spec.type, found == written.end() ? fallback_of(spec, where_) : std::move(found->second)};
    try {
      check(spec, entry.value);
    } catch (const ConfigError& error) {
      errors.add(entry.value.where, fmt::format("{}parameter '{}': {}", owner_, spec.name, error.what()));
    }
    entries_.emplace(spec.name, std::move(entry));
  }
}

const Parameters::Entry& Parameters::entry(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) throw std::logic_error(fmt::format("parameter '{}' was not declared", name));
  return found->second;
}

const Parameters::Value& Parameters::value(std::string_view name, ParameterType type) const {
  const Entry& found = entry(name);
  if (plain(found.type) != type)
    throw std::logic_error(
        fmt::format("parameter '{}' was declared as {}, not {}", name, name_of(found.type), name_of(type)));
  return found.value;
}

std::int64_t Parameters::integer(std::string_view name) const {
  return parse_integer(value(name, ParameterType::integer).texts.front());
}
double Parameters::number(std::string_view name) const {
  return parse_real(value(name, ParameterType::number).texts.front());
}
std::optional<double> Parameters::optional_number(std::string_view name) const {
  const std::string& text = value(name, ParameterType::number).texts.front();
  return text.empty() ? std::nullopt : std::optional(parse_real(text));
}
std::string Parameters::text(std::string_view name) const {
  return value(name, ParameterType::text).texts.front();
}
bool Parameters::boolean(std::string_view name) const {
  return parse_boolean(value(name, ParameterType::boolean).texts.front());
}
Time Parameters::time(std::string_view name) const {
  return parse_duration(value(name, ParameterType::time).texts.front());
}
Bytes Parameters::bytes(std::string_view name) const {
  return parse_bytes(value(name, ParameterType::bytes).texts.front());
}
Frequency Parameters::frequency(std::string_view name) const {
  return parse_frequency(value(name, ParameterType::frequency).texts.front());
}
std::vector<std::int64_t> Parameters::integers(std::string_view name) const {
  return parse_integers(value(name, ParameterType::integers).texts);
}
std::vector<std::string> Parameters::texts(std::string_view name) const {
  return value(name, ParameterType::texts).texts;
}

Parameters Parameters::with_output_file(const std::string& path) const {
  Parameters result = *this;
  for (auto& [name, entry] : result.entries_)
    if (entry.type == ParameterType::output_file) entry.value.texts.front() = path;
  return result;
}

Parameters Parameters::with(std::string_view name, const std::string& text) const {
  Parameters result = *this;
  if (const auto found = result.entries_.find(name); found != result.entries_.end())
    found->second.value.texts = {text};
  return result;
}

Parameters Parameters::without(std::string_view name, const std::string& text) const {
  Parameters result = *this;
  if (const auto found = result.entries_.find(name); found != result.entries_.end())
    std::erase(found->second.value.texts, text);
  return result;
}

Parameters Parameters::changed(const std::vector<ParameterSpec>& specification, const std::string& name,
                               const Value& value, ErrorList& errors) const {
  std::map<std::string, Value> written;
  for (const auto& [own, entry] : entries_) written.emplace(own, entry.value);
  written.insert_or_assign(name, value);
  const std::string owner = owner_.empty() ? "" : owner_.substr(0, owner_.size() - 2);
  return Parameters(specification, std::move(written), where_, errors, owner);
}

Parameters Parameters::as(const std::vector<ParameterSpec>& specification,
                          const std::map<std::string, Value>& more, ErrorList& errors) const {
  std::map<std::string, Value> written = more;
  for (const ParameterSpec& each : specification)
    if (const auto own = entries_.find(each.name); own != entries_.end())
      written.emplace(each.name, own->second.value);
  const std::string owner = owner_.empty() ? "" : owner_.substr(0, owner_.size() - 2);
  return Parameters(specification, std::move(written), where_, errors, owner);
}

std::string Parameters::shown(std::string_view name) const {
  const Value& value = entry(name).value;
  return value.is_list ? fmt::format("[{}]", fmt::join(value.texts, ", ")) : value.texts.front();
}

const SourceLocation& Parameters::where(std::string_view name) const {
  return entry(name).value.where;
}

void Parameters::refuse(std::string_view name, const std::string& message) const {
  throw ConfigError(where(name), fmt::format("{}parameter '{}': {}", owner_, name, message));
}

void Parameters::refuse(const std::string& message) const {
  throw ConfigError(where_, owner_ + message);
}

}  // namespace takt::pipeline
