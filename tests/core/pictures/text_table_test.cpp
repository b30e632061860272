#include "core/pictures/text_table.hpp"

#include <gtest/gtest.h>

namespace takt {
namespace {

TextTable example() {
  TextTable table({{"name"}, {"value", true}, {"what"}});
  table.add({"a", "1", "says \"hello, world\""});
  table.add({"größe", "1234", ""});
  return table;
}

TEST(TextTable, aligns_columns_for_people) {
  EXPECT_EQ(example().to_text(2),
            "  name   value  what\n"
            "  a          1  says \"hello, world\"\n"
            "  größe   1234\n");
}

TEST(TextTable, quotes_cells_for_programs) {
  EXPECT_EQ(example().to_csv(), "name,value,what\na,1,\"says \"\"hello, world\"\"\"\ngröße,1234,\n");
}

TEST(TextTable, without_rows_has_its_headings) {
  const TextTable table({{"a"}, {"b", true}});
  EXPECT_EQ(table.to_text(), "a  b\n");
  EXPECT_EQ(table.to_csv(), "a,b\n");
}

}  // namespace
}  // namespace takt
