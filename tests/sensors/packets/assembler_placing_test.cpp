/// Tests that direct placement of payloads yields the same frames and counts, for any network
/// behaviour.

#include <algorithm>
#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/lofar/assembler.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace packets_assembler_placing_test {

constexpr std::uint64_t first_block = 323528554687526;

struct Datagram {
  std::size_t lane;
  test::Bytes bytes;
};

/// Returns two lanes of a station after a network that loses, duplicates, delays and damages packets; the
/// station's clock jumps once.
std::vector<Datagram> delivered(const LofarFormat& format, std::mt19937_64& random, double faults) {
  std::vector<Datagram> datagrams;
  const auto happens = [&](double share) { return std::bernoulli_distribution(share * faults)(random); };
  for (std::uint64_t number = 0; number < 1500; ++number)
    for (std::size_t lane = 0; lane < format.lanes; ++lane) {
      if (happens(0.1)) continue;
      const std::uint64_t jump = number < 900 ? 0 : 50'000'000;
      const std::uint64_t astray = happens(0.02) ? random() % 100'000 * 16 + random() % 2 : 0;
      test::Bytes bytes = test::make_packet(format, lane, first_block + (number + jump) * 16 + astray,
                                            test::payload_of(format.payload_bytes(), lane, number));
      if (happens(0.03)) bytes.resize(random() % (bytes.size() + 1));
      if (happens(0.03)) bytes.push_back(std::byte{1});
      if (happens(0.1)) datagrams.push_back({lane, bytes});
      datagrams.push_back({lane, std::move(bytes)});
    }
  for (std::size_t i = 0; i < datagrams.size(); ++i)
    if (happens(0.2)) std::swap(datagrams[i], datagrams[std::min(i + random() % 40, datagrams.size() - 1)]);
  return datagrams;
}

/// Emulates the kernel: copies a datagram's bytes to the given pieces of memory.
ScatteredDatagram scattered(const test::Bytes& bytes, std::byte* place, test::Bytes& header, test::Bytes& own,
                            const LofarFormat& format) {
  const std::size_t in_header = std::min(bytes.size(), lofar_header_bytes);
  const std::size_t in_payload = std::min(bytes.size() - in_header, format.payload_bytes());
  header.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(in_header));
  own.resize(format.payload_bytes());
  std::byte* const to = place ? place : own.data();
  std::copy_n(bytes.data() + in_header, in_payload, to);
  return {header, {to, in_payload}, bytes.size(), place != nullptr};
}

/// Processes successive datagrams of one lane in batches of 1 to 64, for which the kernel may have more
/// places than datagrams.
void take_scattered(LofarAssembler& assembler, const LofarFormat& format,
                    const std::vector<Datagram>& datagrams, std::size_t begin, std::size_t end,
                    std::mt19937_64& random, std::int64_t now) {
  while (begin < end) {
    std::array<std::byte*, ScatterBuilder::most_datagrams> places{};
    const std::size_t asked = 1 + random() % places.size();
    assembler.expect(datagrams[begin].lane, std::span(places).first(asked));
    std::array<test::Bytes, places.size()> headers, payloads;
    std::vector<ScatteredDatagram> batch;
    for (; batch.size() < asked && begin < end; ++begin) {
      const std::size_t i = batch.size();
      batch.push_back(scattered(datagrams[begin].bytes, places[i], headers[i], payloads[i], format));
    }
    assembler.take(datagrams[begin - 1].lane, batch, now);
  }
}

std::vector<std::pair<std::string, std::uint64_t>> counts_of(const LofarAssembler& assembler) {
  const SourceCounters counters = assembler.counts().report(2);
  std::vector<std::pair<std::string, std::uint64_t>> counts{{"ingested", counters.ingested},
                                                            {"lost", counters.lost},
                                                            {"dropped", counters.dropped},
                                                            {"incomplete", counters.incomplete}};
  for (const Counter& counter : counters.details) counts.emplace_back(counter.name, counter.value);
  return counts;
}

class Placing : public testing::TestWithParam<double> {};

