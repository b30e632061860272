#pragma once
/// A YAML document in memory, small enough for graphs and schedules of millions of lines.
///
/// yaml-cpp parses; this keeps what it reports in flat arrays. (A line of a graph takes some hundred bytes;
/// yaml-cpp's own nodes take six thousand.)

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/formats/graph_file_builder.hpp"

namespace takt {

class YamlNode;

class YamlTree {
 public:
  /// Throws YAML::Exception where the text is not YAML, and ConfigError, with the file's name, where a second
  /// document begins.
  YamlTree(const std::string& text, const std::string& file);

  [[nodiscard]] YamlNode root() const;

 private:
  friend class YamlNode;
  friend class YamlTreeBuilder;

  YamlTree() = default;

  enum class Kind : std::uint8_t { null, scalar, sequence, mapping, alias };
  struct Entry {
    Kind kind = Kind::null;
    /// A scalar without quotes; a collection without brackets.
    bool is_bare = false;
    Place place;
    /// The entry behind it in the same collection; in a mapping keys and values take turns.
    std::uint32_t next = none;
    /// A collection's first entry, or what an alias stands for.
    std::uint32_t first = none;
    /// A collection's entries, keys and values each; a scalar's letters.
    std::uint32_t size = 0;
    /// Where a scalar begins.
    std::uint64_t text = 0;
  };
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  std::vector<Entry> entries_;
  std::string texts_;
};

/// A place in a document, or nothing where a mapping has no such key. As long-lived as its tree.
class YamlNode {
 public:
  YamlNode() = default;

  explicit operator bool() const { return tree_ != nullptr; }
  [[nodiscard]] bool is_scalar() const { return is(YamlTree::Kind::scalar); }
  [[nodiscard]] bool is_sequence() const { return is(YamlTree::Kind::sequence); }
  [[nodiscard]] bool is_mapping() const { return is(YamlTree::Kind::mapping); }
  /// Where it stands; unknown for nothing.
  [[nodiscard]] Place place() const;
  /// Of a scalar.
  [[nodiscard]] std::string_view text() const;
  /// Entries of a sequence; pairs of a mapping.
  [[nodiscard]] std::size_t size() const;
  /// The value under a key of a mapping; nothing where there is none. O(size).
  [[nodiscard]] YamlNode operator[](std::string_view key) const;

  /// The entries of a sequence in order.
  class Iterator {
   public:
    using value_type = YamlNode;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const YamlTree* tree, std::uint32_t at) : tree_(tree), at_(at) {}
    YamlNode operator*() const { return {tree_, at_}; }
    Iterator& operator++() {
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
  [[nodiscard]] Iterator begin() const;
  [[nodiscard]] Iterator end() const { return {tree_, YamlTree::none}; }

  /// The keys and values of a mapping in order.
  [[nodiscard]] std::vector<std::pair<YamlNode, YamlNode>> pairs() const;

 private:
  friend class YamlTree;
  friend class YamlWriter;
  YamlNode(const YamlTree* tree, std::uint32_t at);

  [[nodiscard]] const YamlTree::Entry& entry() const { return tree_->entries_[at_]; }
  [[nodiscard]] bool is(YamlTree::Kind kind) const { return tree_ != nullptr && entry().kind == kind; }

  const YamlTree* tree_ = nullptr;
  std::uint32_t at_ = YamlTree::none;
};

/// The node as YAML, in lines and brackets as it was written. Throws ConfigError where it contains itself.
[[nodiscard]] std::string to_yaml(const YamlNode& node);

}  // namespace takt
