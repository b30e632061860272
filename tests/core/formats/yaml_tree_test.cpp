/// Tests the contents and positions of the tree, and the replacement of its parts.

#include "core/formats/yaml_tree.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/formats/yaml_override.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/formats/yaml_text.hpp"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

/// Formats a node's contents on one line.
std::string shown(const YamlNode& node) {
  std::string text;
  switch (node.kind()) {
    case YamlKind::nothing:
      return "~";
    case YamlKind::text:
      return std::string(node.text());
    case YamlKind::list:
      for (const YamlNode& each : node) text += (text.empty() ? "" : ", ") + shown(each);
      return "[" + text + "]";
    case YamlKind::mapping:
      for (const auto& [key, value] : node.pairs())
        text += (text.empty() ? "" : ", ") + shown(key) + ": " + shown(value);
      return "{" + text + "}";
  }
  return text;
}

struct Parsed {
  ErrorList errors;
  YamlTree tree;
  explicit Parsed(const std::string& text, const YamlLimits& limits = {})
      : tree(parse_yaml(text, "f", errors, limits)) {}
  void set(std::string_view path, const std::string& value) {
    set_value(tree, path, value, "--set " + std::string(path), errors);
  }
};

TEST(YamlTree, reports_tabs_in_indentation) {
  const auto fault = [](std::string_view place) {
    return ThrowsMessage<ConfigError>(
        fmt::format("f:{}: not valid YAML: a tab in the indentation: expected spaces", place));
  };
  EXPECT_THAT([] { Parsed("a:\n\tb: {c: d}\n"); }, fault("2:1"));
  EXPECT_THAT([] { Parsed("a:\n  b:\n  \tc: d\n"); }, fault("3:3"));
  EXPECT_THAT([] { Parsed("a:\n  - b: c\n\t  d: 2\n"); }, fault("3:1"));
  EXPECT_THAT([] { Parsed("a:\n\t- b\n\t- c: d\n"); }, fault("2:1"));
  // Between values a tab is equivalent to a space, and an error may have other causes.
  EXPECT_EQ(shown(Parsed("a:\t[b,\tc]\t# d\n\t\n").tree.root()), "{a: [b, c]}");
  EXPECT_THAT([] { Parsed("\t\na: [\tb\nc: d\n"); },
              ThrowsMessage<ConfigError>(Not(HasSubstr("a tab in the indentation"))));
}

TEST(YamlTree, holds_every_kind_of_value_with_its_place) {
  const Parsed parsed("a: [1, 'two', ~]\nb:\n  c: {}\n  d:\ne: \"f g\"\n");
  EXPECT_THAT(parsed.errors.messages(), IsEmpty());
  const YamlNode root = parsed.tree.root();
  EXPECT_EQ(shown(root), "{a: [1, two, ~], b: {c: {}, d: ~}, e: f g}");
  EXPECT_EQ((*std::next(root["a"].begin())).where().to_string(), "f:1:8");
  EXPECT_EQ(root["b"]["c"].where().to_string(), "f:3:6");
  EXPECT_EQ(root["b"]["d"].where().to_string(), "f:4:3") << "what is left out stands at its key";
  EXPECT_EQ(root["e"].size() + root["a"].size() + root["b"].size(), 5U);
  EXPECT_FALSE(root["x"]);
  EXPECT_FALSE(root["x"]["y"]) << "nothing has no keys";
  EXPECT_FALSE(root["a"].is_override());
}

TEST(YamlTree, of_blanks_and_comments_is_empty) {
  EXPECT_TRUE(Parsed("").tree.is_empty());
  EXPECT_TRUE(Parsed("# words\n\n").tree.is_empty());
  EXPECT_FALSE(Parsed("~").tree.is_empty());
  EXPECT_EQ(Parsed("").tree.root().where().to_string(), "f");
}

TEST(YamlTree, treats_the_word_null_as_text) {
  EXPECT_EQ(shown(Parsed("a: null\nb: Null\nc: ~\nd:\nnull: 3\n").tree.root()),
            "{a: null, b: Null, c: ~, d: ~, null: 3}");
  EXPECT_EQ(shown(Parsed("[null, 'null', nullify]").tree.root()), "[null, null, nullify]");
}

