/// Tests that a second run never destroys data, and the sequence of files.

#include <fstream>
#include <optional>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/files/file_pattern.hpp"
#include "sensors/files/output_file.hpp"
#include "sensors/files/output_series.hpp"
#include "tests/support/program.hpp"

namespace takt::sensors {
namespace files_output_test {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(OutputFile, belongs_to_one_run_until_it_is_closed) {
  const test::TemporaryFolder folder;
  for (const OldFile old : {OldFile::keep, OldFile::replace}) {
    OutputFile first, second;
    first.open(folder / "a", old);
    EXPECT_THAT([&] { second.open(folder / "a", old); },
                ThrowsMessage<ConfigError>(HasSubstr("another run is writing it")));
    EXPECT_EQ(claim_on(folder / "a", old), "another run is writing it");
    first.append({bytes_of("one")});
    EXPECT_FALSE(second.try_open(folder / "a", old));
    first.close();
    EXPECT_EQ(test::read_file(folder / "a"), "one");
  }
}

TEST(OutputFile, is_unlocked_when_its_process_dies) {
  const test::TemporaryFolder folder;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto* file = new OutputFile;  // never closed
    file->open(folder / "a");
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  OutputFile file;
  // The file left behind is empty, so that nothing can be lost.
  file.open(folder / "a");
  file.append({bytes_of("x")});
  file.close();
  EXPECT_EQ(test::read_file(folder / "a"), "x");
}

TEST(OutputFile, opened_without_data_is_removed_and_other_files_are_kept) {
  const test::TemporaryFolder folder;
  OutputFile first;
  first.open(folder / "a");
  fs::remove(folder / "a");
  OutputFile second;
  second.open(folder / "a");
  first.close();
  second.append({bytes_of("y")});
  second.close();
  EXPECT_EQ(test::read_file(folder / "a"), "y");
  OutputFile third;
  third.open(folder / "b");
  third.close();
  EXPECT_FALSE(fs::exists(folder / "b"));
}

TEST(OutputFile, is_whole_blocks_at_any_time_and_can_be_rewritten) {
  const test::TemporaryFolder folder;
  {
    OutputFile file;
    file.keep_whole_blocks(4);
    file.open(folder / "a");
    file.append({bytes_of("head")});
    EXPECT_EQ(test::read_file(folder / "a"), "head");
    file.append({bytes_of("one")});
    EXPECT_EQ(test::read_file(folder / "a"), std::string("headone\0", 8));
    file.append({bytes_of("two")});
    file.rewrite(1, bytes_of("EA"));
    EXPECT_EQ(test::read_file(folder / "a"), std::string("hEAdonetwo\0\0", 12));
    EXPECT_EQ(file.size(), 10U) << "zeros do not count";
    file.append_zeros(3);
    EXPECT_EQ(test::read_file(folder / "a"), "hEAdonetwo" + std::string(6, '\0'));
    file.append({bytes_of("end")});
    file.close();
  }
  EXPECT_EQ(test::read_file(folder / "a"), std::string("hEAdonetwo\0\0\0end", 16));
  // Removes the bytes that another process appended after the seventh.
  OutputFile file;
  file.keep_whole_blocks(4);
  file.resume(folder / "a", 7);
  EXPECT_EQ(test::read_file(folder / "a"), std::string("hEAdone\0", 8));
  file.append({bytes_of("more")});
  file.close();
  EXPECT_EQ(test::read_file(folder / "a"), std::string("hEAdonemore\0", 12));
}

TEST(FilePattern, times_are_utc_with_all_digits) {
  // `date -u -d @1656466207`: 2022-06-29 01:30:07, day 180 of the year.
  EXPECT_EQ(name_at("sky-%Y%m%dT%H%M%S.%f-%j.fil", 1656466207'042'999'999),
            "sky-20220629T013007.042-180.fil");
  EXPECT_EQ(name_at("100%%.raw", 0), "100%.raw");
  EXPECT_EQ(name_at("%Y%m%d", -1), "19691231");
  EXPECT_THAT([] { (void)name_at("a%q", 0); },
              ThrowsMessage<ConfigError>(HasSubstr("'%q' in the name 'a%q'")));
  EXPECT_THAT([] { (void)name_at("a%", 0); }, ThrowsMessage<ConfigError>(HasSubstr("ends in a single %")));
  EXPECT_THAT([] { (void)name_at("%Y/a", 0); },
              ThrowsMessage<ConfigError>(HasSubstr("in a directory's name")));
}

/// Writes frames of 10 identical letters, which identify them.
class Writer {
 public:
  explicit Writer(OutputOptions options) : series_(std::move(options)) { series_.open(); }
  ~Writer() { series_.close(); }
  bool put(char letter, std::int64_t second, std::uint16_t epoch = 0) {
    const FrameHeader header{.utc_ns = second * 1'000'000'000, .epoch = epoch};
    const bool is_new = series_.turn_to(header, 10);
    series_.append({bytes_of(std::string(10, letter))});
    return is_new;
  }
  [[nodiscard]] std::string location() const { return series_.location(); }
  void begin_file() { series_.begin_file(); }

 private:
  OutputSeries series_;
};

/// Returns the first letters of all files in a folder, by name.
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string letters;
    const std::string text = test::read_file(entry.path());
    for (std::size_t i = 0; i < text.size(); i += 10) letters += text[i];
    files.push_back(entry.path().filename().string() + ':' + letters);
  }
  std::ranges::sort(files);
  return files;
}

TEST(OutputSeries, grows_by_files_of_a_size) {
  const test::TemporaryFolder folder;
  {
    Writer writer({.path = folder / "a.raw", .rotate_size = Bytes{25}});
    for (const char letter : {'a', 'b', 'c', 'd', 'e'}) writer.put(letter, 0);
    EXPECT_THAT(writer.location(), HasSubstr("a.raw to "));
    EXPECT_THAT(writer.location(), HasSubstr("a-3.raw (3 files)"));
  }
  EXPECT_THAT(files_in(folder / ""), ElementsAre("a-2.raw:cd", "a-3.raw:e", "a.raw:ab"));
}

TEST(OutputSeries, begins_a_requested_file_at_the_next_frame) {
  const test::TemporaryFolder folder;
  {
    Writer writer({.path = folder / "a.raw"});
    // Before the first frame there is no file to end.
    writer.begin_file();
    EXPECT_TRUE(writer.put('a', 0));
    EXPECT_FALSE(writer.put('b', 0));
    writer.begin_file();
    writer.begin_file();
    EXPECT_TRUE(writer.put('c', 0));
    EXPECT_FALSE(writer.put('d', 0));
  }
  EXPECT_THAT(files_in(folder / ""), ElementsAre("a-2.raw:cd", "a.raw:ab"));
}

TEST(OutputSeries, begins_a_file_with_each_interval_and_each_epoch) {
  const test::TemporaryFolder folder;
  {
    Writer writer({.path = folder / "a-%M%S", .rotate_every = Time(60'000'000'000)});
    EXPECT_TRUE(writer.put('a', 50));
    EXPECT_FALSE(writer.put('b', 59));
    EXPECT_TRUE(writer.put('c', 60));
    EXPECT_FALSE(writer.put('d', 119));
    EXPECT_TRUE(writer.put('e', 70, 1));
    EXPECT_TRUE(writer.put('f', 70, 2)) << "the same second again";
    EXPECT_TRUE(writer.put('g', 50, 3)) << "and one of which there is a file";
  }
  EXPECT_THAT(files_in(folder / ""),
              ElementsAre("a-0050-2:g", "a-0050:ab", "a-0100:cd", "a-0110-2:f", "a-0110:e"));
}

TEST(OutputSeries, keeps_existing_files) {
  const test::TemporaryFolder folder;
  folder.file("a-0000", std::string(10, 'o'));
  folder.file("b-2.x", std::string(10, 'p'));
  { Writer({.path = folder / "a-%M%S"}).put('a', 0); }
  {
    Writer writer({.path = folder / "b.x"});
    writer.put('b', 0);
    writer.put('c', 0, 1);
  }
  EXPECT_THAT(files_in(folder / ""), ElementsAre("a-0000-2:a", "a-0000:o", "b-2.x:p", "b-3.x:c", "b.x:b"));
}

TEST(OutputSeries, replaces_files_of_earlier_runs_on_request_and_never_its_own) {
  const test::TemporaryFolder folder;
  folder.file("a-0000", std::string(10, 'o'));
  folder.file("a-0000-2", std::string(10, 'p'));
  {
    Writer writer({.path = folder / "a-%M%S", .overwrite = true});
    writer.put('a', 0);
    writer.put('b', 0, 1);
  }
  EXPECT_THAT(files_in(folder / ""), ElementsAre("a-0000-2:b", "a-0000:a"));
}

TEST(OutputSeries, creates_no_file_without_frames) {
  const test::TemporaryFolder folder;
  { Writer writer({.path = folder / "a-%M%S"}); }
  EXPECT_THAT(files_in(folder / ""), IsEmpty());
}

}  // namespace files_output_test
}  // namespace takt::sensors
