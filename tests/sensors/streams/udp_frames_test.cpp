/// Frames over UDP in pieces: whole or not at all, in order, and every datagram counted once.

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "sensors/option_error.hpp"
#include "sensors/streams/fragments.hpp"
#include "sensors/streams/udp_sink.hpp"
#include "sensors/streams/wire_packets.hpp"
#include "sensors/transport/udp_source.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace streams_udp_frames_test {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

FrameType piecewise_type(std::size_t rows = 500) {
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", rows, {}}};
  type.rate_hz = 100;
  return type;
}

std::vector<float> piecewise_frame(std::uint64_t k, std::size_t rows = 500) {
  std::vector<float> values(rows);
  for (std::size_t i = 0; i < rows; ++i) values[i] = static_cast<float>(k * rows + i);
  return values;
}

TEST(UdpFrames, from_a_sink_to_a_source_are_equal_with_holes_and_the_end) {
  UdpOptions udp{.ports = {0}, .depth = 200};
  UdpSource source(udp, wire_packets({.type = piecewise_type(), .payload_bytes = 300, .source = 5}));
  source.start();
  UdpSink sink({.to = {"127.0.0.1", source.ports()[0]}, .payload_bytes = 300}, piecewise_type());
  sink.open();
  for (std::uint64_t k = 0; k < 100; ++k) {
    if (k == 40 || k == 41) continue;
    const std::vector<float> values = piecewise_frame(k);
    FrameHeader header{.sequence = k, .utc_ns = static_cast<std::int64_t>(k), .combined = 3, .epoch = 2};
    sink.write({&header, std::as_bytes(std::span(values))});
  }
  sink.close();
  // The sender's end message ends it.
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 98U);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const std::uint64_t k = i < 40 ? i : i + 2;
    EXPECT_EQ(frames[i].header.sequence, k);
    EXPECT_EQ(frames[i].header.utc_ns, static_cast<std::int64_t>(k));
    EXPECT_EQ(frames[i].header.epoch, 2U);
    EXPECT_EQ(frames[i].header.source, 5U) << "the receiver's own number";
    const std::vector<float> values = piecewise_frame(k);
    EXPECT_EQ(std::memcmp(frames[i].bytes.data(), values.data(), 2000), 0);
  }
  const SourceCounters counters = source.counters();
  EXPECT_EQ(counters.lost, 2U);
  EXPECT_EQ(test::value_of(counters.details, "messages_incomplete"), 0U);
  // 2000 bytes and their header, in pieces of 300.
  EXPECT_EQ(test::value_of(sink.counters(), "datagrams_sent"), 98U * 7 + 3);
}

/// Datagrams of messages 0 to n - 1, each filled with its number.
std::vector<std::vector<test::Bytes>> made_datagrams(std::size_t messages, std::size_t bytes,
                                                     std::size_t piece, std::uint32_t stream) {
  std::vector<std::vector<test::Bytes>> all(messages);
  for (std::size_t k = 0; k < messages; ++k) {
    const test::Bytes message(bytes, static_cast<std::byte>(k));
    FragmentHead head{stream, k, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(piece), 0};
    for (std::size_t begin = 0; begin < bytes; begin += piece, ++head.piece) {
      test::Bytes datagram;
      make_fragment(head, message, datagram);
      all[k].push_back(datagram);
    }
  }
  return all;
}

