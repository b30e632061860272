/// Tests sources with repeatable streams: after a start at any frame, frames and counts equal those of an
/// uninterrupted source.

#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "sensors/files/sample_file_source.hpp"
#include "sensors/lofar/file_source.hpp"
#include "sensors/mseed/file_source.hpp"
#include "sensors/mseed/sink.hpp"
#include "sensors/synthetic/synthetic_source.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

using test::KeptFrame;

/// Compares frames except for their arrival times.
bool is_same(const KeptFrame& a, const KeptFrame& b) {
  return a.header.sequence == b.header.sequence && a.header.epoch == b.header.epoch &&
         a.header.utc_ns == b.header.utc_ns && a.header.first_sample == b.header.first_sample &&
         a.header.missing_parts == b.header.missing_parts && a.bytes == b.bytes;
}

void expect_the_rest_from_any_place(const std::function<std::unique_ptr<Source>()>& make) {
  const std::unique_ptr<Source> whole = make();
  whole->start();
  const std::vector<KeptFrame> frames = test::take_all(*whole);
  ASSERT_GE(frames.size(), 3U);
  for (std::size_t taken = 0; taken <= frames.size(); ++taken) {
    SCOPED_TRACE(taken);
    StreamPlace place{.frames = taken, .last = {}};
    if (taken > 0) place.last = frames[taken - 1].header;
    const std::unique_ptr<Source> source = make();
    ASSERT_TRUE(source->resume_after(place));
    source->start();
    const std::vector<KeptFrame> rest = test::take_all(*source);
    ASSERT_EQ(rest.size(), frames.size() - taken);
    for (std::size_t i = 0; i < rest.size(); ++i) ASSERT_TRUE(is_same(rest[i], frames[taken + i])) << i;
    EXPECT_EQ(source->counters().ingested, whole->counters().ingested);
    EXPECT_EQ(source->counters().lost, whole->counters().lost);
  }
}

TEST(ResumedSources, a_sample_file_with_an_incomplete_last_frame) {
  const test::TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 2 * 37; ++i) bytes += static_cast<char>(i);
  const std::string file = folder.file("a.raw", bytes);
  SampleLayout layout;
  layout.type.element = ElementType::uint8;
  layout.type.axes = {{"time", 5, {}}, {"channel", 2, {}}};
  layout.type.rate_hz = 2;
  layout.type.parts = {5};
  layout.row_bytes = 2;
  layout.rows = 5;
  layout.row_hz = 10;
  take_as_they_are(layout, false);
  expect_the_rest_from_any_place([&] {
    return std::make_unique<SampleFileSource>(SampleFileOptions{.pieces = {{file, layout}}});
  });
}

TEST(ResumedSources, synthetic_frames) {
  SyntheticOptions options{.pattern = Pattern::noise, .frames = 12};
  options.type.element = ElementType::float32;
  options.type.axes = {{"time", 6, {}}};
  expect_the_rest_from_any_place([&] { return std::make_unique<SyntheticSource>(options); });
  // Each frame waits until it is polled, for any number of due frames.
  options.type.rate_hz = 20'000;
  options.depth = 100;
  expect_the_rest_from_any_place([&] { return std::make_unique<SyntheticSource>(options); });
}

TEST(ResumedSources, traces_of_a_miniseed_file) {
  const test::TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", 50, {}}};
  type.rate_hz = 2;
  MseedSink sink({.output = {.path = folder / "a.mseed"}, .channels = {"NL.HGN.00.BHZ"}}, type);
  sink.open();
  for (std::uint64_t k = 0; k < 20; ++k) {
    const FrameHeader header{.sequence = k, .utc_ns = static_cast<std::int64_t>(k) * 500'000'000};
    std::vector<float> values(50);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((k * 50 + i) % 97);
    sink.write({&header, std::as_bytes(std::span(values))});
  }
  sink.close();
  expect_the_rest_from_any_place([&] {
    return std::make_unique<MseedFileSource>(MseedFileOptions{.files = {folder / "a.mseed"}, .rows = 70});
  });
}

TEST(ResumedSources, packets_of_a_recording) {
  const std::vector<std::filesystem::path> files = test::recorded_lanes();
  if (files.empty()) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA to their folder";
  LofarFileOptions options;
  for (const auto& file : files) options.lanes.push_back({file});
  options.format.lanes = files.size();
  options.format.packets = 40;
  expect_the_rest_from_any_place([&] { return std::make_unique<LofarFileSource>(options); });
}

}  // namespace
}  // namespace takt::sensors
