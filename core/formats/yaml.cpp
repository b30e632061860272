#include "core/formats/yaml.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/exceptions.h>

namespace takt {

namespace {

std::string_view kind_of(const YamlNode& node) {
  return node.is_mapping()    ? "a mapping"
         : node.is_sequence() ? "a list"
         : node.is_scalar()   ? "a single value"
                              : "nothing";
}

YamlTree read_tree(const std::string& text, const std::string& file) {
  const auto at = [&](const YAML::Mark& mark) {
    return SourceLocation{file, mark.line + 1, mark.column + 1};
  };
  try {
    return YamlTree(text, file);
  } catch (const YAML::DeepRecursion& error) {
    throw ConfigError(at(error.mark), "not valid YAML here: lists and mappings are nested too deeply");
  } catch (const YAML::Exception& error) {
    throw ConfigError(at(error.mark), "not valid YAML: " + error.msg);
  }
}

}  // namespace

YamlFile::YamlFile(const std::string& text, std::string file)
    : file_(std::move(file)), tree_(read_tree(text, file_)) {}

void YamlFile::refuse(const YamlNode& node, const std::string& message) const {
  const Place at = node.place();
  throw ConfigError({file_, at.line, at.column}, message);
}

void YamlFile::expect_mapping(const YamlNode& node, std::string_view what,
                              std::initializer_list<std::string_view> known) const {
  if (!node.is_mapping())
    refuse(node, fmt::format("expected {} as a mapping with the keys {}, found {}", what,
                             fmt::join(known, " "), kind_of(node)));
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : node.pairs()) {
    const std::string_view key = name.text();
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse(name, unknown_name(fmt::format("key of {}", what), key, known));
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      refuse(name, fmt::format("the key '{}' of {} stands twice", key, what));
    seen.push_back(key);
  }
}

void YamlFile::expect_sequence(const YamlNode& node, std::string_view what) const {
  if (!node.is_sequence()) refuse(node, fmt::format("expected {} as a list, found {}", what, kind_of(node)));
}

YamlNode YamlFile::require(const YamlNode& mapping, std::string_view what, const char* key) const {
  const YamlNode value = mapping[key];
  if (!value) refuse(mapping, fmt::format("{} needs a '{}'", what, key));
  return value;
}

std::string_view YamlFile::text(const YamlNode& node, std::string_view what) const {
  if (!node.is_scalar())
    refuse(node, fmt::format("expected {} as a single value, found {}", what, kind_of(node)));
  return node.text();
}

std::int64_t YamlFile::integer(const YamlNode& node, std::string_view what, std::int64_t least,
                               std::int64_t most) const {
  const std::string_view written = text(node, what);
  if (most < least) refuse(node, fmt::format("'{}' is not a valid {}: there is none", written, what));
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (error != std::errc{} || rest != written.data() + written.size() || value < least || value > most)
    refuse(node, fmt::format("'{}' is not a valid {}: expected a whole number from {} to {}", written, what,
                             least, most));
  return value;
}

bool YamlFile::boolean(const YamlNode& node, std::string_view what) const {
  const std::string_view written = text(node, what);
  if (written != "true" && written != "false")
    refuse(node, fmt::format("'{}' is not a valid {}: expected true or false", written, what));
  return written == "true";
}

Time YamlFile::time(const YamlNode& node, std::string_view what) const {
  const std::string_view written = text(node, what);
  try {
    return parse_time(written);
  } catch (const ConfigError& error) {
    refuse(node, fmt::format("{}: {}", what, error.what()));
  }
}

Bytes YamlFile::bytes(const YamlNode& node, std::string_view what) const {
  const std::string_view written = text(node, what);
  try {
    return parse_bytes(written);
  } catch (const ConfigError& error) {
    refuse(node, fmt::format("{}: {}", what, error.what()));
  }
}

}  // namespace takt
