#pragma once
/// A YAML document as a plain tree in which everything knows its place, and values that replace parts of it.

#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace takt::pipeline {

struct YamlEntry;

/// A value: nothing, a text (numbers are texts until somebody reads them), a list or a mapping.
struct YamlNode {
  enum class Kind : std::uint8_t { nothing, text, list, map };

  Kind kind = Kind::nothing;
  std::string text;
  std::vector<YamlNode> items;
  /// In the order of the file; no two keys are equal.
  std::vector<YamlEntry> entries;
  SourceLocation where;
  /// Whether it stands in the file or came from the command line.
  bool is_override = false;

  /// The value of a key, or null.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  [[nodiscard]] YamlNode* find(std::string_view key);
};

struct YamlEntry {
  std::string key;
  /// Where the key stands.
  SourceLocation where;
  YamlNode value;
};

/// `a text`, `a list`, ... for messages.
[[nodiscard]] std::string_view describe(YamlNode::Kind kind);

/// The one document in a text. What is no YAML, nested too deeply or empty is thrown as ConfigError;
/// duplicate keys (of which YAML libraries silently take one) and keys that are no texts go to `errors`, and
/// the first one counts.
[[nodiscard]] YamlNode parse_yaml(const std::string& text, const std::string& file, ErrorList& errors);

/// Sets the value at a path of keys with dots between them (`sources.station.ports`) to what the YAML `value`
/// says. Mappings of the first level are made where there are none. Errors carry `where` as their place.
void set_value(YamlNode& root, std::string_view path, const std::string& value, const SourceLocation& where,
               ErrorList& errors);

}  // namespace takt::pipeline
