#include "core/formats/yaml_values.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt {

void refuse(const YamlNode& node, const std::string& message) {
  throw ConfigError(node.where(), message);
}

void expect_mapping(const YamlNode& node, std::string_view what, std::span<const std::string_view> keys) {
  if (!node.is_mapping())
    refuse(node, fmt::format("expected {} as a mapping with the keys {}, found {}", what,
                             fmt::join(keys, " "), describe(node.kind())));
}

void expect_list(const YamlNode& node, std::string_view what) {
  if (!node.is_list())
    refuse(node, fmt::format("expected {} as a list, found {}", what, describe(node.kind())));
}

void check_keys(const YamlNode& mapping, std::string_view what, std::span<const std::string_view> known,
                ErrorList& errors) {
  for (const auto& [key, value] : mapping.pairs())
    if (std::ranges::find(known, key.text()) == known.end())
      errors.add(key.where(),
                 unknown_name(fmt::format("key of {}", what), key.text(), {known.begin(), known.end()}));
}

YamlNode require(const YamlNode& mapping, std::string_view what, std::string_view key) {
  const YamlNode value = mapping[key];
  if (!value) refuse(mapping, fmt::format("{} needs a '{}'", what, key));
  return value;
}

std::string_view read_text(const YamlNode& node, std::string_view what) {
  if (!node.is_text())
    refuse(node, fmt::format("expected {} as a single value, found {}", what, describe(node.kind())));
  return node.text();
}

std::int64_t read_integer(const YamlNode& node, std::string_view what, std::int64_t least,
                          std::int64_t most) {
  const std::string_view written = read_text(node, what);
  if (most < least) refuse(node, fmt::format("'{}' is not a valid {}: none exists", excerpt(written), what));
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (error != std::errc{} || rest != written.data() + written.size() || value < least || value > most)
    refuse(node, fmt::format("'{}' is not a valid {}: expected a whole number from {} to {}",
                             excerpt(written), what, least, most));
  return value;
}

bool read_boolean(const YamlNode& node, std::string_view what) {
  const std::string_view written = read_text(node, what);
  if (written != "true" && written != "false")
    refuse(node, fmt::format("'{}' is not a valid {}: expected true or false", excerpt(written), what));
  return written == "true";
}

Time read_time(const YamlNode& node, std::string_view what) {
  return read_with(node, what, parse_time);
}

Bytes read_bytes(const YamlNode& node, std::string_view what) {
  return read_with(node, what, parse_bytes);
}

}  // namespace takt
