#pragma once
/// Conversion of YAML values; errors are ConfigErrors with file:line:column.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/yaml_tree.hpp"
#include "core/units.hpp"

namespace takt {

/// Readers of lists that may have a million entries stop at this many errors.
inline constexpr std::size_t enough_errors = 20;

[[noreturn]] void refuse(const YamlNode& node, const std::string& message);

/// Check that the node is a mapping, or a list; `what` names it in errors, which list `keys` if it is not
/// a mapping.
void expect_mapping(const YamlNode& node, std::string_view what, std::span<const std::string_view> keys);
void expect_list(const YamlNode& node, std::string_view what);
/// Adds unknown keys of a mapping to `errors`, each with the known ones, nearest first.
void check_keys(const YamlNode& mapping, std::string_view what, std::span<const std::string_view> known,
                ErrorList& errors);
/// Returns the value under a key of a mapping; throws if it is absent.
[[nodiscard]] YamlNode require(const YamlNode& mapping, std::string_view what, std::string_view key);

[[nodiscard]] std::string_view read_text(const YamlNode& node, std::string_view what);
/// Returns a whole number in [least, most].
[[nodiscard]] std::int64_t read_integer(const YamlNode& node, std::string_view what, std::int64_t least,
                                        std::int64_t most);
[[nodiscard]] bool read_boolean(const YamlNode& node, std::string_view what);
/// Read durations and sizes with or without units.
[[nodiscard]] Time read_time(const YamlNode& node, std::string_view what);
[[nodiscard]] Bytes read_bytes(const YamlNode& node, std::string_view what);

/// Calls a function with each entry of a list. Adds errors of an entry to `errors` and continues with the
/// next one, until there are too many.
template <class Read>
void read_list(const YamlNode& list, std::string_view what, ErrorList& errors, Read read) {
  expect_list(list, what);
  for (const YamlNode& each : list) {
    if (errors.size() >= enough_errors) return;
    errors.attempt([&] { read(each); });
  }
}

/// Applies a function such as parse_time to a single value; adds the position to its ConfigErrors.
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
