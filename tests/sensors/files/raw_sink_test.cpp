/// Tests that raw files hold exactly the frames' bytes.

#include "sensors/files/raw_sink.hpp"

#include <cstring>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

FrameType five_bytes() {
  FrameType type;
  type.axes = {{"time", 5, {}}};
  return type;
}

void write_frames(Sink& sink) {
  sink.open();
  for (std::uint64_t sequence = 0; sequence < 3; ++sequence) {
    FrameHeader header;
    header.sequence = sequence;
    const test::Bytes bytes(5, static_cast<std::byte>('a' + sequence));
    sink.write({&header, bytes});
  }
  sink.close();
}

TEST(RawSink, frames_follow_one_another) {
  const test::TemporaryFolder folder;
  RawSink sink({.output = {.path = folder / "raw"}}, five_bytes());
  write_frames(sink);
  EXPECT_EQ(test::read_file(folder / "raw"), "aaaaabbbbbccccc");
}

TEST(RawSink, flags_are_written_on_request_only) {
  const test::TemporaryFolder folder;
  FrameType type = five_bytes();
  type.parts = {5};
  RawSink plain({.output = {.path = folder / "plain"}}, type);
  RawSink flagged({.output = {.path = folder / "flagged"}, .part_flags = true}, type);
  const FrameHeader header;
  const std::string bytes("abcde\0\1\0\0\1", 10);
  for (Sink* sink : {static_cast<Sink*>(&plain), static_cast<Sink*>(&flagged)}) {
    sink->open();
    sink->write({&header, std::as_bytes(std::span(bytes))});
    sink->close();
  }
  EXPECT_EQ(test::read_file(folder / "plain"), "abcde");
  EXPECT_EQ(test::read_file(folder / "flagged"), bytes);
}

TEST(RawSink, headers_precede_their_frames_on_request) {
  const test::TemporaryFolder folder;
  RawSink sink({.output = {.path = folder / "raw"}, .headers = true}, five_bytes());
  write_frames(sink);
  const std::string bytes = test::read_file(folder / "raw");
  constexpr std::size_t record = written_header_bytes + 5;
  ASSERT_EQ(bytes.size(), 3 * record);
  for (std::size_t k = 0; k < 3; ++k) {
    FrameHeader header;
    std::memcpy(static_cast<void*>(&header), bytes.data() + k * record, written_header_bytes);
    EXPECT_EQ(header.sequence, k);
    EXPECT_EQ(bytes.substr(k * record + written_header_bytes, 5), std::string(5, static_cast<char>('a' + k)));
  }
}

TEST(RawSink, an_old_file_is_kept_and_the_run_refused) {
  const test::TemporaryFolder folder;
  RawSink sink({.output = {.path = folder.file("raw", std::string(1000, 'x'))}}, five_bytes());
  EXPECT_THAT([&] { sink.open(); }, ThrowsMessage<ConfigError>(HasSubstr("the file exists (1000 B)")));
  EXPECT_EQ(test::read_file(folder / "raw"), std::string(1000, 'x'));
}

TEST(RawSink, an_old_file_is_replaced_on_request) {
  const test::TemporaryFolder folder;
  RawSink sink({.output = {.path = folder.file("raw", std::string(1000, 'x')), .overwrite = true}},
               five_bytes());
  write_frames(sink);
  EXPECT_EQ(std::filesystem::file_size(folder / "raw"), 15u);
}

TEST(RawSink, an_old_file_stays_until_the_first_frame) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.file("raw", "yesterday");
  RawSink sink({.output = {.path = path, .overwrite = true}}, five_bytes());
  sink.open();
  sink.close();
  EXPECT_EQ(test::read_file(path), "yesterday");
}

TEST(RawSink, a_run_without_frames_makes_no_file) {
  const test::TemporaryFolder folder;
  RawSink sink({.output = {.path = folder / "raw"}}, five_bytes());
  sink.open();
  sink.close();
  EXPECT_FALSE(std::filesystem::exists(folder / "raw"));
}

TEST(RawSink, unwritable_paths_are_detected_before_the_first_frame) {
  const test::TemporaryFolder folder;
  RawSink nowhere({.output = {.path = folder / "no/raw"}}, five_bytes()),
      is_a_folder({.output = {.path = folder / ""}}, five_bytes());
  EXPECT_THAT([&] { nowhere.open(); }, ThrowsMessage<WorkError>(HasSubstr("No such file or directory")));
  EXPECT_THAT([&] { is_a_folder.open(); }, ThrowsMessage<WorkError>(HasSubstr("Is a directory")));
}

TEST(RawSink, a_named_pipe_receives_the_frames_like_a_file) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = test::read_file(path); });
  RawSink sink({.output = {.path = path}}, five_bytes());
  write_frames(sink);
  reader.join();
  EXPECT_EQ(read, "aaaaabbbbbccccc");
}

TEST(RawSink, a_closed_pipe_is_an_error_with_the_path) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  RawSink sink({.output = {.path = path}}, five_bytes());
  sink.open();
  ::close(reader);
  const FrameHeader header;
  const test::Bytes bytes(5);
  EXPECT_THAT(
      [&] {
        sink.write({&header, bytes});
      },
      ThrowsMessage<WorkError>(HasSubstr("pipe: the output cannot be written: Broken pipe")));
}

}  // namespace
}  // namespace takt::sensors
