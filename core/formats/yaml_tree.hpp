#pragma once
/// A YAML document in memory, compact enough for graphs and schedules of millions of lines, with the position
/// of every value. core/formats/yaml_parser.hpp reads it, core/formats/yaml_override.hpp modifies it, and
/// core/formats/yaml_values.hpp converts its values.
///
/// Flat arrays: a line of a graph takes some hundred bytes; yaml-cpp's own nodes take six thousand.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "core/formats/place.hpp"

namespace takt {

class YamlNode;

/// Numbers are texts until they are converted. The word `null` is a text, too, since it may be a name;
/// omitted values and `~` are nothing.
enum class YamlKind : std::uint8_t { nothing, text, list, mapping };

/// Returns `nothing`, `a single value`, `a list` or `a mapping`, for messages.
[[nodiscard]] std::string_view describe(YamlKind kind);

/// Mappings have unique text keys, and no value contains itself. Nodes point into their tree, so that it must
/// not move while there are any.
class YamlTree {
 public:
  /// Returns no node for an empty document.
  [[nodiscard]] YamlNode root() const;
  /// Reports whether the text contained only blanks and comments.
  [[nodiscard]] bool is_empty() const { return entries_.size() == 1 && entries_.front().place.line == 0; }

 private:
  friend class YamlNode;
  friend class YamlBuilder;
  friend class YamlEditor;

  enum class Kind : std::uint8_t { nothing, text, list, mapping, alias };
  struct Entry {
    Kind kind = Kind::nothing;
    /// Origin: number of the file, or of a text that replaced a part of it.
    std::uint16_t source = 0;
    Place place;
    /// The next entry in the same collection; in a mapping keys and values alternate.
    std::uint32_t next = none;
    /// A collection's first entry, an alias's target, or the beginning of a text.
    std::uint32_t first = none;
    /// Number of a collection's entries, keys and values counted separately; characters of a text.
    std::uint32_t size = 0;
  };
  static_assert(sizeof(Entry) == 24, "there are millions of them");
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  /// The first entry is the root.
  std::vector<Entry> entries_{Entry{}};
  /// Frequent texts are stored only once.
  std::string texts_;
  /// Names of files and options.
  std::vector<std::string> sources_;
};

/// A value of a document, or no node if a mapping lacks the key. Valid until the tree is modified or
/// destroyed.
class YamlNode {
 public:
  YamlNode() = default;

  explicit operator bool() const { return tree_ != nullptr; }
  [[nodiscard]] YamlKind kind() const;
  [[nodiscard]] bool is_nothing() const { return kind() == YamlKind::nothing; }
  [[nodiscard]] bool is_text() const { return kind() == YamlKind::text; }
  [[nodiscard]] bool is_list() const { return kind() == YamlKind::list; }
  [[nodiscard]] bool is_mapping() const { return kind() == YamlKind::mapping; }

  /// Returns its position; for an empty document only the file.
  [[nodiscard]] SourceLocation where() const;
  [[nodiscard]] Place place() const;
  /// Reports whether it came from the command line instead of the file.
  [[nodiscard]] bool is_override() const;

  /// Returns the text; empty for other kinds.
  [[nodiscard]] std::string_view text() const;
  /// Returns the entries of a list; the pairs of a mapping.
  [[nodiscard]] std::size_t size() const;
  /// Returns the value under a key of a mapping; no node if there is none. O(size).
  [[nodiscard]] YamlNode operator[](std::string_view key) const;

  struct Pair;
  template <bool is_mapping>
  class Iterator;
  /// The entries of a list in order.
  [[nodiscard]] Iterator<false> begin() const;
  [[nodiscard]] Iterator<false> end() const;
  /// The keys and values of a mapping in order.
  struct Pairs;
  [[nodiscard]] Pairs pairs() const;

 private:
  friend class YamlTree;
  friend class YamlBuilder;
  friend class YamlEditor;
  YamlNode(const YamlTree* tree, std::uint32_t at);

  [[nodiscard]] const YamlTree::Entry& entry() const { return tree_->entries_[at_]; }

  const YamlTree* tree_ = nullptr;
  std::uint32_t at_ = YamlTree::none;
};

struct YamlNode::Pair {
  YamlNode key, value;
};

template <bool is_mapping>
class YamlNode::Iterator {
 public:
  using value_type = std::conditional_t<is_mapping, Pair, YamlNode>;
  using difference_type = std::ptrdiff_t;
  Iterator() = default;
  Iterator(const YamlTree* tree, std::uint32_t at) : tree_(tree), at_(at) {}

  value_type operator*() const {
    if constexpr (is_mapping)
      return {{tree_, at_}, {tree_, tree_->entries_[at_].next}};
    else
      return {tree_, at_};
  }
  Iterator& operator++() {
    if constexpr (is_mapping) at_ = tree_->entries_[at_].next;
    at_ = tree_->entries_[at_].next;
    return *this;
  }
  Iterator operator++(int) {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

 private:
  const YamlTree* tree_ = nullptr;
  std::uint32_t at_ = YamlTree::none;
};

struct YamlNode::Pairs {
  Iterator<true> first, last;
  [[nodiscard]] Iterator<true> begin() const { return first; }
  [[nodiscard]] Iterator<true> end() const { return last; }
};

}  // namespace takt
