#include "pipeline/config/yaml_tree.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace takt::pipeline {

namespace {

/// Deeper or larger documents are no pipelines; aliases could make them grow without end.
constexpr int largest_depth = 32;
constexpr std::size_t largest_size = 20'000;

/// Turns yaml-cpp's nodes into ours.
class Converter {
 public:
  Converter(const std::string& text, const std::string& file, ErrorList& errors)
      : text_(text), file_(file), errors_(errors) {}

  YamlNode convert(const YAML::Node& from, int depth = 0) {
    YamlNode node;
    node.where = location(from.Mark());
    if (depth > largest_depth || ++size_ > largest_size)
      throw ConfigError(node.where, fmt::format("nested more than {} deep, or more than {} values",
                                                largest_depth, largest_size));
    switch (from.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        node.text = written_null(from.Mark());
        node.kind = node.text.empty() ? YamlNode::Kind::nothing : YamlNode::Kind::text;
        break;
      case YAML::NodeType::Scalar:
        node.kind = YamlNode::Kind::text;
        node.text = from.Scalar();
        break;
      case YAML::NodeType::Sequence:
        node.kind = YamlNode::Kind::list;
        for (const YAML::Node& item : from) node.items.push_back(convert(item, depth + 1));
        break;
      case YAML::NodeType::Map:
        node.kind = YamlNode::Kind::map;
        for (const auto& entry : from) add_entry(node, entry.first, entry.second, depth + 1);
        break;
    }
    return node;
  }

 private:
  void add_entry(YamlNode& map, const YAML::Node& from_key, const YAML::Node& from_value, int depth) {
    const YamlNode key = convert(from_key, depth);
    YamlNode value = convert(from_value, depth);
    if (key.kind != YamlNode::Kind::text) {
      errors_.add(key.where, fmt::format("a key must be a text, not {}", describe(key.kind)));
      return;
    }
    const auto first = std::ranges::find(map.entries, key.text, &YamlEntry::key);
    if (first != map.entries.end()) {
      errors_.add(key.where,
                  fmt::format("the key '{}' stands at {} already", key.text, first->where.to_string()));
      return;
    }
    map.entries.push_back({key.text, key.where, std::move(value)});
  }

  [[nodiscard]] SourceLocation location(const YAML::Mark& mark) const {
    return mark.is_null() ? SourceLocation{file_} : SourceLocation{file_, mark.line + 1, mark.column + 1};
  }

  /// YAML reads the word null as nothing. We need the word, since a sink has this name.
  [[nodiscard]] std::string written_null(const YAML::Mark& mark) const {
    constexpr std::string_view word = "null";
    const bool is_written = !mark.is_null() && static_cast<std::size_t>(mark.pos) <= text_.size() &&
                            text_.compare(static_cast<std::size_t>(mark.pos), word.size(), word) == 0;
    return std::string(is_written ? word : "");
  }

  const std::string& text_;
  const std::string& file_;
  ErrorList& errors_;
  std::size_t size_ = 0;
};

/// Everything in a tree came from the same place of the command line.
void mark_as_override(YamlNode& node, const SourceLocation& where) {
  node.where = where;
  node.is_override = true;
  for (YamlNode& item : node.items) mark_as_override(item, where);
  for (YamlEntry& entry : node.entries) {
    entry.where = where;
    mark_as_override(entry.value, where);
  }
}

std::vector<std::string_view> keys_of(const YamlNode& map) {
  std::vector<std::string_view> keys;
  for (const YamlEntry& entry : map.entries) keys.push_back(entry.key);
  return keys;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &YamlEntry::key);
  return found == entries.end() ? nullptr : &found->value;
}

YamlNode* YamlNode::find(std::string_view key) {
  return const_cast<YamlNode*>(static_cast<const YamlNode&>(*this).find(key));
}

std::string_view describe(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::nothing:
      return "nothing";
    case YamlNode::Kind::text:
      return "a text";
    case YamlNode::Kind::list:
      return "a list";
    case YamlNode::Kind::map:
      return "a mapping";
  }
  return {};
}

YamlNode parse_yaml(const std::string& text, const std::string& file, ErrorList& errors) {
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(text);
  } catch (const YAML::Exception& error) {
    const YAML::Mark& mark = error.mark;
    const SourceLocation where =
        mark.is_null() ? SourceLocation{file} : SourceLocation{file, mark.line + 1, mark.column + 1};
    throw ConfigError(where, fmt::format("this is not YAML: {}", error.msg));
  }
  if (documents.empty()) throw ConfigError(SourceLocation{file}, "the file is empty");
  if (documents.size() > 1)
    throw ConfigError(SourceLocation{file},
                      fmt::format("expected one YAML document, got {}", documents.size()));
  return Converter(text, file, errors).convert(documents.front());
}

void set_value(YamlNode& root, std::string_view path, const std::string& value, const SourceLocation& where,
               ErrorList& errors) {
  YamlNode parsed;
  try {
    parsed = parse_yaml(value, where.file, errors);
  } catch (const ConfigError& error) {
    errors.add(where, fmt::format("'{}' is no YAML value", value));
    return;
  }
  mark_as_override(parsed, where);

  YamlNode* node = &root;
  for (int level = 0;; ++level) {
    const std::string key(path.substr(0, path.find('.')));
    const bool is_last = key.size() == path.size();
    if (key.empty())
      return errors.add(where, "expected keys with one dot between them, for example deployment.ranks");
    if (node->kind != YamlNode::Kind::map)
      return errors.add(
          where, fmt::format("'{}' would be a key of {}, not of a mapping", key, describe(node->kind)));
    YamlNode* next = node->find(key);
    if (next == nullptr) {
      if (!is_last && level > 0) return errors.add(where, unknown_name("key", key, keys_of(*node)));
      node->entries.push_back({key, where, {}});
      next = &node->entries.back().value;
      next->kind = YamlNode::Kind::map;
      next->where = where;
    }
    node = next;
    if (is_last) break;
    path.remove_prefix(key.size() + 1);
  }
  *node = std::move(parsed);
}

}  // namespace takt::pipeline
