#include "core/formats/yaml_tree.hpp"

#include <sstream>
#include <unordered_map>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "core/error.hpp"
#include "core/formats/yaml_text.hpp"

namespace takt {

/// Takes down what yaml-cpp reports.
class YamlTreeBuilder : public YAML::EventHandler {
 public:
  explicit YamlTreeBuilder(YamlTree& tree) : tree_(tree) {}

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = place(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add({.kind = Kind::null, .place = place(mark)}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add({.kind = Kind::alias, .place = place(mark), .first = anchors_.at(anchor)}, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    add({.kind = Kind::scalar,
         .is_bare = tag == "?",
         .place = place(mark),
         .size = static_cast<std::uint32_t>(value.size()),
         .text = tree_.texts_.size()},
        anchor);
    tree_.texts_ += value;
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(Kind::sequence, mark, anchor, style);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(Kind::mapping, mark, anchor, style);
  }
  void OnMapEnd() override { open_.pop_back(); }

  [[nodiscard]] Place start() const { return start_; }

 private:
  using Kind = YamlTree::Kind;

  /// A collection whose end has not come yet.
  struct Open {
    std::uint32_t entry;
    std::uint32_t last = YamlTree::none;
  };

  static Place place(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

  std::uint32_t add(const YamlTree::Entry& entry, YAML::anchor_t anchor) {
    const auto index = static_cast<std::uint32_t>(tree_.entries_.size());
    if (index == YamlTree::none) throw ConfigError("a YAML file of more than four thousand million values");
    tree_.entries_.push_back(entry);
    if (anchor != 0) anchors_.insert_or_assign(anchor, index);
    if (open_.empty()) return index;
    auto& [collection, last] = open_.back();
    (last == YamlTree::none ? tree_.entries_[collection].first : tree_.entries_[last].next) = index;
    last = index;
    ++tree_.entries_[collection].size;
    return index;
  }

  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
    const bool is_bare = style == YAML::EmitterStyle::Block;
    open_.push_back({add({.kind = kind, .is_bare = is_bare, .place = place(mark)}, anchor)});
  }

  YamlTree& tree_;
  Place start_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, std::uint32_t> anchors_;
};

YamlTree::YamlTree(const std::string& text, const std::string& file) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  YamlTreeBuilder first(*this);
  if (!parser.HandleNextDocument(first)) return;
  YamlTree other;
  YamlTreeBuilder second(other);
  if (parser.HandleNextDocument(second))
    throw ConfigError({file, second.start().line, second.start().column},
                      "a second document begins here, expected one");
}

YamlNode YamlTree::root() const {
  return entries_.empty() ? YamlNode() : YamlNode(this, 0);
}

YamlNode::YamlNode(const YamlTree* tree, std::uint32_t at) : tree_(tree), at_(at) {
  if (entry().kind == YamlTree::Kind::alias) at_ = entry().first;
}

Place YamlNode::place() const {
  return tree_ != nullptr ? entry().place : Place{};
}

std::string_view YamlNode::text() const {
  return is_scalar() ? std::string_view(tree_->texts_).substr(entry().text, entry().size)
                     : std::string_view();
}

std::size_t YamlNode::size() const {
  return is_sequence() ? entry().size : is_mapping() ? entry().size / 2 : 0;
}

YamlNode YamlNode::operator[](std::string_view key) const {
  if (!is_mapping()) return {};
  for (std::uint32_t at = entry().first; at != YamlTree::none;) {
    const std::uint32_t value = tree_->entries_[at].next;
    if (const YamlNode each(tree_, at); each.is_scalar() && each.text() == key) return {tree_, value};
    at = tree_->entries_[value].next;
  }
  return {};
}

YamlNode::Iterator YamlNode::begin() const {
  return {tree_, is_sequence() ? entry().first : YamlTree::none};
}

std::vector<std::pair<YamlNode, YamlNode>> YamlNode::pairs() const {
  std::vector<std::pair<YamlNode, YamlNode>> result;
  result.reserve(size());
  for (std::uint32_t at = is_mapping() ? entry().first : YamlTree::none; at != YamlTree::none;) {
    const std::uint32_t value = tree_->entries_[at].next;
    result.emplace_back(YamlNode(tree_, at), YamlNode(tree_, value));
    at = tree_->entries_[value].next;
  }
  return result;
}

/// Writes nodes; what yaml-cpp's emitter does for its own ones.
class YamlWriter {
 public:
  std::string write(const YamlNode& node) && {
    if (in_lines(node))
      lines(node, 0);
    else
      in_line(node, 0);
    return std::move(text_);
  }

 private:
  static bool in_lines(const YamlNode& node) {
    return (node.is_mapping() || node.is_sequence()) && node.entry().is_bare && node.size() > 0;
  }

  static void check_depth(const YamlNode& node, std::size_t depth) {
    constexpr std::size_t deepest = 100;
    if (depth > deepest)
      throw ConfigError({{}, node.place().line, node.place().column}, "nested too deeply, or in itself");
  }

  void lines(const YamlNode& node, std::size_t depth) {
    check_depth(node, depth);
    if (node.is_mapping())
      for (const auto& [key, value] : node.pairs()) {
        text_.append(2 * depth, ' ');
        in_line(key, depth);
        text_ += ':';
        rest(value, depth);
      }
    for (const YamlNode& each : node) {
      text_.append(2 * depth, ' ') += '-';
      rest(each, depth);
    }
  }

  /// Behind a colon or a dash.
  void rest(const YamlNode& node, std::size_t depth) {
    if (in_lines(node)) {
      text_ += '\n';
      lines(node, depth + 1);
    } else {
      text_ += ' ';
      in_line(node, depth);
      text_ += '\n';
    }
  }

  void in_line(const YamlNode& node, std::size_t depth) {
    check_depth(node, depth);
    if (node.is_scalar()) {
      const bool is_safe = node.text().find_first_of(",[]{}#:\n") == std::string_view::npos;
      text_ += node.entry().is_bare && is_safe ? std::string(node.text()) : yaml_scalar(node.text());
    } else if (node.is_sequence()) {
      text_ += '[';
      for (const YamlNode& each : node) {
        if (text_.back() != '[') text_ += ", ";
        in_line(each, depth + 1);
      }
      text_ += ']';
    } else if (node.is_mapping()) {
      text_ += '{';
      for (const auto& [key, value] : node.pairs()) {
        if (text_.back() != '{') text_ += ", ";
        in_line(key, depth + 1);
        text_ += ": ";
        in_line(value, depth + 1);
      }
      text_ += '}';
    } else {
      text_ += '~';
    }
  }

  std::string text_;
};

std::string to_yaml(const YamlNode& node) {
  return YamlWriter().write(node);
}

}  // namespace takt
