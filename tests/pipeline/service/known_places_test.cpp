/// Tests that a service recognises the processors of its hosts, and refuses a foreign file.

#include "pipeline/service/known_places.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

TEST(KnownPlaces, are_those_of_the_last_service) {
  const takt::test::TemporaryFolder folder;
  EXPECT_THAT(known_places(folder / ""), IsEmpty());
  const ProcessorPlaces places{
      {.host = "h1", .core = 0}, {.host = "h2", .core = 3}, {.host = "h2", .core = 1}};
  remember_places(folder / "", {{.host = "h1", .core = 7}});
  remember_places(folder / "", places);
  EXPECT_EQ(known_places(folder / ""), places);
}

TEST(KnownPlaces, of_a_damaged_file_are_refused_with_its_name) {
  const takt::test::TemporaryFolder folder;
  for (const char* text : {"", "[{\"host\": \"h1\", \"co", "{}", "7", "null", "[7]", R"([{"host": "h1"}])",
                           R"([{"host": 1, "core": 1}])", R"([{"host": "h1", "core": -1}])",
                           R"([{"host": "h1", "core": 1.5}])", R"([{"host": "h1", "core": "1"}])"}) {
    (void)folder.file("places.json", text);
    EXPECT_THAT([&] { (void)known_places(folder / ""); },
                ThrowsMessage<ConfigError>(HasSubstr("places.json: expected a list of objects")))
        << text;
  }
}

}  // namespace
}  // namespace takt::pipeline