TEST_P(Placing, yields_the_same_frames_and_counts_as_copying) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    std::mt19937_64 random(seed);
    LofarFormat format = test::small_format(2, 1 + random() % 9);
    const Assembly assembly{.window = 16 + random() % 100};
    const std::vector<Datagram> datagrams = delivered(format, random, GetParam());
    FrameQueue copied(4096, lofar_frame_type(format).size()), placed(4096, lofar_frame_type(format).size());
    LofarAssembler copying(format, assembly, 0, copied), placing(format, assembly, 0, placed);
    std::int64_t now = 0;
    for (std::size_t begin = 0, end = 0; begin < datagrams.size(); begin = end) {
      // The datagrams of each lane before the receiver polls another lane.
      while (end < datagrams.size() && datagrams[end].lane == datagrams[begin].lane) ++end;
      ++now;
      for (std::size_t i = begin; i < end; ++i) copying.take(datagrams[i].lane, datagrams[i].bytes, now);
      take_scattered(placing, format, datagrams, begin, end, random, now);
    }
    copying.finish(now);
    placing.finish(now);
    EXPECT_EQ(counts_of(placing), counts_of(copying)) << "seed " << seed;
    const std::vector<test::KeptFrame> expected = test::take_all(copied), frames = test::take_all(placed);
    ASSERT_EQ(frames.size(), expected.size()) << "seed " << seed;
    ASSERT_GT(frames.size(), 100u);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(frames[i].header.sequence, expected[i].header.sequence);
      EXPECT_EQ(frames[i].header.epoch, expected[i].header.epoch);
      EXPECT_EQ(frames[i].header.missing_mask, expected[i].header.missing_mask);
      ASSERT_EQ(frames[i].bytes, expected[i].bytes) << "seed " << seed << ", frame " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Assembler, Placing, testing::Values(0, 0.1, 1, 4));

TEST(AssemblerPlacing, payloads_of_a_stream_without_faults_are_never_copied) {
  const LofarFormat format = test::small_format(1, 8);
  FrameQueue queue(64, lofar_frame_type(format).size());
  LofarAssembler assembler(format, {.window = 16}, 0, queue);
  std::size_t placed = 0, number = 0;
  for (int call = 0; call < 40; ++call) {
    std::array<std::byte*, 16> places{};
    assembler.expect(0, places);
    std::array<test::Bytes, 16> headers, payloads;
    std::vector<ScatteredDatagram> batch;
    for (std::size_t i = 0; i < places.size(); ++i, ++number) {
      const test::Bytes bytes = test::make_packet(format, 0, first_block + number * 16,
                                                  test::payload_of(format.payload_bytes(), 0, number));
      batch.push_back(scattered(bytes, places[i], headers[i], payloads[i], format));
      placed += places[i] != nullptr;
    }
    assembler.take(0, batch, 1);
    (void)test::take_all(queue);
  }
  // The first call's packets are held until the stream's beginning is known.
  EXPECT_EQ(placed, number - 16);
}

TEST(Assembler, refuses_a_decoder_whose_grid_exceeds_its_frames) {
  FrameGrid good{.lanes = 2, .packets = 8, .payload_bytes = 4, .part_bytes = 4};
  good.utc_of = [](std::uint64_t tick, double) { return static_cast<std::int64_t>(tick); };
  AssemblyCounts counts;
  const auto made = [&](const FrameGrid& grid, std::size_t frame_bytes) {
    FrameQueue queue(16, Bytes{frame_bytes});
    Assembler assembler(grid, {}, counts, queue);
    assembler.take(1, 7, std::vector<std::byte>(5), 0);
  };
  using testing::HasSubstr;
  // Elements of 64 bytes, and 16 flags.
  EXPECT_THAT([&] { made(good, 64); }, testing::ThrowsMessage<ConfigError>(
                                           HasSubstr("expected 80: elements of 4 bytes for each, followed by "
                                                     "a flag for each (FrameType::parts = {8, 2})")));
  FrameGrid bad = good;
  bad.utc_of = nullptr;
  EXPECT_THAT([&] { made(bad, 80); }, testing::ThrowsMessage<ConfigError>(HasSubstr("utc_of")));
  bad = good;
  bad.payload_bytes = 5;
  EXPECT_THAT([&] { made(bad, 80); }, testing::ThrowsMessage<ConfigError>(HasSubstr("a way to unpack it")));
  bad = good;
  bad.scatter = [](auto, auto, auto, auto) {};
  EXPECT_THAT([&] { made(bad, 80); },
              testing::ThrowsMessage<ConfigError>(HasSubstr("a marker for missing ones")));
  EXPECT_THAT([&] { made(good, 80); }, testing::ThrowsMessage<WorkError>(HasSubstr("payload of 5 bytes")));
}

}  // namespace packets_assembler_placing_test
}  // namespace takt::sensors
