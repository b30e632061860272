/// Tests the inputs and outputs of scripts as kernels.
/// Plain loops derive the expected results.

#include <array>
#include <cmath>
#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/python_kernels.hpp"

namespace takt::pipeline::test {
namespace kernels_python_kernel_test {

using ::testing::HasSubstr;

void fill_noise(FrameMemory& frame, std::size_t floats, std::mt19937& random) {
  std::normal_distribution<float> normal;
  for (float& value : frame.as<float>().first(floats)) value = normal(random);
}

TEST_F(PythonKernels, compute_with_frames_of_any_element_and_shape) {
  std::mt19937 random(1);
  const auto both = [&](ElementType element,
                        std::initializer_list<std::pair<std::string, std::size_t>> axes) {
    FrameType type = frame_type(element, axes);
    KernelBench bench =
        kernel("def process(a, b):\n    assert a.shape == b.shape\n    return a + b\n", {type, type});
    EXPECT_EQ(bench.output_type().to_string(), type.to_string());
    return bench;
  };
  KernelBench floats = both(ElementType::float32, {{"time", 7}, {"channel", 3}});
  for (int k = 0; k < 3; ++k) {
    for (std::size_t i : {0, 1}) fill_noise(floats.input(i), 21, random);
    ASSERT_EQ(floats.process(), Outcome::produced);
    for (std::size_t i = 0; i < 21; ++i)
      EXPECT_EQ(floats.output().as<float>()[i],
                floats.input(0).as<float>()[i] + floats.input(1).as<float>()[i]);
  }
  KernelBench single = both(ElementType::complex_float32, {{"time", 1}});
  single.input(0).as<float>()[1] = 2;
  single.input(1).as<float>()[1] = 3;
  ASSERT_EQ(single.process(), Outcome::produced);
  EXPECT_EQ(single.output().as<float>()[1], 5);
  KernelBench integers = both(ElementType::int16, {{"time", 5}});
  integers.input(0).as<std::int16_t>()[4] = -300;
  ASSERT_EQ(integers.process(), Outcome::produced);
  EXPECT_EQ(integers.output().as<std::int16_t>()[4], -300);
  KernelBench pairs =
      kernel("import numpy as np\ndef process(x):\n    return (x['r'] + 1j * x['i']).astype('c8')\n",
             {frame_type(ElementType::complex_int8, {{"time", 4}, {"polarisation", 2}})},
             {{"element", "complex_float32"}});
  for (std::size_t i = 0; i < 16; ++i) pairs.input().as<std::int8_t>()[i] = static_cast<std::int8_t>(i - 8);
  ASSERT_EQ(pairs.process(), Outcome::produced);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(pairs.output().as<float>()[i], static_cast<float>(i) - 8);
}

/// Frames belong to the script, which may change and keep them.
TEST_F(PythonKernels, may_keep_and_change_their_inputs) {
  KernelBench bench = kernel(R"(
class Delay:
    def __init__(self, frames=1):
        self.kept, self.frames = [], frames
    def __call__(self, x):
        self.kept.append(x)
        x *= 2
        return self.kept.pop(0) if len(self.kept) > self.frames else None
    def finish(self):
        yield from self.kept
)",
                             {spectra(4, 2)}, {{"function", "Delay"}, {"parameters", "[frames=3]"}});
  std::vector<float> given;
  const auto take = [&](Outcome outcome) {
    if (outcome != Outcome::absorbed) given.push_back(bench.output().as<float>()[5]);
    return outcome;
  };
  for (std::uint64_t k = 0; k < 8; ++k) {
    bench.input().as<float>()[5] = static_cast<float>(k);
    bench.input().header() = {.sequence = k, .parts = 1, .combined = 1};
    if (k == 4) bench.transfer_state();  // As when a run changes its plan.
    (void)take(bench.process());
  }
  EXPECT_EQ(take(bench.finish()), Outcome::more);
  EXPECT_EQ(bench.output().header().sequence, 8U);
  EXPECT_EQ(take(bench.finish()), Outcome::more);
  EXPECT_EQ(take(bench.finish()), Outcome::produced);
  EXPECT_EQ(bench.output().header().sequence, 10U);
  EXPECT_EQ(bench.finish(), Outcome::absorbed);
  EXPECT_EQ(given, (std::vector<float>{0, 2, 4, 6, 8, 10, 12, 14}));
}

TEST_F(PythonKernels, receive_flags_of_missing_values_and_set_them) {
  const char* const text = R"(
import numpy as np
def process(x, info):
    mask = info.mask()
    assert mask.shape == x.shape and mask.dtype == bool
    if x.dtype.kind == 'f':
        assert (mask == np.isnan(x)).all()
    return np.where(mask, -1, x.astype('f4'))
def doubled(x):
    return np.ma.masked_invalid(x) * 2
)";
  FrameType packets = frame_type(ElementType::uint8, {{"packet", 4}, {"beamlet", 6}, {"time", 2}});
  packets.parts = {4, 3};
  KernelBench integers = kernel(text, {packets}, {{"element", "float32"}});
  std::mt19937 random(3);
  for (int k = 0; k < 4; ++k) {
    const auto bytes = integers.input().as<std::uint8_t>();
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = i < 48 ? 7 : random() % 2;
    integers.input().header().missing_parts = k == 0 ? 0 : 1;
    ASSERT_EQ(integers.process(), Outcome::produced);
    for (std::size_t i = 0; i < 48; ++i) {
      const bool is_missing = k > 0 && bytes[48 + i / 12 * 3 + i / 2 % 6 / 2] != 0;
      EXPECT_EQ(integers.output().as<float>()[i], is_missing ? -1 : 7);
    }
  }
  // Integers of the same shape keep their flags.
  KernelBench same = kernel("def process(x): return x\n", {packets});
  std::ranges::copy(integers.input().view().bytes, same.input().buffer().bytes.begin());
  same.input().header().missing_parts = 1;
  ASSERT_EQ(same.process(), Outcome::produced);
  EXPECT_EQ(same.output_type().parts, packets.parts);
  EXPECT_TRUE(std::ranges::equal(same.output().view().bytes, same.input().view().bytes));
  KernelBench floats = kernel(text, {spectra(5, 3)}, {{"function", "doubled"}});
  for (const std::uint32_t missing : {0U, 1U}) {
    floats.input().header() = {.parts = 5, .missing_parts = missing, .combined = 1};
    for (std::size_t i = 0; i < 15; ++i) floats.input().as<float>()[i] = static_cast<float>(i);
    floats.input().as<float>()[7] = std::nanf("");
    ASSERT_EQ(floats.process(), Outcome::produced);
    // Values that the script flags as missing are missing for downstream kernels.
    EXPECT_GT(floats.output().header().missing_parts, 0U);
    for (std::size_t i = 0; i < 15; ++i)
      if (i == 7)
        EXPECT_TRUE(std::isnan(floats.output().as<float>()[i]));
      else
        EXPECT_EQ(floats.output().as<float>()[i], 2 * static_cast<float>(i));
  }
}

