/// Tests that the samples of heaps with descriptors are received, for any packet layout.

#include "sensors/spead/regrouping.hpp"

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include <gmock/gmock.h>

#include "sensors/spead/builder.hpp"
#include "sensors/spead/descriptor.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace spead_regrouping_test {

constexpr SpeadFlavour flavour = SpeadFlavour::spead_64_48;
constexpr std::uint32_t samples_item = 0x1100, time_item = 0x1600, other_item = 0x1200;
constexpr std::uint64_t heap_ticks = 1000, heaps = 12;

TEST(ByteRanges, cover_ranges_added_in_any_order) {
  std::minstd_rand random(7);
  for (int round = 0; round < 200; ++round) {
    ByteRanges ranges;
    std::vector<bool> there(64);
    for (int i = 0; i < 12; ++i) {
      const std::uint64_t begin = random() % 60, end = begin + 1 + random() % 4;
      ASSERT_TRUE(ranges.add(begin, end));
      std::fill(there.begin() + static_cast<std::ptrdiff_t>(begin),
                there.begin() + static_cast<std::ptrdiff_t>(end), true);
      for (std::uint64_t from = 0; from < 64; ++from)
        for (std::uint64_t to = from + 1; to <= 64; ++to)
          ASSERT_EQ(ranges.covers(from, to),
                    std::find(there.begin() + static_cast<std::ptrdiff_t>(from),
                              there.begin() + static_cast<std::ptrdiff_t>(to),
                              false) == there.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
}

/// 600 floats per heap, with an immediate time in each heap's first packet.
SpeadFormat format() {
  SpeadFormat format;
  format.flavour = flavour;
  format.frame.axes = {{"time", 600, {}}};
  format.frame.rate_hz = 100;
  format.item = samples_item;
  format.payload_bytes = 512;
  format.first_payload_bytes = 496;
  format.timestamp = time_item;
  format.heap_ticks = heap_ticks;
  format.ticks_per_second = 100 * heap_ticks;
  return format;
}

float sample(std::uint64_t heap, std::size_t i) {
  return static_cast<float>(heap * 1000 + i);
}

test::Bytes samples_of(std::uint64_t heap) {
  test::Bytes bytes(600 * sizeof(float));
  for (std::size_t i = 0; i < 600; ++i) {
    const float value = sample(heap, i);
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  }
  return bytes;
}

/// As spead2 sends them: all pointers are in the first packet, which therefore has less payload; the others
/// are full. Other items are placed before and after the samples.
std::vector<test::Bytes> packets_of(std::uint64_t heap, const std::vector<test::Bytes>& before,
                                    const std::vector<test::Bytes>& behind, std::uint32_t next_item) {
  std::vector<SpeadPointer> items;
  test::Bytes payload;
  const auto add = [&](std::uint32_t id, const test::Bytes& bytes) {
    items.push_back({false, id, payload.size()});
    payload.insert(payload.end(), bytes.begin(), bytes.end());
  };
  for (const test::Bytes& bytes : before) add(next_item, bytes);
  items.push_back({true, time_item, (heap + 5) * heap_ticks});
  add(samples_item, samples_of(heap));
  for (const test::Bytes& bytes : behind) add(next_item, bytes);
  std::vector<test::Bytes> packets;
  for (std::size_t at = 0; at < payload.size();) {
    // A packet without further pointers has 512 bytes; each pointer takes eight.
    const std::size_t pointers = at == 0 ? items.size() : 0;
    const std::size_t bytes = std::min<std::size_t>(512 - 8 * pointers, payload.size() - at);
    std::vector<SpeadPointer> all{
        {true, 1, heap + 1}, {true, 2, payload.size()}, {true, 3, at}, {true, 4, bytes}};
    if (at == 0) all.insert(all.end(), items.begin(), items.end());
    encode_spead(flavour, all, std::span(payload).subspan(at, bytes), packets.emplace_back());
    at += bytes;
  }
  return packets;
}

std::vector<test::Bytes> descriptors() {
  const auto of = [](std::uint32_t id, const char* name, char kind, unsigned bits,
                     std::vector<std::uint64_t> shape) {
    return encode_descriptor({.id = id,
                              .name = name,
                              .description = std::string(300, 'x'),
                              .shape = shape,
                              .kind = kind,
                              .bits = bits,
                              .is_big_endian = false},
                             flavour);
  };
  return {of(samples_item, "samples", 'f', 32, {600}), of(time_item, "timestamp", 'u', 48, {})};
}

struct Received {
  std::vector<test::KeptFrame> frames;
  SourceCounters counters;
  std::vector<std::string> warnings;
  [[nodiscard]] std::uint64_t value(const char* name) const { return test::value_of(counters.details, name); }
};

Received receive(const SpeadFormat& format, const std::vector<test::Bytes>& packets) {
  const PacketFormat made = spead_packets(format, {.window = 64}, 0);
  FrameQueue queue(100, made.type.size());
  const auto builder = made.make_builder(queue);
  for (const test::Bytes& packet : packets) builder->take(0, packet, 1);
  builder->finish(1);
  return {test::take_all(queue), builder->counters(), builder->warnings({})};
}

/// Returns the number of samples in the frame; none has a wrong value.
std::size_t right_samples(const test::KeptFrame& frame, std::uint64_t heap) {
  std::size_t right = 0;
  const auto* const numbers = reinterpret_cast<const float*>(frame.bytes.data());
  for (std::size_t i = 0; i < 600; ++i) {
    if (std::isnan(numbers[i])) continue;
    EXPECT_EQ(numbers[i], sample(heap, i)) << "heap " << heap << ", sample " << i;
    ++right;
  }
  return right;
}

std::vector<test::Bytes> stream(const std::vector<test::Bytes>& first) {
  std::vector<test::Bytes> packets = first;
  for (std::uint64_t heap = 1; heap < heaps; ++heap)
    for (test::Bytes& packet : packets_of(heap, {}, {}, 0)) packets.push_back(std::move(packet));
  return packets;
}

TEST(SpeadRegrouping, a_first_heap_with_descriptors_and_samples_is_received) {
  SpeadFormat by_name = format();
  by_name.item = by_name.timestamp = 0;
  by_name.item_name = "samples";
  by_name.timestamp_name = "timestamp";
  SpeadFormat unnamed = format();
  unnamed.item = 0;
  std::minstd_rand random(3);
  for (const SpeadFormat& expected : {format(), by_name, unnamed})
    for (const bool are_in_front : {true, false})
      for (const bool is_shuffled : {false, true}) {
        std::vector<test::Bytes> first =
            packets_of(0, are_in_front ? descriptors() : std::vector<test::Bytes>{},
                       are_in_front ? std::vector<test::Bytes>{} : descriptors(), 5);
        ASSERT_GT(first.size(), 5u);
        if (is_shuffled) std::shuffle(first.begin(), first.end(), random);
        const Received received = receive(expected, stream(first));
        ASSERT_EQ(received.frames.size(), heaps);
        for (std::uint64_t heap = 0; heap < heaps; ++heap) {
          EXPECT_EQ(right_samples(received.frames[heap], heap), 600u);
          EXPECT_EQ(received.frames[heap].header.missing_parts, 0u);
          EXPECT_EQ(received.frames[heap].header.utc_ns, static_cast<std::int64_t>(heap + 5) * 10'000'000);
        }
        EXPECT_EQ(received.value("packets_regrouped"), first.size());
        EXPECT_EQ(received.value("parts_regrouped"), 5u);
        EXPECT_EQ(received.value("packets_received"), heaps * 5);
        EXPECT_EQ(received.value("packets_aside"), 0u);
        EXPECT_EQ(received.value("packets_lost"), 0u);
        EXPECT_EQ(received.value("descriptors"), 2u);
        EXPECT_THAT(received.warnings, testing::IsEmpty());
      }
}

TEST(SpeadRegrouping, a_lost_packet_costs_the_pieces_that_it_overlaps) {
  const std::vector<test::Bytes> first = packets_of(0, descriptors(), {}, 5);
  std::size_t without_beginning = 0;
  for (std::size_t lost = 1; lost < first.size(); ++lost) {
    std::vector<test::Bytes> some = first;
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(lost));
    const Received received = receive(format(), stream(some));
    if (received.value("packets_early") > 0) {
      // Without its first piece it is a heap within which the stream was joined.
      ++without_beginning;
      ASSERT_EQ(received.frames.size(), heaps - 1);
      EXPECT_EQ(received.value("packets_early"), received.value("parts_regrouped"));
      EXPECT_GE(received.value("parts_regrouped"), 3u);
      EXPECT_EQ(received.value("packets_lost"), 0u);
      EXPECT_EQ(right_samples(received.frames[0], 1), 600u);
      continue;
    }
    ASSERT_EQ(received.frames.size(), heaps);
    // A packet of 512 bytes overlaps at most two pieces, of at most 128 samples.
    EXPECT_GE(right_samples(received.frames[0], 0), 600u - 256u);
    EXPECT_EQ(received.frames[0].header.missing_parts, received.value("packets_lost"));
    EXPECT_EQ(received.value("parts_regrouped") + received.value("packets_lost"), 5u);
    EXPECT_EQ(right_samples(received.frames[1], 1), 600u);
  }
  // The first piece extends over at most two packets.
  EXPECT_GE(without_beginning, 1u);
  EXPECT_LE(without_beginning, 2u);
}

TEST(SpeadRegrouping, heaps_without_such_samples_are_skipped) {
  // Descriptors only; samples of another length; two ambiguous items.
  SpeadFormat unnamed = format();
  unnamed.item = 0;
  std::vector<test::Bytes> other = packets_of(0, {samples_of(3)}, {}, other_item);
  EXPECT_EQ(receive(unnamed, stream(other)).value("packets_aside"), other.size());
  EXPECT_EQ(receive(format(), stream(other)).value("packets_aside"), 0u);
  SpeadFormat longer = format();
  longer.frame.axes = {{"time", 700, {}}};
  const Received none = receive(longer, stream(other));
  EXPECT_EQ(none.value("packets_received"), 0u);
  EXPECT_EQ(none.value("packets_aside"), stream(other).size());
}

TEST(SpeadRegrouping, hostile_packets_access_no_foreign_memory) {
  const std::vector<test::Bytes> first = packets_of(0, descriptors(), {}, 5);
  std::minstd_rand random(11);
  const SpeadFormat expected = format();
  const PacketFormat made = spead_packets(expected, {.window = 64}, 0);
  FrameQueue queue(4, made.type.size());
  const auto builder = made.make_builder(queue);
  for (int i = 0; i < 30'000; ++i) {
    test::Bytes packet = first[random() % first.size()];
    // In the header and the pointers, which contain lengths and offsets.
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes)
      packet[random() % std::min<std::size_t>(packet.size(), 96)] = static_cast<std::byte>(random());
    builder->take(0, packet, 1);
    while (queue.front()) {
      queue.take();
      queue.pop();
    }
  }
  builder->finish(1);
}

}  // namespace spead_regrouping_test
}  // namespace takt::sensors
