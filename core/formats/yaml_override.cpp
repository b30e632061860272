#include "core/formats/yaml_override.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace takt {

/// Modifies a tree. Entries are reached by their place in a collection and are overwritten there; their
/// former contents move if aliases refer to them.
class YamlEditor {
 public:
  explicit YamlEditor(YamlTree& tree) : tree_(tree) {}

  void set(std::string_view path, const YamlTree& value, const std::string& where, ErrorList& errors) {
    if (tree_.sources_.size() > std::numeric_limits<std::uint16_t>::max())
      return errors.add({where}, "too many values are replaced");
    tree_.sources_.push_back(where);
    std::uint32_t at = 0;
    for (int level = 0;; ++level) {
      const std::string_view key = path.substr(0, path.find('.'));
      const bool is_last = key.size() == path.size();
      const YamlNode node(&tree_, at);
      if (key.empty())
        return errors.add({where}, "expected keys with one dot between them, for example deployment.ranks");
      if (!node.is_mapping())
        return errors.add({where},
                          fmt::format("'{}' is a key of {}: expected a mapping", key, describe(node.kind())));
      if (!is_last && level > 0 && !node[key])
        return errors.add({where}, unknown_name("key", key, keys_of(node)));
      own(at);
      at = value_of(at, key);
      if (is_last) break;
      path.remove_prefix(key.size() + 1);
    }
    fill(at, value);
  }

  void expand(std::string_view key) {
    const YamlNode root = tree_.root();
    if (!root[key].is_text()) return;
    const std::uint32_t at = value_of(0, key), moved = move(at);
    const std::uint32_t name = text_entry("name", entries_[moved]);
    entries_[name].next = moved;
    YamlTree::Entry& mapping = entries_[at];
    mapping.kind = Kind::mapping;
    mapping.first = name;
    mapping.size = 2;
  }

 private:
  using Kind = YamlTree::Kind;
  static constexpr std::uint32_t none = YamlTree::none;

  static std::vector<std::string_view> keys_of(const YamlNode& mapping) {
    std::vector<std::string_view> keys;
    for (const YamlNode::Pair& pair : mapping.pairs()) keys.push_back(pair.key.text());
    return keys;
  }

  std::uint32_t add(const YamlTree::Entry& entry) {
    entries_.push_back(entry);
    entries_.back().next = none;
    return static_cast<std::uint32_t>(entries_.size() - 1);
  }

  /// Adds a text at the position of another entry.
  std::uint32_t text_entry(std::string_view text, const YamlTree::Entry& like) {
    const YamlTree::Entry entry{.kind = Kind::text,
                                .source = like.source,
                                .place = like.place,
                                .first = static_cast<std::uint32_t>(tree_.texts_.size()),
                                .size = static_cast<std::uint32_t>(text.size())};
    tree_.texts_ += text;
    return add(entry);
  }

  /// Moves an entry's contents to a new entry, to which aliases refer from now on.
  std::uint32_t move(std::uint32_t at) {
    const std::uint32_t moved = add(YamlTree::Entry(entries_[at]));
    for (YamlTree::Entry& entry : entries_)
      if (entry.kind == Kind::alias && entry.first == at) entry.first = moved;
    return moved;
  }

  /// Copies the entries of a mapping, so that a change does not affect its aliases.
  void own(std::uint32_t at) {
    const std::uint32_t original = entries_[at].kind == Kind::alias ? entries_[at].first : move(at);
    entries_[at].kind = Kind::mapping;
    entries_[at].first = none;
    entries_[at].size = 0;
    std::uint32_t last = none;
    for (std::uint32_t each = entries_[original].first; each != none; each = entries_[each].next) {
      YamlTree::Entry copy = entries_[each];
      if (copy.kind == Kind::list || copy.kind == Kind::mapping) {
        copy.kind = Kind::alias;
        copy.first = each;
      }
      append(at, last, add(copy));
    }
  }

  void append(std::uint32_t collection, std::uint32_t& last, std::uint32_t entry) {
    (last == none ? entries_[collection].first : entries_[last].next) = entry;
    last = entry;
    ++entries_[collection].size;
  }

  /// Returns the value under a key of a mapping; without one, a new empty mapping.
  std::uint32_t value_of(std::uint32_t mapping, std::string_view key) {
    std::uint32_t last = none;
    for (std::uint32_t each = entries_[mapping].first; each != none; each = entries_[last].next) {
      last = entries_[each].next;
      if (YamlNode(&tree_, each).text() == key) return last;
    }
    const YamlTree::Entry value{.kind = Kind::mapping,
                                .source = static_cast<std::uint16_t>(tree_.sources_.size() - 1)};
    append(mapping, last, text_entry(key, value));
    append(mapping, last, add(value));
    return last;
  }

  void fill(std::uint32_t at, const YamlTree& value) {
    (void)move(at);
    const auto offset = static_cast<std::uint32_t>(entries_.size());
    const auto letters = static_cast<std::uint32_t>(tree_.texts_.size());
    tree_.texts_ += value.texts_;
    for (YamlTree::Entry entry : value.entries_) {
      if (entry.next != none) entry.next += offset;
      if (entry.first != none) entry.first += entry.kind == Kind::text ? letters : offset;
      entry.place = {};
      entry.source = static_cast<std::uint16_t>(tree_.sources_.size() - 1);
      entries_.push_back(entry);
    }
    const std::uint32_t next = std::exchange(entries_[at], entries_[offset]).next;
    entries_[at].next = next;
  }

  YamlTree& tree_;
  std::vector<YamlTree::Entry>& entries_ = tree_.entries_;
};

void set_value(YamlTree& tree, std::string_view path, const std::string& value, const std::string& where,
               ErrorList& errors, const YamlLimits& limits) {
  YamlTree parsed;
  bool is_value = false;
  try {
    parsed = parse_yaml(value, where, errors, limits);
    is_value = !parsed.is_empty();
  } catch (const ConfigError&) {
    // The parser's message is less useful than the value itself.
  }
  if (!is_value) return errors.add({where}, fmt::format("'{}' is not a YAML value", excerpt(value)));
  YamlEditor(tree).set(path, parsed, where, errors);
}

void expand_name(YamlTree& tree, std::string_view key) {
  YamlEditor(tree).expand(key);
}

}  // namespace takt