/// numpy writes NaN + 0j, and other kernels would use the 0 as data.
TEST_F(PythonKernels, mark_both_parts_of_a_complex_value) {
  KernelBench bench = kernel(R"(
import numpy as np
def process(x):
    x = x.copy()
    x[1] = np.nan
    return x
)",
                             {frame_type(ElementType::complex_float32, {{"time", 3}})});
  std::ranges::fill(bench.input().as<float>(), 1.0F);
  ASSERT_EQ(bench.process(), Outcome::produced);
  const auto values = bench.output().as<float>();
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(std::isnan(values[i]), i / 2 == 1) << i;
}

TEST_F(PythonKernels, combine_frames_by_their_numbers) {
  FrameType type = spectra(2, 3);
  type.rate_hz = 8;
  KernelBench bench = kernel(R"(
import numpy as np, takt
class Peak:
    def __init__(self):
        self.best = None
    def output_type(self, x):
        return takt.Type(x.element, [x.axis('channel')], unit='peak')
    def __call__(self, x):
        best = x.max(axis=0)
        self.best = best if self.best is None else np.maximum(self.best, best)
    def finish(self):
        best, self.best = self.best, None
        return best
)",
                             {type}, {{"function", "Peak"}, {"frames", "4"}});
  EXPECT_EQ(bench.output_type().to_string(), "float32[channel=3]");
  EXPECT_EQ(bench.output_type().rate_hz, 2);
  EXPECT_EQ(bench.output_type().unit, "peak");
  std::vector<float> peaks;
  std::vector<std::uint32_t> combined;
  const auto take = [&](Outcome outcome) {
    if (outcome == Outcome::absorbed) return;
    peaks.push_back(bench.output().as<float>()[2]);
    combined.push_back(bench.output().header().combined);
  };
  // Frames 6 and 7 are lost, 7 is the last one of its group; frame 8 ends it.
  for (const std::uint64_t k : {0, 1, 2, 3, 4, 5, 8, 9}) {
    if (k == 5) bench.transfer_state();
    for (float& value : bench.input().as<float>()) value = static_cast<float>(k % 3);
    bench.input().header() = {.sequence = k, .parts = 1, .combined = 1};
    take(bench.process());
  }
  take(bench.finish());
  EXPECT_EQ(peaks, (std::vector<float>{2, 2, 2}));
  EXPECT_EQ(combined, (std::vector<std::uint32_t>{4, 2, 2}));
}

