#include "core/formats/yaml_tree.hpp"

namespace takt {

std::string_view describe(YamlKind kind) {
  switch (kind) {
    case YamlKind::nothing:
      return "nothing";
    case YamlKind::text:
      return "a single value";
    case YamlKind::list:
      return "a list";
    case YamlKind::mapping:
      return "a mapping";
  }
  return {};
}

YamlNode YamlTree::root() const {
  return {this, 0};
}

YamlNode::YamlNode(const YamlTree* tree, std::uint32_t at) : tree_(tree), at_(at) {
  if (entry().kind == YamlTree::Kind::alias) at_ = entry().first;
}

YamlKind YamlNode::kind() const {
  return tree_ == nullptr ? YamlKind::nothing : static_cast<YamlKind>(entry().kind);
}

SourceLocation YamlNode::where() const {
  return tree_ == nullptr ? SourceLocation{} : entry().place.in(tree_->sources_[entry().source]);
}

Place YamlNode::place() const {
  return tree_ == nullptr ? Place{} : entry().place;
}

bool YamlNode::is_override() const {
  return tree_ != nullptr && entry().source > 0;
}

std::string_view YamlNode::text() const {
  return is_text() ? std::string_view(tree_->texts_).substr(entry().first, entry().size) : std::string_view();
}

std::size_t YamlNode::size() const {
  return is_list() ? entry().size : is_mapping() ? entry().size / 2 : 0;
}

YamlNode YamlNode::operator[](std::string_view key) const {
  for (const Pair& pair : pairs())
    if (pair.key.text() == key) return pair.value;
  return {};
}

YamlNode::Iterator<false> YamlNode::begin() const {
  return {tree_, is_list() ? entry().first : YamlTree::none};
}

YamlNode::Iterator<false> YamlNode::end() const {
  return {tree_, YamlTree::none};
}

YamlNode::Pairs YamlNode::pairs() const {
  return {{tree_, is_mapping() ? entry().first : YamlTree::none}, {tree_, YamlTree::none}};
}

}  // namespace takt
