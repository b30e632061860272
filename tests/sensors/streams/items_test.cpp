/// GNU Radio's items: tags are read within bounds, and pieces of any length form the stream's frames.

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "sensors/streams/gnuradio_tags.hpp"
#include "sensors/streams/item_framer.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace streams_items_test {

TEST(GnuradioTags, any_bytes_are_read_within_their_bounds) {
  std::mt19937 random(2);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> bytes = make_gnuradio_header(7);
    bytes[11] = static_cast<std::byte>(1 + random() % 3);
    for (std::size_t n = random() % 60; n > 0; --n) bytes.push_back(static_cast<std::byte>(random() % 13));
    const auto header = read_gnuradio_header(bytes);
    EXPECT_LE(header ? header->bytes : 0, bytes.size());
  }
}

TEST(ItemFramer, yields_the_frames_of_the_stream_for_pieces_of_any_length) {
  // Integers: flags for missing samples follow the elements.
  std::mt19937 random(3);
  FrameType type;
  type.element = ElementType::int16;
  type.axes = {{"beamlet", 1, {}}, {"time", 10, {}}, {"polarisation", 2, {}}};
  type = with_sample_flags(type);
  EXPECT_EQ(type.parts, (std::vector<std::size_t>{1, 10}));
  for (int round = 0; round < 50; ++round) {
    FrameQueue queue(300, type.size());
    ItemFramer framer(type, 0, queue);
    std::vector<bool> is_there(2000);
    for (std::uint64_t at = 0; at < 2000;) {
      const std::uint64_t count = std::min<std::uint64_t>(1 + random() % 70, 2000 - at);
      if (random() % 5 != 0 || at == 0) {
        std::vector<std::int16_t> values;
        for (std::uint64_t i = 0; i < 2 * count; ++i) values.push_back(static_cast<std::int16_t>(2 * at + i));
        framer.take(at, std::as_bytes(std::span(values)), 0);
        std::fill_n(is_there.begin() + static_cast<std::ptrdiff_t>(at), count, true);
      }
      at += count;
    }
    framer.finish(0);
    std::set<std::uint64_t> seen;
    for (const test::KeptFrame& frame : test::take_all(queue)) {
      seen.insert(frame.header.sequence);
      std::size_t missing = 0;
      for (std::size_t row = 0; row < 10; ++row) {
        const std::size_t sample = frame.header.sequence * 10 + row;
        const bool is_flagged = frame.bytes[40 + row] != std::byte{0};
        missing += is_flagged;
        ASSERT_EQ(is_flagged, !is_there[sample]);
        std::int16_t value = 0;
        std::memcpy(&value, frame.bytes.data() + row * 4 + 2, sizeof value);
        ASSERT_EQ(value, is_flagged ? 0 : static_cast<std::int16_t>(2 * sample + 1));
      }
      EXPECT_EQ(frame.header.missing_parts, missing);
    }
    for (std::size_t k = 0; k < 200; ++k)
      for (std::size_t row = 0; row < 10; ++row) ASSERT_FALSE(!seen.contains(k) && is_there[k * 10 + row]);
  }
}

}  // namespace streams_items_test
}  // namespace takt::sensors
