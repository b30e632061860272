/// Tests that comma-separated values are read back unchanged.

#include "core/formats/csv.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/pictures/text_table.hpp"

namespace takt {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Csv, is_read_as_numbers_texts_and_null) {
  EXPECT_EQ(
      rows_of_csv("a,b,c\r\n1,-2.5e3,x\r\n,\"say \"\"no\"\", twice\",\"two\nlines\"\n", "f"),
      ordered_json::parse(
          R"([{"a": 1, "b": -2500.0, "c": "x"}, {"a": null, "b": "say \"no\", twice", "c": "two\nlines"}])"));
  EXPECT_EQ(rows_of_csv("\xEF\xBB\xBF"
                        "a,b\n1,\n",
                        "f"),
            ordered_json::parse(R"([{"a": 1, "b": null}])"));
}

TEST(Csv, reads_back_written_tables) {
  TextTable table({{"name"}, {"of", true}});
  table.add({"a,b", "1"});
  table.add({"\"q\"", "2.5"});
  EXPECT_EQ(rows_of_csv(table.to_csv(), "f"),
            ordered_json::parse(R"([{"name": "a,b", "of": 1}, {"name": "\"q\"", "of": 2.5}])"));
}

TEST(Csv, names_the_row_with_too_many_cells) {
  EXPECT_THAT([] { (void)rows_of_csv("a,b\n\"x\ny\",2\n1,2,3\n", "f.csv"); },
              ThrowsMessage<ConfigError>(HasSubstr("f.csv:4: a row of 3 cells: expected 2")));
  EXPECT_THAT([] { (void)rows_of_csv("a,b\n", "f.csv"); }, ThrowsMessage<ConfigError>(HasSubstr("no row")));
}

}  // namespace
}  // namespace takt
