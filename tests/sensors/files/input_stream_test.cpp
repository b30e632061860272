/// Tests the contents of compressed files, and the errors of damaged ones.

#include "sensors/files/input_stream.hpp"

#include <random>
#include <string>

#include <gmock/gmock.h>
#include <zlib.h>
#include <zstd.h>

#include "core/error.hpp"
#include "tests/support/compressed.hpp"
#include "tests/support/program.hpp"

namespace takt::sensors {
namespace files_input_stream_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Moderately compressible words, more than a decoder's buffer holds.
std::string some_text() {
  std::mt19937 random(3);
  std::string text;
  while (text.size() < 700'000) text += "sample " + std::to_string(random() % 1000) + ' ';
  return text;
}

std::string read_all(InputStream& stream) {
  std::string text(1 << 20, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

TEST(InputStream, decompresses_one_or_several_streams) {
  const test::TemporaryFolder folder;
  const std::string text = some_text();
  using namespace std::string_literals;
  const std::string first = text.substr(0, 300'001), second = text.substr(300'001);
  for (const std::string& bytes : {test::gzipped(text), test::gzipped(first) + test::gzipped(second),
                                   test::gzipped(text) + std::string(512, '\0'), test::zstd_compressed(text),
                                   test::zstd_compressed(first) + test::zstd_compressed(second),
                                   // pzstd writes a frame without content before each other frame.
                                   "\x50\x2a\x4d\x18\x04\x00\x00\x00size"s + test::zstd_compressed(text)}) {
    InputStream stream(folder.file("a", bytes));
    EXPECT_TRUE(stream.is_compressed());
    EXPECT_FALSE(stream.size());
    EXPECT_EQ(read_all(stream), text);
    EXPECT_EQ(stream.fault(), "");
  }
  InputStream plain(folder.file("plain", text));
  EXPECT_EQ(plain.size(), text.size());
  EXPECT_EQ(read_all(plain), text);
}

TEST(InputStream, seeks_to_any_position_of_a_compressed_stream) {
  const test::TemporaryFolder folder;
  const std::string text = some_text();
  for (const std::string& bytes : {test::gzipped(text), test::zstd_compressed(text)}) {
    InputStream stream(folder.file("a", bytes));
    for (const std::size_t at :
         {std::size_t{650'000}, std::size_t{0}, std::size_t{262'144}, std::size_t{5}, text.size()}) {
      stream.clear();
      stream.seekg(static_cast<std::streamoff>(at));
      EXPECT_EQ(static_cast<std::size_t>(stream.tellg()), at);
      std::string piece(1000, '\0');
      stream.read(piece.data(), 1000);
      piece.resize(static_cast<std::size_t>(stream.gcount()));
      EXPECT_EQ(piece, text.substr(at, 1000)) << at;
    }
  }
}

TEST(InputStream, reports_truncated_damaged_and_trailing_data) {
  const test::TemporaryFolder folder;
  const std::string text = some_text();
  for (const std::string& bytes : {test::gzipped(text), test::zstd_compressed(text)}) {
    InputStream cut(folder.file("cut", bytes.substr(0, bytes.size() / 2)));
    const std::string read = read_all(cut);
    EXPECT_GT(read.size(), text.size() / 10);
    EXPECT_TRUE(text.starts_with(read));
    EXPECT_THAT(cut.fault(), HasSubstr("stream is cut short at byte " + std::to_string(bytes.size() / 2)));
    InputStream tail(folder.file("tail", bytes + "tail"));
    EXPECT_EQ(read_all(tail), text);
    EXPECT_THAT(tail.fault(), HasSubstr("is followed by other data"));
  }
  std::string wrong = test::gzipped(text);
  wrong[wrong.size() - 6] = static_cast<char>(wrong[wrong.size() - 6] + 1);
  InputStream damaged(folder.file("damaged", wrong));
  (void)read_all(damaged);
  EXPECT_THAT(damaged.fault(), HasSubstr("the gzip stream is damaged (incorrect data check)"));
}

TEST(InputStream, without_any_data_is_refused_with_the_reason) {
  const test::TemporaryFolder folder;
  const auto refusal = [&](const std::string& bytes) -> std::string {
    InputStream stream(folder.file("a", bytes));
    try {
      stream.require_data();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(refusal(test::gzipped("")), HasSubstr("a: the compressed stream has no data"));
  EXPECT_THAT(refusal(test::gzipped("text").substr(0, 8)),
              HasSubstr("the gzip stream is cut short at byte 8: no data before it"));
  std::string damaged = test::zstd_compressed(some_text());
  damaged.resize(100);
  EXPECT_THAT(refusal(damaged), HasSubstr("the zstd stream is cut short at byte 100: no data before it"));
  EXPECT_EQ(refusal(test::gzipped("text")), "");
  EXPECT_EQ(refusal(""), "");
  EXPECT_EQ(stream_fault(folder.file("a", damaged)), "the zstd stream is cut short at byte 100");
  EXPECT_EQ(stream_fault(folder.file("a", "plain")), "");
}

TEST(InputStream, refuses_other_compressions_and_unreadable_files) {
  const test::TemporaryFolder folder;
  using namespace std::string_literals;
  EXPECT_THAT([&] { InputStream(folder.file("a.xz", "\xFD\x37zXZ\0........."s)); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("compressed with xz: expected plain, gzip or zstd: decompress it (xz -d a.xz)")));
  EXPECT_THAT([&] { InputStream(folder.file("a.bz2", "BZh91AY&SY......")); },
              ThrowsMessage<ConfigError>(HasSubstr("compressed with bzip2")));
  EXPECT_THAT([&] { InputStream(folder / "none"); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot read the file")));
  const std::string raw = "\x1f\x8b\x08\0...."s;
  InputStream as_it_is(folder.file("raw", raw), Compression::none);
  EXPECT_EQ(read_all(as_it_is), raw);
}

TEST(InputStream, damaged_streams_end_or_are_named_and_nothing_else) {
  const test::TemporaryFolder folder;
  const std::string text = some_text().substr(0, 4000);
  std::mt19937 random(1);
  for (const std::string& bytes : {test::gzipped(text), test::zstd_compressed(text)})
    for (int i = 0; i < 300; ++i) {
      std::string bad = bytes;
      for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<char>(random());
      if (i % 3 == 0) bad.resize(random() % bad.size());
      try {
        InputStream stream(folder.file("a", bad));
        const std::string read = read_all(stream);
        if (stream.is_compressed() && read != text) {
          EXPECT_NE(stream.fault(), "") << i;
        }
      } catch (const ConfigError&) {
      }
    }
}

}  // namespace files_input_stream_test
}  // namespace takt::sensors
