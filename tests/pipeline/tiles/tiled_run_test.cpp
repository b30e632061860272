/// Tests that kernels have the same output tile by tile as for whole frames.

#include "pipeline/tiles/tiled_run.hpp"

#include <cstring>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

/// A kernel after another one, which passes its input on.
struct Case {
  std::string name, source, kernel;
  std::size_t tiles;
};

Pipeline pipeline_of(const Case& c) {
  return load(fmt::format(R"(name: tiled
sources:
  source: {{type: synthetic, {}, rate: 100 Hz}}
tasks:
  before: {{kernel: {}, input: source}}
  after: {{{}, input: before}}
sinks:
  out: {{type: 'null', input: after}}
deployment: {{tiles: {}}}
)",
                          c.source,
                          c.source.find("complex_int") == std::string::npos ? "pass" : "lofar_unpack",
                          c.kernel, c.tiles));
}

struct OwnedFrame {
  explicit OwnedFrame(const FrameType& type)
      : size(type.size().count), memory(1, Bytes{type.size().count + canary_bytes}) {}
  FrameBuffer buffer() { return {&header, memory.frame(0).first(size)}; }
  FrameView view() { return {&header, memory.frame(0).first(size)}; }
  std::size_t size;
  sensors::FrameMemory memory;
  FrameHeader header;
};

/// Fills in noise, with some missing samples in some frames.
void fill(OwnedFrame& frame, const FrameType& type, std::uint64_t sequence, std::mt19937& random) {
  frame.header = {.sequence = sequence, .parts = 64};
  const bool has_holes = sequence % 3 == 1;
  frame.header.missing_parts = has_holes ? 3 : 0;
  const std::span<std::byte> bytes = frame.buffer().bytes;
  if (type.element == ElementType::float32 || type.element == ElementType::complex_float32) {
    for (float& value : frame.buffer().as<float>()) {
      value = static_cast<float>(random() % 20001) / 10000.0F - 1.0F;
      if (has_holes && random() % 50 == 0) value = std::numeric_limits<float>::quiet_NaN();
    }
    return;
  }
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  for (std::byte& flag : bytes.last(type.flag_count())) flag = std::byte{has_holes && random() % 8 == 0};
}

class TiledKernels : public ::testing::TestWithParam<Case> {};

TEST_P(TiledKernels, have_the_output_of_whole_frames) {
  const Pipeline pipeline = pipeline_of(GetParam());
  const Tiling tiling = tile(pipeline, Bytes{1});
  ASSERT_TRUE(tiling[1] && tiling[2]);
  const TileGroup group{.root = 0,
                        .members = {{1, std::nullopt, tiling[1]->input, tiling[1]->output, false},
                                    {2, 0, tiling[2]->input, tiling[2]->output, true}}};
  TileKernels kernels(pipeline);
  TiledRun run(pipeline, group, kernels,
               [](std::size_t, Kernel& kernel, const KernelCall& call) { return call_kernel(kernel, call); });
  const std::unique_ptr<Kernel> first = pipeline.make_kernel(1), second = pipeline.make_kernel(2);

  const FrameType& type = pipeline.stages[2].output;
  OwnedFrame input(pipeline.stages[0].output), between(pipeline.stages[1].output), whole(type), tiled(type);
  std::array<TiledRun::Work, 2> work;
  std::mt19937 random(7);
  int given = 0;
  const auto compare = [&](const KernelResult& expected) {
    ASSERT_EQ(work[1].is_present, expected.outcome == Outcome::produced);
    if (!work[1].is_present) return;
    ++given;
    EXPECT_EQ(tiled.header.sequence, whole.header.sequence);
    EXPECT_EQ(tiled.header.utc_ns, whole.header.utc_ns);
    EXPECT_EQ(tiled.header.missing_parts, whole.header.missing_parts);
    EXPECT_EQ(tiled.header.combined, whole.header.combined);
    ASSERT_EQ(std::memcmp(tiled.memory.frame(0).data(), whole.memory.frame(0).data(), type.size().count), 0);
  };
  for (std::uint64_t frame = 0; frame < 8; ++frame) {
    fill(input, pipeline.stages[0].output, frame, random);
    const FrameView in = input.view(), middle = between.view();
    (void)call_kernel(*first, {std::span(&in, 1), false, between.buffer()});
    const KernelResult expected = call_kernel(*second, {std::span(&middle, 1), false, whole.buffer()});
    work = {TiledRun::Work{}, TiledRun::Work{.output = tiled.buffer()}};
    run.run({in, true, false}, work);
    EXPECT_TRUE(work[0].was_called && work[1].was_called);
    compare(expected);
  }
  // End of the stream: flushed output.
  const KernelResult rest = call_kernel(*second, {{}, true, whole.buffer()});
  work = {TiledRun::Work{}, TiledRun::Work{.output = tiled.buffer()}};
  run.run({{}, false, true}, work);
  EXPECT_FALSE(work[0].was_called || work[1].was_called);
  EXPECT_TRUE(work[0].has_finished && work[1].has_finished && work[1].has_ended);
  compare(rest);
  EXPECT_GT(given, 0);
}

const std::string packets = "element: complex_int8, axes: [packet=8, beamlet=12, time=16, polarisation=2]";
const std::string beams = "element: complex_float32, axes: [beamlet=12, time=128, polarisation=2]";
const std::string one_beam = "element: complex_float32, axes: [beamlet=1, time=128, polarisation=2]";
const std::string power = "element: float32, axes: [time=16, channel=60]";

