#include "sensors/files/header_keywords.hpp"

#include <array>

#include <gmock/gmock.h>

namespace takt::sensors {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::array rows{HeaderKeyword{"NBIT", KeywordUse::obeyed, "bits of a value"},
                          HeaderKeyword{"TELESCOPE", KeywordUse::carried, "name of the telescope"}};
constexpr HeaderKeywords table{"Example", "example.md", rows};

TEST(HeaderNotes, carry_descriptions_but_no_obeyed_keywords) {
  HeaderNotes notes(table, "a.dat");
  EXPECT_EQ(notes.take("NBIT", "8")->use, KeywordUse::obeyed);
  EXPECT_EQ(notes.take("TELESCOPE", "Effelsberg\n")->use, KeywordUse::carried);
  EXPECT_THAT(notes.description(), ElementsAre("TELESCOPE: Effelsberg?"));
  EXPECT_THAT(notes.warnings(), IsEmpty());
}

TEST(HeaderNotes, warn_once_of_an_unknown_keyword_and_carry_it) {
  HeaderNotes notes(table, "a.dat");
  EXPECT_EQ(notes.take("NBITS", "8"), nullptr);
  EXPECT_EQ(notes.take("NBITS", "16"), nullptr);
  EXPECT_THAT(notes.description(), ElementsAre("NBITS: 8", "NBITS: 16"));
  EXPECT_THAT(notes.warnings(), ElementsAre(AllOf(HasSubstr("a.dat"), HasSubstr("'NBITS'"))));
}

TEST(HeaderKeywords, become_a_table_of_a_reference_page) {
  EXPECT_EQ(to_markdown(table),
            "| keyword | use | meaning |\n|---|---|---|\n| `NBIT` | obeyed | bits of a value |\n"
            "| `TELESCOPE` | carried | name of the telescope |\n");
}

}  // namespace
}  // namespace takt::sensors