TEST(Fragments, form_whole_messages_in_order_and_count_every_datagram_once) {
  // Property: pieces are lost, duplicated, delayed by up to two messages, with foreign and damaged ones
  // between them. The expected output is computed from the numbers of the arrived pieces alone.
  std::mt19937 random(21);
  for (int round = 0; round < 60; ++round) {
    constexpr std::size_t window = 4, messages = 100, bytes = 1000;
    const auto sent = made_datagrams(messages, bytes, 128, 7);
    struct Arrival {
      std::size_t place;
      test::Bytes bytes;
      std::size_t message;
    };
    std::vector<Arrival> arrivals;
    std::vector<std::set<std::size_t>> came(messages);
    std::size_t duplicates = 0, foreign = 0;
    for (std::size_t k = 0; k < messages; ++k)
      for (std::size_t p = 0; p < 8; ++p) {
        // The first message is complete, so that both agree on the beginning of the stream.
        if (k > 0 && random() % 60 == 0) continue;
        const std::size_t place = k == 0 ? p : (k * 8 + p) + random() % 16;
        arrivals.push_back({place, sent[k][p], k});
        came[k].insert(p);
        if (k > 0 && random() % 40 == 0) arrivals.push_back({place, sent[k][p], k}), ++duplicates;
        if (k > 0 && random() % 50 == 0)
          arrivals.push_back({place, made_datagrams(1, 1000, 128, 9)[0][0], 0}), ++foreign;
      }
    std::ranges::stable_sort(arrivals, {}, &Arrival::place);
    std::vector<std::size_t> delivered;
    FragmentJoiner joiner(bytes, window, [&](std::span<const std::byte> message) {
      ASSERT_EQ(message.size(), bytes);
      ASSERT_TRUE(std::ranges::all_of(message, [&](std::byte b) { return b == message[0]; }));
      delivered.push_back(std::to_integer<std::size_t>(message[0]));
    });
    for (const Arrival& arrival : arrivals) (void)joiner.take(arrival.bytes, 1);
    joiner.finish();
    std::vector<std::size_t> expected;
    std::size_t missing = 0, incomplete = 0;
    for (std::size_t k = 0; k < messages; ++k) {
      if (came[k].size() == 8)
        expected.push_back(k);
      else if (!came[k].empty())
        ++incomplete, missing += 8 - came[k].size();
    }
    // Delays of two messages are within the window of four.
    ASSERT_EQ(delivered, expected);
    const auto counters = joiner.counters();
    EXPECT_EQ(test::value_of(counters, "messages_incomplete"), incomplete);
    EXPECT_EQ(test::value_of(counters, "pieces_missing"), missing);
    EXPECT_EQ(test::value_of(counters, "refused_stream"), foreign);
    EXPECT_EQ(test::value_of(counters, "pieces_duplicate") + test::value_of(counters, "pieces_late"),
              duplicates);
    std::uint64_t all = 0;
    for (const Counter& counter : counters)
      if (counter.name != "messages_incomplete" && counter.name != "pieces_missing") all += counter.value;
    EXPECT_EQ(all, arrivals.size());
  }
}

TEST(Fragments, another_sender_replaces_a_silent_one_at_a_whole_message) {
  std::vector<int> delivered;
  FragmentJoiner joiner(1000, 4, [&](std::span<const std::byte> message) {
    delivered.push_back(std::to_integer<int>(message[0]));
  });
  constexpr std::int64_t second = 1'000'000'000;
  const auto first = made_datagrams(3, 1000, 400, 1), other = made_datagrams(12, 1000, 400, 2);
  // The beginning of this message was not received.
  EXPECT_FALSE(joiner.take(first[1][1], 0));
  for (const auto& datagram : first[2]) EXPECT_TRUE(joiner.take(datagram, 0));
  EXPECT_FALSE(joiner.take(other[10][0], second / 2));
  EXPECT_FALSE(joiner.take(other[11][1], 2 * second));
  for (const auto& datagram : other[11]) (void)joiner.take(datagram, 2 * second);
  EXPECT_THAT(delivered, testing::ElementsAre(2, 11));
  EXPECT_EQ(test::value_of(joiner.counters(), "pieces_early"), 2U);
  EXPECT_EQ(test::value_of(joiner.counters(), "refused_stream"), 1U);
}

