/// Tests that several files of one stream are read as that stream, with gaps and overlaps by their headers.

#include <cmath>
#include <cstring>
#include <numeric>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/support/compressed.hpp"

namespace takt::sensors {
namespace files_several_files_test {

using test::KeptFrame;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t start_ns = 1'600'000'000'000'000'000, row_ns = 100'000'000;

/// Rows of two channels of 8 bits, with the row's number and 10 more; 10 Hz, 4 rows per frame. The row
/// numbers begin at `first`, which is also the file's time.
SampleLayout layout_from(std::int64_t first) {
  SampleLayout layout;
  layout.type.element = ElementType::float32;
  layout.type.axes = {{"time", 4, {}}, {"channel", 2, {}}};
  layout.type.rate_hz = 2.5;
  layout.row_bytes = 2;
  layout.rows = 4;
  layout.row_hz = 10;
  layout.utc_ns = start_ns + first * row_ns;
  take_as_floats(layout, 8, false);
  return layout;
}

std::string rows_from(int first, int count) {
  std::string bytes;
  for (int row = first; row < first + count; ++row)
    bytes += {static_cast<char>(row), static_cast<char>(row + 10)};
  return bytes;
}

class SeveralFiles : public testing::Test {
 protected:
  SamplePiece piece(int first, int count) {
    const std::string name = "f" + std::to_string(files_++);
    return {folder_.file(name, rows_from(first, count)), layout_from(first)};
  }
  /// Returns the rows of each frame's first channel; -1 for missing ones.
  static std::vector<std::vector<int>> rows_of(const std::vector<KeptFrame>& frames) {
    std::vector<std::vector<int>> all;
    for (const KeptFrame& frame : frames) {
      std::vector<float> values(frame.bytes.size() / sizeof(float));
      std::memcpy(values.data(), frame.bytes.data(), frame.bytes.size());
      std::vector<int> rows;
      for (std::size_t i = 0; i < values.size(); i += 2) {
        rows.push_back(std::isnan(values[i]) ? -1 : static_cast<int>(values[i]));
        if (!std::isnan(values[i])) {
          EXPECT_EQ(values[i + 1], values[i] + 10);
        }
      }
      all.push_back(rows);
    }
    return all;
  }
  static std::uint64_t count(const Source& source, const char* name) {
    return test::value_of(source.counters().details, name);
  }

  const test::TemporaryFolder folder_;
  int files_ = 0;
};

TEST_F(SeveralFiles, form_one_stream_in_the_order_of_their_times) {
  SampleFileSource source({.pieces = {piece(6, 7), piece(0, 6), piece(13, 3)}});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  EXPECT_THAT(rows_of(frames), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7),
                                           ElementsAre(8, 9, 10, 11), ElementsAre(12, 13, 14, 15)));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].header.sequence, i);
    EXPECT_EQ(frames[i].header.utc_ns, start_ns + static_cast<std::int64_t>(i) * 4 * row_ns);
    EXPECT_EQ(frames[i].header.missing_parts, 0U);
  }
  EXPECT_EQ(source.counters().incomplete, 0U);
  EXPECT_EQ(count(source, "gaps_between_files"), 0U);
  EXPECT_THAT(source.warnings(), ElementsAre());
}

TEST_F(SeveralFiles, with_a_gap_miss_its_rows_and_lose_whole_frames) {
  // Rows 5 to 13 are in no file: frame 1 lacks three rows, frame 2 is lost, frame 3 lacks two.
  SampleFileSource source({.pieces = {piece(0, 5), piece(14, 4)}});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  EXPECT_THAT(rows_of(frames), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, -1, -1, -1),
                                           ElementsAre(-1, -1, 14, 15), ElementsAre(16, 17, -1, -1)));
  EXPECT_EQ(frames[1].header.missing_parts, 3U);
  EXPECT_EQ(frames[1].header.missing_mask, 0b1110U);
  EXPECT_EQ(frames[2].header.missing_mask, 0b0011U);
  EXPECT_EQ(frames[2].header.sequence, 3U);
  EXPECT_EQ(frames[2].header.first_sample, 12U);
  EXPECT_EQ(source.counters().lost, 1U);
  EXPECT_EQ(source.counters().incomplete, 2U) << "the last one is cut off";
  EXPECT_EQ(count(source, "gaps_between_files"), 1U);
  EXPECT_THAT(source.warnings(), ElementsAre(HasSubstr("9 samples are missing before it")));
}

TEST_F(SeveralFiles, with_several_gaps_have_one_warning) {
  // 9 rows, then 1 and 20.
  SampleFileSource source({.pieces = {piece(0, 5), piece(14, 4), piece(19, 1), piece(40, 4)}});
  source.start();
  EXPECT_EQ(test::take_all(source).size(), 5U);
  EXPECT_EQ(count(source, "gaps_between_files"), 3U);
  EXPECT_THAT(source.warnings(),
              ElementsAre(HasSubstr("f1: 9 samples are missing before it, from sample 5 on: the first of 3 "
                                    "gaps with 30 samples")));
}

