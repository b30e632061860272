#include "core/system/text_file.hpp"

#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TextFiles : public ::testing::Test {
 protected:
  const test::TemporaryFolder folder_;
};

TEST_F(TextFiles, are_written_whole_and_read_back) {
  const std::string text = std::string("a\0b\r\n", 5);
  write_text_file(folder_ / "a", text);
  EXPECT_EQ(read_text_file(folder_ / "a"), text);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "."), {}), 1) << "nothing else is left behind";
}

TEST_F(TextFiles, that_cannot_be_read_or_written_report_the_reason) {
  EXPECT_THAT([&] { (void)read_text_file(folder_ / "none"); },
              ThrowsMessage<ConfigError>(HasSubstr("No such file or directory")));
  EXPECT_THAT([&] { (void)read_text_file(folder_ / "."); },
              ThrowsMessage<ConfigError>(HasSubstr("it is a directory")));
  EXPECT_THAT([&] { write_text_file(folder_ / "none" / "a", "x"); },
              ThrowsMessage<WorkError>(HasSubstr("No such file or directory")));
}

TEST_F(TextFiles, that_are_empty_are_read_as_empty_text) {
  write_text_file(folder_ / "a", "");
  EXPECT_EQ(read_text_file(folder_ / "a"), "");
}

/// For any part size: longer lines, ends of lines and of the file at a part's end, byte order marks.
TEST_F(TextFiles, are_read_in_parts_of_whole_lines) {
  for (const std::string_view text :
       {"", "a", "\n", "ab\n", "ab\ncd", "ab\r\ncd\r\n", "\n\n\nabcdefghijkl\nm", "\xef\xbb\xbf",
        "\xef\xbb\xbf"
        "ab\ncde\n",
        "\xef\xbb"}) {
    write_text_file(folder_ / "a", text);
    for (std::size_t size = 0; size <= text.size() + 1; ++size) {
      SCOPED_TRACE(fmt::format("'{}' by {}", text, size));
      TextParts parts(folder_ / "a", size);
      std::string told;
      for (std::string_view part = parts.next(); !part.empty(); part = parts.next()) {
        EXPECT_TRUE(told.empty() || told.back() == '\n') << "the line before has ended";
        told += part;
      }
      EXPECT_EQ(told, read_text_file(folder_ / "a"));
      EXPECT_EQ(parts.next(), "");
    }
  }
  write_text_file(folder_ / "wide", std::string_view("\xff\xfe"
                                                     "a\0",
                                                     4));
  EXPECT_THAT([&] { TextParts parts(folder_ / "wide", 1); }, ThrowsMessage<ConfigError>(HasSubstr("UTF-16")));
  EXPECT_THAT([&] { TextParts parts(folder_ / "."); },
              ThrowsMessage<ConfigError>(HasSubstr("it is a directory")));
}

TEST_F(TextFiles, replaced_through_a_link_stay_linked_and_keep_their_permissions) {
  write_text_file(folder_ / "a", "old");
  fs::permissions(folder_ / "a", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("a", folder_ / "link");
  write_text_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_text_file(folder_ / "a"), "new");
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(TextFiles, never_replace_a_pipe) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const int reader = ::open((folder_ / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  write_text_file(folder_ / "pipe", "text");
  std::string got(16, ' ');
  got.resize(static_cast<std::size_t>(::read(reader, got.data(), got.size())));
  ::close(reader);
  EXPECT_EQ(got, "text");
  EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
}

TEST_F(TextFiles, that_cannot_be_written_leave_nothing_behind) {
  fs::create_directory(folder_ / "folder");
  EXPECT_THAT([&] { write_text_file(folder_ / "folder", "x"); },
              ThrowsMessage<WorkError>(HasSubstr("it is a directory")));
  EXPECT_THAT([&] { write_text_file("/dev/full", "x"); },
              ThrowsMessage<WorkError>(HasSubstr("No space left on device")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "."), {}), 1);
}

TEST_F(TextFiles, are_known_to_be_unwritable_beforehand) {
  expect_writable("");
  expect_writable("/dev/null");
  expect_writable(folder_ / "new");
  EXPECT_THAT([&] { expect_writable(folder_ / "."); },
              ThrowsMessage<ConfigError>(HasSubstr("it is a directory")));
  EXPECT_THAT([&] { expect_writable(folder_ / "none" / "a"); },
              ThrowsMessage<ConfigError>(HasSubstr("No such file or directory")));
}

}  // namespace
}  // namespace takt