TEST_F(PythonKernels, declare_their_output) {
  EXPECT_EQ(
      kernel("import takt\ndef process(x, n=2): return x[:n]\n"
             "def process_type(x, n=2): return takt.Type('float32', [('time', n), x.axis('channel')])\n",
             {spectra(8, 3)}, {{"parameters", "[n=5]"}})
          .output_type()
          .to_string(),
      "float32[time=5][channel=3]");
  EXPECT_EQ(kernel("def process(x): return x.sum(axis=1)\n", {spectra(8, 3)}, {{"axes", "[time=8]"}})
                .output_type()
                .to_string(),
            "float32[time=8]");
}

/// Integers have a mask of missing elements when their type declares one.
TEST_F(PythonKernels, output_integers_with_missing_elements) {
  const char* const text = R"(
import numpy as np, takt
def process(x):
    whole = (x * 10).astype('i2')
    return whole if x[0, 0] == -1 else np.ma.masked_greater(whole, 50)
def process_type(x):
    return takt.Type('int16', x.axes, masked=True)
def pairs(x):
    out = np.zeros(x.shape, [('r', 'i1'), ('i', 'i1')])
    out['r'] = 7
    return np.ma.array(out, mask=[(v, v) for v in (x > 5).flat])
def pairs_type(x):
    return takt.Type('complex_int8', x.axes, masked=True)
)";
  const FrameType input = frame_type(ElementType::float32, {{"time", 3}, {"channel", 2}});
  KernelBench bench = kernel(text, {input});
  ASSERT_EQ(bench.output_type().parts, (std::vector<std::size_t>{3, 2}));
  const std::array values{0.1F, 0.2F, 9.0F, 0.4F, 8.0F, -3.0F};
  std::ranges::copy(values, bench.input().as<float>().begin());
  bench.input().header() = {.parts = 3, .combined = 1};
  const auto flags = [&](std::size_t bytes) {
    std::vector<int> found;
    for (const std::byte flag : bench.output().view().bytes.subspan(bytes))
      found.push_back(std::to_integer<int>(flag));
    return found;
  };
  ASSERT_EQ(bench.process(), Outcome::produced);
  EXPECT_THAT(bench.output().as<std::int16_t>().first(6), ::testing::ElementsAre(1, 2, 0, 4, 0, -30));
  EXPECT_EQ(flags(12), (std::vector<int>{0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(bench.output().header().missing_parts, 2U);
  EXPECT_EQ(bench.output().header().parts, 6U);
  // A plain array is complete.
  bench.input().as<float>()[0] = -1;
  ASSERT_EQ(bench.process(), Outcome::produced);
  EXPECT_EQ(flags(12), std::vector<int>(6));
  EXPECT_EQ(bench.output().header().missing_parts, 0U);

  bench = kernel(text, {input}, {{"function", "pairs"}});
  std::ranges::copy(values, bench.input().as<float>().begin());
  ASSERT_EQ(bench.process(), Outcome::produced);
  EXPECT_EQ(flags(12), (std::vector<int>{0, 0, 1, 0, 1, 0}));
  EXPECT_EQ(bench.output().as<std::int8_t>()[2], 7);
  EXPECT_EQ(bench.output().as<std::int8_t>()[4], 0);
  EXPECT_THAT(refusal("import takt\ndef process(x): return x\n"
                      "def process_type(x): return takt.Type('float32', x.axes, masked=True)\n",
                      {input}),
              HasSubstr("masked is for integers: elements of float32 that are NaN are missing"));
}

/// A script that divides by the number of present values has an estimate independent of losses.
TEST_F(PythonKernels, pass_losses_of_any_share_on_without_bias) {
  KernelBench bench = kernel(
      "import numpy as np, warnings\nwarnings.simplefilter('ignore')\n"
      "def process(x): return np.nanmean(x, axis=0)\n",
      {spectra(64, 3)}, {{"axes", "[channel=3]"}});
  std::mt19937 random(5);
  for (const double loss : {0.0, 0.05, 0.2, 0.5, 1.0}) {
    std::array<double, 3> sums{}, counts{};
    std::size_t missing = 0;
    for (std::size_t i = 0; i < 192; ++i) {
      const bool is_lost = std::uniform_real_distribution<double>(0, 1)(random) < loss;
      const float value = static_cast<float>(random() % 1000);
      bench.input().as<float>()[i] = is_lost ? std::nanf("") : value;
      missing += is_lost ? 1 : 0;
      sums[i % 3] += is_lost ? 0 : value;
      counts[i % 3] += is_lost ? 0 : 1;
    }
    bench.input().header() = {
        .parts = 64, .missing_parts = static_cast<std::uint32_t>(missing), .combined = 1};
    ASSERT_EQ(bench.process(), Outcome::produced);
    for (std::size_t c = 0; c < 3; ++c)
      if (counts[c] == 0)
        EXPECT_TRUE(std::isnan(bench.output().as<float>()[c]));
      else
        EXPECT_NEAR(bench.output().as<float>()[c], sums[c] / counts[c], 1e-2);
  }
}

}  // namespace kernels_python_kernel_test
}  // namespace takt::pipeline::test