TEST_F(SeveralFiles, with_overlaps_yield_each_row_once) {
  SampleFileSource source({.pieces = {piece(0, 6), piece(3, 9), piece(4, 2)}});
  source.start();
  EXPECT_THAT(rows_of(test::take_all(source)),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7), ElementsAre(8, 9, 10, 11)));
  EXPECT_EQ(count(source, "samples_overlapping"), 5U);
  EXPECT_THAT(source.warnings(), Contains(HasSubstr("first 3 samples repeat the previous file")));
}

TEST_F(SeveralFiles, begin_a_new_epoch_after_a_long_gap) {
  SampleFileSource source({.pieces = {piece(0, 6), piece(200, 4)}, .longest_gap = Time(10'000'000'000)});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  EXPECT_THAT(rows_of(frames), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, -1, -1),
                                           ElementsAre(200, 201, 202, 203)));
  EXPECT_EQ(frames[2].header.epoch, 1U);
  EXPECT_EQ(frames[2].header.sequence, 0U);
  EXPECT_EQ(frames[2].header.first_sample, 200U);
  EXPECT_EQ(frames[2].header.utc_ns, start_ns + 200 * row_ns);
  EXPECT_EQ(source.counters().lost, 0U);
  EXPECT_EQ(count(source, "clock_jumps"), 1U);
}

TEST_F(SeveralFiles, without_times_keep_their_order) {
  SamplePiece first = piece(6, 3), second = piece(0, 2);
  first.layout.utc_ns = second.layout.utc_ns = 0;
  SampleFileSource source({.pieces = {first, second}});
  source.start();
  EXPECT_THAT(rows_of(test::take_all(source)),
              ElementsAre(ElementsAre(6, 7, 8, 0), ElementsAre(1, -1, -1, -1)));
}

TEST_F(SeveralFiles, with_time_errors_below_a_row_are_contiguous) {
  SamplePiece second = piece(6, 2);
  second.layout.utc_ns += row_ns / 3;
  SampleFileSource source({.pieces = {piece(0, 6), second}});
  source.start();
  EXPECT_THAT(rows_of(test::take_all(source)), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  EXPECT_EQ(count(source, "time_rounded_by"), static_cast<std::uint64_t>(row_ns / 3));
  EXPECT_THAT(source.warnings(),
              ElementsAre("times are rounded to the grid of samples, by up to 0.33 samples (33.3 ms)"));
  // Up to a tenth of a row there is only the counter.
  SamplePiece third = piece(6, 2);
  third.layout.utc_ns += row_ns / 10;
  SampleFileSource near({.pieces = {piece(0, 6), third}});
  near.start();
  EXPECT_EQ(test::take_all(near).size(), 2U);
  EXPECT_EQ(count(near, "time_rounded_by"), static_cast<std::uint64_t>(row_ns / 10));
  EXPECT_THAT(near.warnings(), ElementsAre());
}

TEST_F(SeveralFiles, of_another_layout_are_refused_by_name) {
  SamplePiece other = piece(4, 4);
  other.layout.type.axes[1].coordinates = {1e6, 2e6};
  EXPECT_THAT(
      [&] {
        SampleFileSource({.pieces = {piece(0, 4), other}});
      },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("f0: the coordinates of 'channel' differ from those in"),
                                       HasSubstr("f1; the files of one stream must have one layout"))));
  other = piece(4, 4);
  other.layout.row_hz = 20;
  EXPECT_THAT(
      [&] {
        SampleFileSource({.pieces = {piece(0, 4), other}});
      },
      ThrowsMessage<ConfigError>(HasSubstr("2 bytes per sample, 20 samples/s, but")));
}

TEST_F(SeveralFiles, with_integers_flag_missing_rows) {
  SamplePiece a = piece(0, 3), b = piece(5, 3);
  for (SamplePiece* each : {&a, &b}) {
    each->layout.type.element = ElementType::uint8;
    take_as_they_are(each->layout, false);
  }
  SampleFileSource source({.pieces = {a, b}});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 2U);
  const std::string flags(reinterpret_cast<const char*>(frames[0].bytes.data()) + 8, 4);
  EXPECT_EQ(flags, std::string({0, 0, 0, 1}));
  EXPECT_EQ(std::to_integer<int>(frames[1].bytes[2]), 5);
  EXPECT_EQ(std::to_integer<int>(frames[1].bytes[8]), 1);
}

TEST_F(SeveralFiles, that_are_damaged_have_the_advice_of_their_layout) {
  std::string bytes = test::gzipped(rows_from(0, 50));
  bytes.resize(bytes.size() - 4);
  SamplePiece damaged{folder_.file("z", bytes), layout_from(0)};
  damaged.layout.advice = "; set compression: none";
  SampleFileSource source({.pieces = {damaged}});
  source.start();
  (void)test::take_all(source);
  EXPECT_THAT(source.warnings(),
              ElementsAre(HasSubstr("the data before it were read; set compression: none")));
}

