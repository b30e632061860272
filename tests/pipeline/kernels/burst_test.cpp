/// Does dedispersion find a burst that a telescope has recorded?

#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sensors/frame_memory.hpp"
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

TEST(Dedisperse, finds_the_burst_of_a_real_recording_at_its_dispersion_alone) {
  const std::filesystem::path data = takt::test::test_data();
  if (data.empty()) GTEST_SKIP() << "no recordings (TAKT_TEST_DATA)";
  const Pipeline pipeline = load(fmt::format(R"(sources:
  file: {{type: sigproc_file, file: {}, samples: 512}}
tasks:
  trials: {{kernel: dedisperse, input: file, first: 0, step: 475, trials: 2}}
sinks: {{none: {{type: null, input: trials}}}}
)",
                                             (data / "filterbank" / "28.fil").string()));
  const auto source = pipeline.make_source(0);
  const auto kernel = pipeline.make_kernel(1);
  const FrameType& type = pipeline.stages[1].output;
  sensors::FrameMemory memory(1, type.size());
  // By time of the highest frequency: results come later, and say so.
  constexpr std::size_t samples = 5120;
  constexpr double sample_s = 1.26646875e-3;
  std::vector<double> plain(samples), dispersed(samples);
  std::int64_t begin_ns = 0;
  FrameHeader header;
  const auto take = [&] {
    const std::span values{reinterpret_cast<const float*>(memory.frame(0).data()), type.element_count()};
    const auto first = std::llround(static_cast<double>(header.utc_ns - begin_ns) / 1e9 / sample_s);
    for (std::size_t row = 0; row < 512; ++row) {
      const std::int64_t at = first + static_cast<std::int64_t>(row);
      if (at < 0 || at >= static_cast<std::int64_t>(samples) || std::isnan(values[2 * row])) continue;
      plain[static_cast<std::size_t>(at)] = values[2 * row];
      dispersed[static_cast<std::size_t>(at)] = values[2 * row + 1];
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
  // Of the last second the sums are over some channels only.
  plain.resize(4000);
  dispersed.resize(4000);
  const Peak found = peak_of(dispersed);
  // As numpy finds them in the same 4000 sums: argmax and (max - mean) / std.
  EXPECT_NEAR(found.sigma, 13.9203, 0.001);
  EXPECT_EQ(found.at, 1602);
  EXPECT_LT(peak_of(std::vector(plain.begin() + 1590, plain.begin() + 1610)).sigma, 4);
}

}  // namespace
}  // namespace takt::pipeline::test
