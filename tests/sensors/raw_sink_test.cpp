/// Do raw files hold the frames' bytes and nothing else?

#include "sensors/raw_sink.hpp"

#include <cstring>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/sensors/lofar_support.hpp"

namespace takt::sensors {
namespace {

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
  RawSink sink({.path = folder / "raw"});
  write_frames(sink);
  EXPECT_EQ(test::read_file(folder / "raw"), "aaaaabbbbbccccc");
}

TEST(RawSink, headers_precede_their_frames_when_asked_for) {
  const test::TemporaryFolder folder;
  RawSink sink({.path = folder / "raw", .headers = true});
  write_frames(sink);
  const std::string bytes = test::read_file(folder / "raw");
  constexpr std::size_t record = sizeof(FrameHeader) + 5;
  ASSERT_EQ(bytes.size(), 3 * record);
  for (std::size_t k = 0; k < 3; ++k) {
    FrameHeader header;
    std::memcpy(&header, bytes.data() + k * record, sizeof header);
    EXPECT_EQ(header.sequence, k);
    EXPECT_EQ(bytes.substr(k * record + sizeof header, 5), std::string(5, static_cast<char>('a' + k)));
  }
}

TEST(RawSink, an_old_file_is_replaced) {
  const test::TemporaryFolder folder;
  RawSink sink({.path = folder.file("raw", std::string(1000, 'x'))});
  write_frames(sink);
  EXPECT_EQ(std::filesystem::file_size(folder / "raw"), 15u);
}

}  // namespace
}  // namespace takt::sensors