TEST_F(SeveralFiles, that_are_compressed_are_read_and_resumed_equally) {
  const auto compressed = [&](int first, int rows, bool zstd, std::size_t cut) {
    std::string bytes =
        zstd ? test::zstd_compressed(rows_from(first, rows)) : test::gzipped(rows_from(first, rows));
    bytes.resize(bytes.size() - cut);
    return SamplePiece{folder_.file("c" + std::to_string(first), bytes), layout_from(first)};
  };
  const auto make = [&](std::size_t cut) {
    return std::make_unique<SampleFileSource>(SampleFileOptions{
        .pieces = {compressed(0, 50, false, cut), compressed(50, 21, true, 0), piece(80, 5)}});
  };
  const auto whole = make(0);
  EXPECT_FALSE(whole->may_be_shared());
  whole->start();
  const std::vector<KeptFrame> frames = test::take_all(*whole);
  ASSERT_EQ(frames.size(), 20U) << "rows 0 to 84 in frames of 4, of which frames 18 and 19 are in no file";
  EXPECT_THAT(rows_of(frames)[12], ElementsAre(48, 49, 50, 51));
  EXPECT_EQ(whole->counters().lost, 2U);
  for (std::size_t taken = 0; taken <= frames.size(); ++taken) {
    const auto rest = make(0);
    ASSERT_TRUE(rest->resume_after({.frames = taken, .last = {}}));
    rest->start();
    const std::vector<KeptFrame> behind = test::take_all(*rest);
    ASSERT_EQ(behind.size(), frames.size() - taken);
    for (std::size_t i = 0; i < behind.size(); ++i) {
      ASSERT_EQ(behind[i].bytes.size(), frames[taken + i].bytes.size());
      EXPECT_EQ(behind[i].header.sequence, frames[taken + i].header.sequence);
      EXPECT_EQ(std::memcmp(behind[i].bytes.data(), frames[taken + i].bytes.data(), behind[i].bytes.size()),
                0);
    }
    EXPECT_EQ(rest->counters().ingested, whole->counters().ingested);
    EXPECT_EQ(rest->counters().lost, 2U);
  }
  const auto cut = make(20);
  cut->start();
  (void)test::take_all(*cut);
  EXPECT_EQ(count(*cut, "streams_cut_short"), 1U);
  EXPECT_EQ(count(*cut, "gaps_between_files"), 2U) << "what the cut has taken away is a gap";
  EXPECT_THAT(cut->warnings(), Contains(AllOf(HasSubstr("c0: the gzip stream is cut short"),
                                              HasSubstr("the data before it were read"))));
}

TEST_F(SeveralFiles, declared_rows_that_a_file_lacks_are_missing_in_their_place) {
  SamplePiece first = piece(0, 3);
  first.layout.declared_rows = 10;
  first.layout.declared_by = "nsamples";
  SamplePiece second = piece(10, 2);
  second.layout.utc_ns = 0;
  SampleFileSource source({.pieces = {first, second}});
  source.start();
  EXPECT_THAT(rows_of(test::take_all(source)),
              ElementsAre(ElementsAre(0, 1, 2, -1), ElementsAre(-1, -1, 10, 11)));
  EXPECT_EQ(source.counters().lost, 1U);
  EXPECT_EQ(count(source, "samples_cut_off"), 7U);
  // At the end of the stream: rows 3 to 9 are missing, one in frame 0, and all in frames 1 and 2.
  SampleFileSource last({.pieces = {first}});
  last.start();
  EXPECT_EQ(test::take_all(last).size(), 1U);
  EXPECT_EQ(last.counters().lost, 2U);
  EXPECT_THAT(
      last.warnings(),
      Contains(HasSubstr("truncated: nsamples declares 10 samples, the file holds 3: 7 are missing")));
}

TEST_F(SeveralFiles, runs_of_one_file_are_one_stream_or_begin_epochs) {
  const std::string bytes = "head" + rows_from(0, 3) + "junk" + rows_from(3, 3) + "more" + rows_from(40, 2);
  SamplePiece one{folder_.file("runs", bytes), layout_from(0)};
  one.layout.runs = {
      {.offset = 4, .rows = 3, .begins_epoch = true, .utc_ns = start_ns},
      {.offset = 14, .rows = 3},
      {.offset = 24, .rows = 99, .begins_epoch = true, .utc_ns = start_ns + 7, .first_sample = 40}};
  SampleFileSource source({.pieces = {one}});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  EXPECT_THAT(rows_of(frames),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, -1, -1), ElementsAre(40, 41, -1, -1)));
  EXPECT_EQ(frames[2].header.epoch, 1U);
  EXPECT_EQ(frames[2].header.utc_ns, start_ns + 7);
  EXPECT_EQ(frames[2].header.first_sample, 40U);
}

}  // namespace files_several_files_test
}  // namespace takt::sensors
