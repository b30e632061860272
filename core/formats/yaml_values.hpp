#pragma once
/// Reading values of a YAML document: what is wrong is a ConfigError with file:line:column.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "core/units.hpp"

namespace takt {

/// Readers of lists that may have a million entries stop at so many errors.
inline constexpr std::size_t enough_errors = 20;

[[noreturn]] void refuse(const YamlNode& node, const std::string& message);

/// The node is a mapping, or a list; `what` names it in errors. `keys` are told to somebody who wrote no
/// mapping.
void expect_mapping(const YamlNode& node, std::string_view what, std::span<const std::string_view> keys);
void expect_list(const YamlNode& node, std::string_view what);
/// Keys of a mapping that are not known go to `errors`, each with the known ones, nearest first.
void check_keys(const YamlNode& mapping, std::string_view what, std::span<const std::string_view> known,
                ErrorList& errors);
/// The value under a key of a mapping; an error when it is not there.
[[nodiscard]] YamlNode require(const YamlNode& mapping, std::string_view what, std::string_view key);

[[nodiscard]] std::string_view read_text(const YamlNode& node, std::string_view what);
/// A whole number in [least, most].
[[nodiscard]] std::int64_t read_integer(const YamlNode& node, std::string_view what, std::int64_t least,
                                        std::int64_t most);
[[nodiscard]] bool read_boolean(const YamlNode& node, std::string_view what);
/// Durations and sizes with or without units.
[[nodiscard]] Time read_time(const YamlNode& node, std::string_view what);
[[nodiscard]] Bytes read_bytes(const YamlNode& node, std::string_view what);

/// Hands each entry of a list to a function. What is wrong with an entry goes to `errors`, and the next one
/// follows, until there are enough of them.
template <class Read>
void read_list(const YamlNode& list, std::string_view what, ErrorList& errors, Read read) {
  expect_list(list, what);
  for (const YamlNode& each : list) {
    if (errors.size() >= enough_errors) return;
    errors.attempt([&] { read(each); });
  }
}

/// What a function makes of a single value, for example parse_time; its ConfigErrors get the value's place.
template <class Parse>
auto read_with(const YamlNode& node, std::string_view what, Parse parse) {
  const std::string_view written = read_text(node, what);
  try {
    return parse(written);
  } catch (const ConfigError& error) {
    refuse(node, std::string(what) + ": " + error.what());
  }
}

}  // namespace takt
