#include "core/pictures/text_fill.hpp"

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(TextFill, breaks_between_words) {
  EXPECT_EQ(fill("one two three", 7), "one two\nthree");
  EXPECT_EQ(fill("one two three", 6, 2), "one\n  two\n  three");
  EXPECT_EQ(fill("one two  three", 7), "one two\nthree");
  EXPECT_EQ(fill("one two", 80), "one two");
  EXPECT_EQ(fill("", 80), "");
}

TEST(TextFill, keeps_long_words_and_indented_lines) {
  EXPECT_EQ(fill("a incomprehensibilities b", 5), "a\nincomprehensibilities\nb");
  EXPECT_EQ(fill("one two\n  three four\nfive six\n", 5), "one\ntwo\n  three four\nfive\nsix\n");
}

TEST(TextFill, counts_letters_and_not_bytes) {
  EXPECT_EQ(fill("größe größe größe", 11), "größe größe\ngröße");
  EXPECT_EQ(letters_of("größe"), 5U);
}

TEST(TextFill, places_titles_next_to_their_texts) {
  const std::string text = "twenty letters of it, twenty letters of it, twenty letters of it, twenty letters";
  EXPECT_EQ(titled("limit", text),
            "limit       twenty letters of it, twenty letters of it, twenty letters of it,\n"
            "            twenty letters\n");
  EXPECT_EQ(titled("", "more"), "            more\n");
}

}  // namespace
}  // namespace takt
