/// Tests that dedispersion finds a burst in a telescope's recording.

#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sensors/frames/frame_memory.hpp"
#include "tests/pipeline/config/load.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

struct Peak {
  double sigma = 0;
  std::ptrdiff_t at = 0;
};

Peak peak_of(const std::vector<double>& series) {
  const auto count = static_cast<double>(series.size());
  const double mean = std::accumulate(series.begin(), series.end(), 0.0) / count;
  double squares = 0;
  for (const double value : series) squares += (value - mean) * (value - mean);
  const auto highest = std::ranges::max_element(series);
  return {(*highest - mean) / std::sqrt(squares / count), highest - series.begin()};
}

/// Sums by the time of the highest frequency, according to the headers: without dispersion, and at one DM.
struct Series {
  std::vector<double> plain, dispersed;
};

/// Dedisperses the recording of a burst; returns the series of `trial` and of the first trial.
Series dedispersed(const std::filesystem::path& recording, const std::string& how, std::size_t trial) {
  const Pipeline pipeline = load(fmt::format(R"(sources:
  file: {{type: sigproc_file, file: {}, samples: 512}}
tasks:
  trials: {{kernel: dedisperse, input: file, first: 0, {}}}
sinks: {{none: {{type: null, input: trials}}}}
)",
                                             recording.string(), how));
  const auto source = pipeline.make_source(0);
  const auto kernel = pipeline.make_kernel(1);
  const FrameType& type = pipeline.stages[1].output;
  const std::size_t trials = type.axes[1].size;
  sensors::FrameMemory memory(1, type.size());
  constexpr std::size_t samples = 5120;
  constexpr double sample_s = 1.26646875e-3;
  Series series{std::vector<double>(samples), std::vector<double>(samples)};
  std::int64_t begin_ns = 0;
  FrameHeader header;
  const auto take = [&] {
    const std::span values{reinterpret_cast<const float*>(memory.frame(0).data()), type.element_count()};
    const auto first = std::llround(static_cast<double>(header.utc_ns - begin_ns) / 1e9 / sample_s);
    for (std::size_t row = 0; row < 512; ++row) {
      const std::int64_t at = first + static_cast<std::int64_t>(row);
      if (at < 0 || at >= static_cast<std::int64_t>(samples) || std::isnan(values[trials * row])) continue;
      series.plain[static_cast<std::size_t>(at)] = values[trials * row];
      series.dispersed[static_cast<std::size_t>(at)] = values[trials * row + trial];
    }
  };
  source->start();
  FrameView frame;
  for (bool is_first = true; source->poll(frame) == sensors::SourceState::frame; is_first = false) {
    if (is_first) begin_ns = frame.header->utc_ns;
    header = *frame.header;
    if (kernel->process(std::span(&frame, 1), {&header, memory.frame(0)}) == Outcome::produced) take();
    source->release();
  }
  if (kernel->finish({&header, memory.frame(0)}) == Outcome::produced) take();
  // During the last second the sums include only some channels.
  series.plain.resize(4000);
  series.dispersed.resize(4000);
  return series;
}

TEST(Dedisperse, finds_the_burst_of_a_real_recording_only_at_its_dispersion) {
  const std::filesystem::path data = takt::test::test_data();
  if (data.empty()) GTEST_SKIP() << "no recordings (TAKT_TEST_DATA)";
  const std::filesystem::path recording = data / "filterbank" / "28.fil";
  const Series series = dedispersed(recording, "step: 475, trials: 2", 1);
  const Peak found = peak_of(series.dispersed);
  // The figures of numpy for the same 4000 sums: argmax and (max - mean) / std.
  EXPECT_NEAR(found.sigma, 13.9203, 0.001);
  EXPECT_EQ(found.at, 1602);
  EXPECT_LT(peak_of(std::vector(series.plain.begin() + 1590, series.plain.begin() + 1610)).sigma, 4);
}

TEST(Dedisperse, finds_the_burst_by_subbands_and_by_brute_force) {
  const std::filesystem::path data = takt::test::test_data();
  if (data.empty()) GTEST_SKIP() << "no recordings (TAKT_TEST_DATA)";
  const Series series =
      dedispersed(data / "filterbank" / "28.fil", "step: 12.5, trials: 42, method: subband", 38);
  const Peak found = peak_of(series.dispersed);
  // Channels are off by at most one spectrum, and the burst is several spectra long.
  EXPECT_NEAR(found.sigma, 13.9203, 1);
  EXPECT_NEAR(static_cast<double>(found.at), 1602, 1);
}

}  // namespace
}  // namespace takt::pipeline::test