TEST(Fragments, one_distant_number_is_ignored_and_many_agreeing_ones_move_the_stream) {
  std::vector<int> delivered;
  FragmentJoiner joiner(1000, 4, [&](std::span<const std::byte> message) {
    delivered.push_back(std::to_integer<int>(message[0]));
  });
  const auto sent = made_datagrams(250, 1000, 100, 1);
  const auto send = [&](std::size_t from, std::size_t to) {
    for (std::size_t k = from; k < to; ++k)
      for (const auto& datagram : sent[k]) (void)joiner.take(datagram, 0);
  };
  send(0, 3);
  test::Bytes forged = sent[3][0];
  forged[14] = std::byte{0xFF};
  (void)joiner.take(forged, 0);
  send(3, 6);
  EXPECT_THAT(delivered, testing::ElementsAre(0, 1, 2, 3, 4, 5));
  // An outage of 200 messages: eight pieces are rejected, and their message is lost.
  send(206, 211);
  EXPECT_THAT(std::vector(delivered.begin() + 6, delivered.end()), testing::ElementsAre(207, 208, 209, 210));
  EXPECT_EQ(test::value_of(joiner.counters(), "pieces_implausible"), 1U + 7);
  EXPECT_EQ(test::value_of(joiner.counters(), "messages_incomplete"), 1U);
}

TEST(Fragments, rejected_messages_are_lost_when_the_stream_moves_to_them) {
  std::size_t delivered = 0;
  std::uint64_t lost = 0;
  FragmentJoiner joiner(
      1000, 4, [&](std::span<const std::byte>) { ++delivered; },
      [&](std::uint64_t messages) { lost += messages; });
  const auto sent = made_datagrams(30, 1000, 1000, 1);
  test::Bytes forged = sent[0][0];
  forged[14] = std::byte{0xFF};
  EXPECT_TRUE(joiner.take(forged, 0));
  for (const auto& message : sent) (void)joiner.take(message[0], 0);
  joiner.finish();
  EXPECT_EQ(delivered, 1U + 30 - 7);
  EXPECT_EQ(lost, 7U);
  EXPECT_EQ(test::value_of(joiner.counters(), "pieces_implausible"), 7U);
}

TEST(Fragments, hostile_datagrams_allocate_no_memory_and_are_counted_once) {
  std::mt19937 random(2);
  const auto good = made_datagrams(2, 1000, 400, 1);
  std::size_t delivered = 0, count = 0;
  FragmentJoiner joiner(1000, 4, [&](std::span<const std::byte>) { ++delivered; });
  for (int i = 0; i < 50'000; ++i) {
    test::Bytes bad = good[1][random() % 3];
    // Any field of the head but the mark: lengths of gigabytes, pieces beyond the end, numbers far ahead.
    for (std::size_t n = random() % 6; n > 0; --n) bad[4 + random() % 28] = static_cast<std::byte>(random());
    if (random() % 4 == 0) bad.resize(random() % bad.size());
    (void)joiner.take(bad, i);
    ++count;
  }
  joiner.finish();
  std::uint64_t all = 0;
  for (const Counter& counter : joiner.counters())
    if (counter.name != "messages_incomplete" && counter.name != "pieces_missing") all += counter.value;
  EXPECT_EQ(all, count);
}

TEST(UdpFrames, of_another_type_cause_a_warning_only) {
  const PacketFormat packets = wire_packets({.type = piecewise_type(), .payload_bytes = 300});
  FrameQueue queue(4, packets.type.size());
  const auto builder = packets.make_builder(queue);
  const WireEncoder encoder(piecewise_type(400));
  const std::vector<float> values = piecewise_frame(0, 400);
  const FrameHeader header;
  std::vector<std::byte> message, datagram;
  encoder.encode({&header, std::as_bytes(std::span(values))}, message);
  make_fragment({1, 0, static_cast<std::uint32_t>(message.size()), 300, 0}, message, datagram);
  EXPECT_FALSE(builder->take(0, datagram, 0));
  EXPECT_EQ(test::value_of(builder->counters().details, "refused_type"), 1U);
  EXPECT_THAT(builder->warnings({"port 5"}),
              testing::ElementsAre(
                  "frames of another type than float32[time=500] arrived on port 5 (counter refused_type)"));
  EXPECT_THAT([] { (void)wire_packets({.type = piecewise_type(), .payload_bytes = 70'000}); },
              ThrowsMessage<OptionError>(HasSubstr("a payload of 70000 bytes is not valid")));
}

}  // namespace streams_udp_frames_test
}  // namespace takt::sensors
