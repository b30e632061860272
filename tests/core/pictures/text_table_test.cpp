#include "core/pictures/text_table.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace takt {
namespace {

TextTable example() {
  TextTable table({{"name"}, {"value", true}, {"what"}});
  table.add({"a", "1", "says \"hello, world\""});
  table.add({"größe", "1234", ""});
  return table;
}

TEST(TextTable, aligns_columns) {
  EXPECT_EQ(example().to_text(2),
            "  name   value  what\n"
            "  a          1  says \"hello, world\"\n"
            "  größe   1234\n");
}

TEST(TextTable, escapes_control_characters) {
  TextTable table({{"task"}, {"work", true}});
  table.add({"a\x1b[2J\x07", "1"});
  table.add(
      {"\xc2\x9b\xff"
       "b",
       "2"});
  EXPECT_EQ(table.to_text(),
            "task           work\n"
            "a\\x1b[2J\\x07      1\n"
            "\\xc2\\x9b\\xffb     2\n");
}

TEST(TextTable, quotes_csv_cells) {
  EXPECT_EQ(example().to_csv(), "name,value,what\na,1,\"says \"\"hello, world\"\"\"\ngröße,1234,\n");
}

/// Checks that every line has at most 80 characters.
void expect_narrow(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(TextTable, breaks_headings_first) {
  std::vector<TextTable::Column> columns;
  std::vector<std::string> row;
  for (int i = 0; i < 8; ++i) {
    columns.push_back({"quite_long", true});
    row.push_back("12345");
  }
  TextTable table(columns);
  table.add(row);
  EXPECT_EQ(table.to_text(),
            "quite  quite  quite  quite  quite  quite  quite  quite\n"
            " long   long   long   long   long   long   long   long\n"
            "12345  12345  12345  12345  12345  12345  12345  12345\n");
}

TEST(TextTable, breaks_prose_into_lines) {
  TextTable table({{"name"}, {.name = "what", .is_prose = true}, {"value", true}});
  table.add({"a", "twenty letters of it, twenty letters of it, twenty letters of it, twenty letters", "1"});
  table.add({"b", "short", "2"});
  EXPECT_EQ(table.to_text(),
            "name  what                                                               value\n"
            "a     twenty letters of it, twenty letters of it, twenty letters of it,      1\n"
            "      twenty letters\n"
            "b     short                                                                  2\n");
}

TEST(TextTable, folds_names_that_leave_no_width_for_other_columns) {
  const std::string name =
      "station_north_of_the_river_with_a_very_long_name_that_users_would_not_type_by_hand__channel_7";
  TextTable table({{"step", true}, {"task"}, {"start", true}, {.name = "also ready", .is_prose = true}}, 2);
  table.add({"1", name, "0", "x " + name + " y"});
  table.add({"2", "b", "5", ""});
  const std::string text = table.to_text();
  expect_narrow(text);
  EXPECT_EQ(text.find("\n\n"), std::string::npos) << "one block\n" << text;
  // Nothing is lost: the joined pieces are the names.
  std::istringstream lines(text);
  std::string line, task, ready;
  std::getline(lines, line);
  const std::size_t at = line.find("task"), behind = line.find("start"), last = line.find("also ready");
  while (std::getline(lines, line) && !line.starts_with("   2")) {
    line.resize(80, ' ');
    for (const char letter : line.substr(at, behind - at))
      task += letter == ' ' ? "" : std::string(1, letter);
    for (const char letter : line.substr(last)) ready += letter == ' ' ? "" : std::string(1, letter);
  }
  EXPECT_EQ(task, name);
  EXPECT_EQ(ready, "x" + name + "y");
}

TEST(TextTable, splits_into_blocks_as_a_last_resort) {
  std::vector<TextTable::Column> columns{{"key"}};
  std::vector<std::string> row{"k"};
  for (int i = 0; i < 5; ++i) {
    columns.push_back({"c" + std::to_string(i), true});
    row.push_back(std::string(24, static_cast<char>('a' + i)));
  }
  TextTable table(columns);
  table.add(row);
  const std::string text = table.to_text(1);
  expect_narrow(text);
  EXPECT_EQ(text,
            " key                        c0                        c1\n"
            " k    aaaaaaaaaaaaaaaaaaaaaaaa  bbbbbbbbbbbbbbbbbbbbbbbb\n"
            "\n"
            " key                        c2                        c3\n"
            " k    cccccccccccccccccccccccc  dddddddddddddddddddddddd\n"
            "\n"
            " key                        c4\n"
            " k    eeeeeeeeeeeeeeeeeeeeeeee\n");
}

TEST(TextTable, is_a_table_of_a_page) {
  EXPECT_EQ(
      example().to_html(),
      "<table><thead><tr><th>name</th><th class=\"number\">value</th><th>what</th></tr></thead><tbody>\n"
      "<tr><td>a</td><td class=\"number\">1</td><td>says &quot;hello, world&quot;</td></tr>\n"
      "<tr><td>größe</td><td class=\"number\">1234</td><td></td></tr>\n"
      "</tbody></table>\n");
}

TEST(TextTable, without_rows_has_its_headings) {
  const TextTable table({{"a"}, {"b", true}});
  EXPECT_EQ(table.to_text(), "a  b\n");
  EXPECT_EQ(table.to_csv(), "a,b\n");
}

}  // namespace
}  // namespace takt
