/// Tests which kernels are cut, and into how many tiles.

#include "pipeline/tiles/tiling.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;

constexpr Bytes small_cache{1 << 16};

/// A spectrometer with two branches on frames of packets from four lanes.
Pipeline spectrometer(const std::string& deployment = "{}") {
  return load(fmt::format(R"(name: tiled
sources:
  station: {{type: synthetic, element: complex_int8, axes: [packet=16, beamlet=24, time=16, polarisation=2]}}
tasks:
  unpack: {{kernel: lofar_unpack, input: station}}
  spectra: {{kernel: fft, input: unpack, channels: 16}}
  power: {{kernel: stokes, input: spectra}}
  integrated: {{kernel: integrate, input: power, factor: 32}}
  moments: {{kernel: statistics, input: power, frames: 3}}
  turned: {{kernel: transpose, input: power, axes: [channel, time]}}
sinks:
  a: {{type: 'null', input: integrated}}
  b: {{type: 'null', input: moments}}
  c: {{type: 'null', input: turned}}
deployment: {}
)",
                          deployment));
}

/// Returns tiles by stage; 0 for stages that are not cut.
std::vector<std::size_t> tiles(const Pipeline& pipeline, Bytes cache = small_cache) {
  std::vector<std::size_t> tiles;
  for (const auto& stage : tile(pipeline, cache)) tiles.push_back(stage ? stage->input.tiles : 0);
  return tiles;
}

TEST(Tiling, follows_an_axis_through_separable_kernels) {
  const Tiling tiling = tile(spectrometer("{tiles: 4}"), small_cache);
  // Packets are ordered by beamlet, and beamlets become channels.
  const std::vector<std::array<std::size_t, 2>> axes{{1, 0}, {0, 1}, {1, 1}, {1, 1}, {1, 1}};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ASSERT_TRUE(tiling[i + 1]);
    EXPECT_EQ(tiling[i + 1]->group, 0U);
    EXPECT_EQ(tiling[i + 1]->input.axis, axes[i][0]);
    EXPECT_EQ(tiling[i + 1]->output.axis, axes[i][1]);
  }
}

TEST(Tiling, cuts_frames_larger_than_a_cores_cache) {
  // An input and an output of `spectra` are 192 KiB, all frames 246 KiB.
  EXPECT_THAT(tiles(spectrometer()), ElementsAre(0, 3, 3, 3, 3, 3, 0, 0, 0, 0));
}

TEST(Tiling, keeps_frames_that_fit_a_cores_cache_whole) {
  const std::vector<std::size_t> none(10, 0);
  EXPECT_EQ(tiles(spectrometer(), Bytes{246 << 10}), none);
  EXPECT_NE(tiles(spectrometer(), Bytes{245 << 10}), none);
}

/// Pieces of rows shorter than a cache line would be loaded once per tile.
TEST(Tiling, keeps_frames_whole_when_tiles_have_short_rows) {
  const auto tiles_of = [](const std::string& axes) {
    return tiles(load("sources: {s: {type: synthetic, element: float32, axes: " + axes +
                      "}}\ntasks:\n  a: {kernel: detrend, input: s}\n  b: {kernel: clip, input: a, high: 1}\n"
                      "sinks: {o: {type: 'null', input: b}}\n"));
  };
  EXPECT_THAT(tiles_of("[time=512, channel=256]"), ElementsAre(0, 16, 16, 0));
  EXPECT_THAT(tiles_of("[time=1024, channel=32]"), ElementsAre(0, 2, 2, 0));
  EXPECT_THAT(tiles_of("[time=8192, channel=16]"), ElementsAre(0, 0, 0, 0));
}

TEST(Tiling, obeys_the_user_when_frames_can_be_cut) {
  const std::vector<std::size_t> none(10, 0);
  EXPECT_EQ(tiles(spectrometer("{tiles: none}")), none);
  EXPECT_EQ(tiles(spectrometer("{tiles: 7}")), none);
  EXPECT_THAT(tiles(spectrometer("{tiles: 24}")), ElementsAre(0, 24, 24, 24, 24, 24, 0, 0, 0, 0));
}

TEST(Tiling, states_the_valid_values_of_the_key) {
  const std::string text = good_pipeline + "deployment: {tiles: many}\n";
  EXPECT_THAT(
      errors_in(text),
      ElementsAre("p.yaml:9:21: 'deployment': parameter 'tiles': expected auto, none or a number from "
                  "1 to 1048576, got 'many'"));
}

}  // namespace
}  // namespace takt::pipeline::test