TEST(YamlTree, reports_duplicate_and_non_text_keys) {
  std::string many;
  for (int i = 0; i < 100; ++i) many += fmt::format("k{}: {}\n", i, i);
  Parsed parsed(many + "k7: x\nm: {a: 1, b: 2, a: 3, [c]: 4, ~: 5}\n");
  EXPECT_THAT(parsed.errors.messages(), ElementsAre("f:101:1: the key 'k7' is already at f:8:1",
                                                    "f:102:17: the key 'a' is already at f:102:5",
                                                    "f:102:23: a key must be a single value, not a list",
                                                    "f:102:31: a key must be a single value, not nothing"));
  EXPECT_EQ(parsed.tree.root()["k7"].text(), "7");
  EXPECT_EQ(shown(parsed.tree.root()["m"]), "{a: 1, b: 2}");
}

TEST(YamlTree, resolves_aliases) {
  const Parsed parsed("a: &a {x: [1, 2]}\nb: [*a, *a]\n");
  EXPECT_EQ(shown(parsed.tree.root()["b"]), "[{x: [1, 2]}, {x: [1, 2]}]");
  EXPECT_EQ((*parsed.tree.root()["b"].begin()).where().to_string(), "f:1:4");
}

TEST(YamlTree, counts_repetitions_by_aliases) {
  const std::string text = "a: &a [1, 2]\nb: [*a, *a]\n";
  // The root, two keys, a list of two values, and a list of twice those three.
  EXPECT_EQ(Parsed(text, {.values = 13}).tree.root()["b"].size(), 2U);
  EXPECT_THAT([&] { Parsed(text, {.values = 12}); },
              ThrowsMessage<ConfigError>("f:2:9: more than 12 values, with aliases expanded"));
  EXPECT_EQ(Parsed(text, {.depth = 3}).tree.root()["b"].size(), 2U);
  EXPECT_THAT([&] { Parsed(text, {.depth = 2}); },
              ThrowsMessage<ConfigError>("f:2:5: lists and mappings are nested more than 2 deep"));
}

TEST(YamlOverrides, replace_values_and_add_keys) {
  Parsed parsed("a: {b: 1, c: [2]}\nd: 3\n");
  parsed.set("a.b", "{x: 5}");
  parsed.set("a.b.y", "[6, 7]");
  parsed.set("e", "8");
  parsed.set("g.h", "9");
  EXPECT_THAT(parsed.errors.messages(), IsEmpty());
  const YamlNode root = parsed.tree.root();
  EXPECT_EQ(shown(root), "{a: {b: {x: 5, y: [6, 7]}, c: [2]}, d: 3, e: 8, g: {h: 9}}");
  EXPECT_EQ(root["a"]["b"]["x"].where().to_string(), "--set a.b");
  EXPECT_EQ(root["g"].where().to_string(), "--set g.h");
  EXPECT_TRUE(root["a"]["b"].is_override());
  EXPECT_FALSE(root["a"]["c"].is_override());
  EXPECT_EQ(root["a"]["c"].where().to_string(), "f:1:14");
}

TEST(YamlOverrides, do_not_affect_aliases_elsewhere) {
  Parsed parsed("a: &a {x: 1, y: &y {z: 2}}\nb: *a\nc: *y\nd: &d 4\ne: *d\n");
  parsed.set("a.x", "10");
  parsed.set("b.y.z", "20");
  parsed.set("d", "40");
  parsed.set("c", "[30]");
  EXPECT_EQ(shown(parsed.tree.root()),
            "{a: {x: 10, y: {z: 2}}, b: {x: 1, y: {z: 20}}, c: [30], d: 40, e: 4}");
}

TEST(YamlOverrides, expand_a_name_to_a_mapping) {
  Parsed parsed("s: &s greedy\nt: *s\nu: [1]\n");
  for (const char* key : {"s", "t", "u", "v"}) expand_name(parsed.tree, key);
  parsed.set("s.seed", "7");
  EXPECT_EQ(shown(parsed.tree.root()), "{s: {name: greedy, seed: 7}, t: {name: greedy}, u: [1]}");
  EXPECT_EQ(parsed.tree.root()["s"]["name"].where().to_string(), "f:1:4");
}

TEST(YamlText, is_read_back_unchanged) {
  for (const std::string text :
       {"plain", "with space", "", "null", "~", "yes", "7", "007", "-1", "1e5", "a: b", "#x", "\"quoted\"",
        "back\\slash", "two\nlines", "\x01", "*a", "größe"}) {
    const Parsed parsed("[" + yaml_scalar(text) + "]");
    EXPECT_EQ((*parsed.tree.root().begin()).text(), text);
    EXPECT_TRUE((*parsed.tree.root().begin()).is_text()) << text;
  }
}

}  // namespace
}  // namespace takt
