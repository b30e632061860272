/// Tests that a service's store returns its entries, also after a restart, and refuses invalid files.

#include "pipeline/service/store.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "pipeline/pages/service_page.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

StoredStream stored(const std::string& name, std::int64_t added) {
  return {.name = name,
          .file = "/p/" + name + ".yaml",
          .folder = "/p",
          .costs = "costs: {a: 'b'}\n",
          .failure = "it's \"quoted\"",
          .overwrites = true,
          .required_hz = 20,
          .promised_hz = 25.5,
          .latency_ns = 123,
          .pid = 42,
          .added = added};
}

TEST(ServiceStore, returns_streams_and_the_timetable_after_it_was_closed) {
  const takt::test::TemporaryFolder folder;
  {
    ServiceStore store(folder / "s.db");
    EXPECT_THAT(store.streams(), IsEmpty());
    EXPECT_EQ(store.timetable(), "");
    store.put(stored("later", 7), "first");
    store.put(stored("earlier", 3), "second");
    StoredStream changed = stored("later", 7);
    changed.state = StreamState::failed;
    store.put(changed, "third");
  }
  ServiceStore store(folder / "s.db");
  ASSERT_THAT(store.streams(), SizeIs(2));
  const StoredStream first = store.streams()[0], second = store.streams()[1];
  EXPECT_EQ(first.name, "earlier");
  EXPECT_EQ(first.failure, "it's \"quoted\"");
  EXPECT_TRUE(first.overwrites);
  EXPECT_EQ(first.promised_hz, 25.5);
  EXPECT_EQ(first.latency_ns, 123);
  EXPECT_EQ(first.pid, 42);
  EXPECT_EQ(first.state, StreamState::running);
  EXPECT_EQ(second.state, StreamState::failed);
  EXPECT_EQ(store.timetable(), "third");
  store.remove("later", "");
  EXPECT_THAT(store.streams(), SizeIs(1));
  EXPECT_EQ(store.timetable(), "");
}

TEST(ServiceStore, refuses_an_invalid_file) {
  const takt::test::TemporaryFolder folder;
  const std::string file =
      folder.file("s.db", "this is no database, and long enough that SQLite looks at it.....");
  EXPECT_THAT([&] { ServiceStore store(file); }, ThrowsMessage<WorkError>(HasSubstr("s.db")));
}

TEST(ServiceStore, can_be_read_without_being_written_or_created) {
  const takt::test::TemporaryFolder folder;
  EXPECT_THAT([&] { ServiceStore store(folder / "none.db", StoreAccess::read_only); },
              ThrowsMessage<WorkError>(HasSubstr("none.db")));
  EXPECT_FALSE(std::filesystem::exists(folder / "none.db"));
  {
    ServiceStore store(folder / "s.db");
    StoredStream failed = stored("survey", 1'700'000'000);
    failed.state = StreamState::failed;
    store.put(failed, "");
  }
  ServiceStore store(folder / "s.db", StoreAccess::read_only);
  EXPECT_THAT(store.streams(), SizeIs(1));
  EXPECT_THROW(store.put(stored("more", 1), ""), WorkError);
  // The page has a row for it, and no schedule.
  const Page page = service_page("s.db", folder / "s.db");
  ASSERT_THAT(page.views, SizeIs(1));
  for (const char* const text : {"survey", "failed", "2023-11-14T22:13:20", "25.5"})
    EXPECT_THAT(page.views.front(), HasSubstr(text));
}

}  // namespace
}  // namespace takt::pipeline
