#include "core/formats/json_text.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace takt {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonText, writes_short_values_on_one_line) {
  const Json json{
      {"name", "x"}, {"list", {1, 2.5, nullptr}}, {"empty", Json::array()}, {"none", Json::object()}};
  EXPECT_EQ(json_text(json),
            "{\n"
            "  \"name\": \"x\",\n"
            "  \"list\": [1, 2.5, null],\n"
            "  \"empty\": [],\n"
            "  \"none\": {}\n"
            "}\n");
  EXPECT_EQ(json_text(Json::array()), "[]\n");
  EXPECT_EQ(json_text(Json(3)), "3\n");
}

TEST(JsonText, breaks_long_values_into_lines) {
  const Json json{
      {"outer", {{"words", Json::array({std::string(60, 'a'), std::string(60, 'b')})}, {"n", 1}}}};
  const std::string text = json_text(json);
  EXPECT_EQ(text, "{\n  \"outer\": {\n    \"words\": [\n      \"" + std::string(60, 'a') + "\",\n      \"" +
                      std::string(60, 'b') + "\"\n    ],\n    \"n\": 1\n  }\n}\n");
  EXPECT_EQ(Json::parse(text), json);
}

TEST(JsonText, replaces_invalid_utf_8_in_values_and_keys) {
  const Json json{{"\xff", "\xfe\n\""}};
  EXPECT_EQ(json_text(json), "{\n  \"\xef\xbf\xbd\": \"\xef\xbf\xbd\\n\\\"\"\n}\n");
  EXPECT_EQ(json_line({{"a", "\xff"}}), "{\"a\":\"\xef\xbf\xbd\"}");
}

TEST(JsonText, writes_exact_whole_numbers_as_integers) {
  EXPECT_EQ(json_number(3).dump(), "3");
  EXPECT_EQ(json_number(-0.5).dump(), "-0.5");
  EXPECT_EQ(json_number(1e300).dump(), "1e+300");
}

TEST(JsonText, is_read_or_refused_as_configuration) {
  EXPECT_EQ(parse_json("[1]")[0], 1);
  EXPECT_THROW((void)parse_json("{"), ConfigError);
}

}  // namespace
}  // namespace takt