INSTANTIATE_TEST_SUITE_P(
    BuiltIn, TiledKernels,
    ::testing::Values(
        Case{"fft_of_packets", packets, "kernel: fft, channels: 16", 4},
        Case{"fft_of_single_beamlets", packets, "kernel: fft, channels: 64, window: hann", 12},
        Case{"fft_of_times", one_beam, "kernel: fft, channels: 16, window: hann", 4},
        Case{"real_fft_of_times", "axes: [beamlet=1, time=128, polarisation=2]",
             "kernel: real_fft, samples: 16", 4},
        Case{"integrate_within_times", power, "kernel: integrate, factor: 2", 8},
        Case{"stokes", beams, "kernel: stokes", 4},
        Case{"stokes_of_time", "element: complex_float32, axes: [time=12, channel=5, polarisation=2]",
             "kernel: stokes, mode: IQUV", 6},
        Case{"full_stokes", "element: complex_float32, axes: [time=7, channel=60, polarisation=2]",
             "kernel: stokes, mode: IQUV", 5},
        Case{"integrate_within", power, "kernel: integrate, factor: 4", 3},
        Case{"integrate_frames", power, "kernel: integrate, factor: 48", 5},
        Case{"statistics", power, "kernel: statistics, frames: 3", 4},
        Case{"bandpass", power, "kernel: bandpass, frames: 4", 6},
        Case{"detrend", power, "kernel: detrend", 2},
        Case{"clip", power, "kernel: clip, low: -0.5, high: 0.5, mode: missing", 4},
        Case{"fir", power, "kernel: fir, high: 200 Hz, taps: 9", 10},
        Case{"iir", power, "kernel: iir, high: 200 Hz", 10},
        Case{"pfb", beams, "kernel: pfb, channels: 16, taps: 4", 3},
        Case{"phase_rotate", beams, "kernel: phase_rotate, frequency: 12.3", 4},
        Case{"real_fft", "axes: [beamlet=12, time=64, polarisation=2]", "kernel: real_fft, samples: 16", 3},
        Case{"fold", power, "kernel: fold, period: 0.0173, bins: 5, frames: 3", 6},
        Case{"matched_filter", power, "kernel: matched_filter, widths: [1, 3, 20]", 10},
        Case{"sta_lta", power, "kernel: sta_lta, short: 2 ms, long: 20 ms", 10},
        Case{"decimate", power, "kernel: decimate, factor: 4, half_width: 2", 5},
        Case{"resample", beams, "kernel: resample, up: 3, down: 4, half_width: 2", 4},
        Case{"delay", beams, "kernel: delay, delay: 1 ms, rotate: 'false'", 4}),
    [](const auto& test) { return test.param.name; });

/// FFTW plans each tile: its choice of codelets must not depend on the number of beamlets.
class TiledFft : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TiledFft, is_independent_of_the_tiles) {
  const std::size_t channels = GetParam();
  const Case c{
      "", fmt::format("element: complex_float32, axes: [beamlet=6, time={}, polarisation=2]", 4 * channels),
      fmt::format("kernel: fft, channels: {}", channels), 1};
  for (const std::size_t tiles : {2, 3, 6}) {
    Case cut = c;
    cut.tiles = tiles;
    const Pipeline pipeline = pipeline_of(cut);
    const FrameType& from = pipeline.stages[1].output;
    const FrameType& to = pipeline.stages[2].output;
    OwnedFrame input(from), whole(to);
    std::mt19937 random(3);
    fill(input, from, 0, random);
    const FrameView in = input.view();
    (void)call_kernel(*pipeline.make_kernel(2), {std::span(&in, 1), false, whole.buffer()});
    for (std::size_t t = 0; t < tiles; ++t) {
      FrameType type;
      const FrameType part = tile_type(from, {0, tiles}, t);
      const std::unique_ptr<Kernel> kernel =
          pipeline.make_kernel(2, pipeline.stages[2].parameters, part, type);
      OwnedFrame tile(part), result(type), expected(type);
      TileCopier(from, {0, tiles}).out_of(in.bytes, t, tile.buffer().bytes.data());
      const FrameView view = tile.view();
      (void)call_kernel(*kernel, {std::span(&view, 1), false, result.buffer()});
      TileCopier(to, {1, tiles}).out_of(whole.buffer().bytes, t, expected.buffer().bytes.data());
      ASSERT_EQ(
          std::memcmp(result.memory.frame(0).data(), expected.memory.frame(0).data(), type.size().count), 0)
          << channels << " channels, tile " << t << " of " << tiles;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Channels, TiledFft,
                         ::testing::Values(2, 4, 6, 8, 10, 12, 14, 16, 22, 26, 30, 32, 34, 48, 50, 60, 64, 74,
                                           96, 100, 120, 128, 200, 244, 250, 256, 360, 488, 500, 512, 600,
                                           768, 1000, 1024, 1536, 2000, 2048, 4096, 6000, 8192, 16384));

TEST(TiledRun, names_a_kernel_whose_tiles_differ_from_its_declaration) {
  const Pipeline pipeline = pipeline_of({"", power, "kernel: integrate, factor: 4", 4});
  TileKernels kernels(pipeline);
  // Along the time axis, which `integrate` shortens.
  const TileGroup::Member wrong{.stage = 2, .input = {0, 4}, .output = {1, 4}};
  EXPECT_THROW((void)kernels.of(wrong), ConfigError);
}

}  // namespace
}  // namespace takt::pipeline::test
