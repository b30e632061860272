/// Tests that lost packets change no kernel's estimate. Compares every built-in kernel with random losses of
/// up to half of the stream with the same stream without losses.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace kernels_unbiased_test {

/// The estimate from a kernel's output: the mean or the mean square of the present values. `events`: rows
/// with an event; losses remove some and add none.
enum class Estimate { mean, power, events };

/// Normal noise of variance 1 around 4 or around 0; a tone of a tenth of the sample rate; the power of
/// complex noise, whose mean is 1.
enum class Sent { offset_noise, noise, tone, power };

constexpr std::size_t rows = 256, packet = 16;

struct Subject {
  std::string kernel;
  Written written;
  std::vector<FrameType> inputs;
  Estimate estimate = Estimate::mean;
  Sent sent = Sent::offset_noise;
  /// Times that are lost together.
  std::size_t burst = packet;
};

FrameType axes_of(ElementType element, std::vector<std::pair<std::string, std::size_t>> axes) {
  FrameType type;
  type.element = element;
  for (const auto& [name, size] : axes) {
    Axis axis{name, size, {}};
    for (std::size_t i = 0; i < size; ++i) {
      if (name == "time") axis.coordinates.push_back(1e-3 * static_cast<double>(i));
      if (name == "beamlet" || name == "channel")
        axis.coordinates.push_back(1e8 + 1e5 * static_cast<double>(i));
    }
    type.axes.push_back(std::move(axis));
  }
  type.rate_hz = 1e3 / rows;
  return type;
}

std::vector<Subject> subjects() {
  const FrameType voltages =
      axes_of(ElementType::complex_float32, {{"beamlet", 2}, {"time", rows}, {"polarisation", 2}});
  const FrameType samples =
      axes_of(ElementType::float32, {{"beamlet", 2}, {"time", rows}, {"polarisation", 2}});
  const FrameType powers = axes_of(ElementType::float32, {{"time", rows}, {"channel", 6}});
  const FrameType spectra =
      axes_of(ElementType::complex_float32, {{"time", rows}, {"channel", 4}, {"polarisation", 2}});
  FrameType packets =
      axes_of(ElementType::complex_int8,
              {{"packet", rows / packet}, {"beamlet", 2}, {"time", packet}, {"polarisation", 2}});
  packets.parts = {rows / packet};
  constexpr Estimate power = Estimate::power;
  const FrameType row = axes_of(ElementType::complex_float32, {{"time", rows}});
  const FrameType square = axes_of(ElementType::float32, {{"time", 8}, {"channel", 8}});
  const Written script{{"file", TAKT_SOURCE_DIR "/tests/pipeline/kernels/estimates.py"},
                       {"interpreter", takt::test::python},
                       {"trial", "false"}};
  const auto python = [&](Written own) {
    own.insert(own.end(), script.begin(), script.end());
    return own;
  };
  return {
      {"lofar_unpack", {}, {packets}},
      {"unpack", {{"offset", "0.5"}, {"scale", "2"}}, {packets}},
      {"align", {{"samples", "70"}}, {powers}},
      {"align", {{"samples", "3"}}, {voltages}, power, Sent::tone},
      {"select", {{"axis", "channel"}, {"indices", "[1, 4]"}}, {powers}},
      {"stack", {}, {powers, powers}},
      {"merge_lanes", {}, {voltages, voltages}},
      {"transpose", {{"axes", "[channel, time]"}}, {powers}},
      {"fft", {{"channels", "16"}}, {voltages}, power, Sent::noise},
      {"fft", {{"channels", "16"}}, {voltages}, power, Sent::tone},
      // An incomplete spectrum keeps the noise power, and a tone loses power (kernels.md).
      {"fft", {{"channels", "32"}, {"least", "0.4"}}, {voltages}, power, Sent::noise},
      {"inverse_fft", {{"channels", "4"}}, {spectra}, power, Sent::noise},
      {"real_fft", {{"samples", "16"}}, {samples}, power, Sent::noise},
      {"real_fft", {{"samples", "16"}}, {samples}, power, Sent::tone},
      // One missing sample affects the whole result: packets are long, so that some frames are complete.
      {"large_fft", {}, {row}, power, Sent::noise, rows / 4},
      {"pfb", {{"channels", "8"}, {"taps", "2"}}, {voltages}, power, Sent::noise},
      {"pfb", {{"channels", "8"}, {"taps", "2"}}, {voltages}, power, Sent::tone},
      {"delay", {{"delay", "3 ms"}, {"taps", "4"}}, {samples}},
      {"delay", {{"delay", "3 ms"}, {"taps", "4"}}, {samples}, power, Sent::tone},
      {"phase_rotate", {{"frequency", "10"}}, {voltages}, power, Sent::noise},
      {"downmix", {{"frequency", "0"}, {"factor", "2"}, {"half_width", "1"}}, {voltages}},
      {"downmix", {{"frequency", "90"}, {"factor", "2"}, {"half_width", "1"}}, {voltages}, power, Sent::tone},
      {"fir", {{"coefficients", "[0.5, 0.25, 0.25]"}}, {powers}},
      {"fir", {{"low", "50 Hz"}, {"high", "200 Hz"}, {"taps", "9"}}, {powers}, power, Sent::noise},
      {"fir", {{"low", "50 Hz"}, {"high", "200 Hz"}, {"taps", "9"}}, {powers}, power, Sent::tone},
      {"iir", {{"high", "100 Hz"}, {"order", "2"}}, {powers}},
      {"iir", {{"high", "200 Hz"}, {"order", "2"}}, {powers}, power, Sent::noise},
      {"iir", {{"high", "200 Hz"}, {"order", "2"}}, {powers}, power, Sent::tone},
      {"iir", {{"low", "60 Hz"}, {"order", "3"}}, {voltages}, power, Sent::tone},
      {"iir", {{"high", "200 Hz"}, {"order", "2"}}, {powers}, power, Sent::tone, 1},
      {"iir", {{"low", "1 Hz"}, {"least", "0.95"}}, {powers}, power, Sent::offset_noise, 1},
      // A strong constant, which a high-pass must suppress after each gap.
      {"iir", {{"low", "20 Hz"}, {"least", "0"}}, {powers}, power},
      // All received samples are used, and noise keeps its power.
      {"iir", {{"low", "30 Hz"}, {"high", "120 Hz"}, {"least", "0"}}, {powers}, power, Sent::noise},
      {"remove_response",
       {{"poles", "[-60:60, -60:-60]"},
        {"zeros", "[0:0, 0:0]"},
        {"sensitivity", "2"},
        {"band", "[10, 60, 300, 450]"},
        {"taps", "9"}},
       {powers},
       power,
       Sent::tone},
      {"decimate", {{"factor", "2"}, {"half_width", "2"}}, {powers}},
      {"decimate", {{"factor", "2"}, {"half_width", "2"}}, {powers}, power, Sent::tone},
      {"resample", {{"up", "2"}, {"down", "4"}, {"half_width", "2"}}, {powers}},
      {"resample", {{"up", "2"}, {"down", "4"}, {"half_width", "2"}}, {powers}, power, Sent::noise},
      {"stokes", {}, {voltages}},
      {"stokes", {{"mode", "IQUV"}}, {voltages}, Estimate::mean, Sent::noise},
      {"beamform", {}, {voltages, voltages}},
      {"beamform", {}, {voltages, voltages, voltages}, power, Sent::tone},
      // With noise, only sums of the same number of antennas are comparable.
      {"beamform", {{"least", "1"}}, {voltages, voltages}, power, Sent::noise},
      {"correlate", {}, {spectra, spectra}},
      {"correlate", {{"frames", "3"}}, {spectra, spectra}, Estimate::mean, Sent::noise},
      {"matrix_product", {}, {square, square}, Estimate::mean, Sent::offset_noise, 4},
      {"power_iteration", {}, {square}, Estimate::mean, Sent::offset_noise, 4},
      {"sum", {}, {powers, powers, powers}},
      {"sum", {{"mode", "mean"}, {"least", "1"}}, {powers, powers}, power, Sent::noise},
      {"integrate", {{"factor", "64"}}, {powers}},
      {"integrate", {{"factor", "512"}}, {powers}, Estimate::mean, Sent::power},
      {"statistics", {}, {powers}},
      {"statistics", {{"frames", "2"}}, {powers}, Estimate::mean, Sent::power},
      {"bandpass", {{"frames", "3"}}, {powers}},
      {"bandpass", {{"frames", "50"}}, {powers}, Estimate::mean, Sent::power},
      {"bandpass", {{"frames", "20"}, {"mode", "subtract"}}, {powers}, power},
      {"rfi_mask", {{"method", "median_deviation"}, {"of", "values"}, {"sigma", "5"}}, {powers}},
      {"rfi_mask", {{"method", "median_deviation"}, {"sigma", "4"}}, {powers}, Estimate::mean, Sent::power},
      {"rfi_mask", {}, {powers}, Estimate::mean, Sent::power},
      {"clip", {{"low", "3.5"}, {"high", "4.5"}}, {powers}},
      // The last present value is as good as the missing one; zeros are not, as kernels.md documents.
      {"fill", {{"flags", "hold"}}, {powers}},
      {"detrend", {{"mode", "mean"}}, {powers}},
      {"detrend", {}, {powers}, power},
      {"dedisperse", {{"first", "0"}, {"step", "0.5"}, {"trials", "3"}}, {powers}},
      {"fold", {{"period", "0.05"}, {"bins", "4"}}, {powers}},
      {"fold", {{"period", "0.05"}, {"bins", "4"}, {"frames", "2"}}, {powers}, Estimate::mean, Sent::power},
      // The mean and variance of an incomplete boxcar are unbiased; a tone needs complete ones. One width per
      // row, since more short ones than long ones are missing.
      {"matched_filter", {{"widths", "[3]"}}, {powers}},
      {"matched_filter", {{"widths", "[20]"}}, {powers}},
      {"matched_filter", {{"widths", "[20]"}}, {powers}, power},
      {"matched_filter", {{"widths", "[20]"}}, {powers}, power, Sent::offset_noise, 1},
      {"matched_filter", {{"widths", "[1, 3, 8]"}}, {powers}, power, Sent::noise},
      {"matched_filter", {{"widths", "[6]"}, {"least", "1"}}, {powers}, power, Sent::tone},
      {"sta_lta", {{"short", "20 ms"}, {"long", "200 ms"}}, {powers}},
      {"sta_lta", {{"short", "20 ms"}, {"long", "200 ms"}}, {powers}, Estimate::mean, Sent::noise},
      {"threshold", {{"above", "6"}, {"events", "4096"}}, {powers}, Estimate::events},
      {"quantise", {{"levels", "each"}}, {powers}},
      {"python", python({{"function", "same"}}), {voltages}, power, Sent::tone},
      {"python", python({{"function", "spectrum"}}), {voltages}, Estimate::mean, Sent::noise},
      {"python", python({{"function", "Mean"}, {"frames", "2"}}), {powers}},
      {"pass", {}, {powers}},
      {"hold", {{"frames", "3"}}, {powers}},
      {"spin", {{"time", "0"}}, {powers}},
  };
}

/// The contiguous numbers of a time, and the number of times.
struct Moments {
  explicit Moments(const FrameType& type) : inner(type.element == ElementType::complex_float32 ? 2 : 1) {
    for (const Axis& axis : type.axes) {
      if (count > 0) inner *= axis.size;
      if (axis.name == "time") count = axis.size;
    }
  }
  [[nodiscard]] std::size_t of(std::size_t i) const { return i / inner % count; }
  std::size_t inner, count = 0;
};

/// The input, the same for the same seed, with losses and without.
class Frames {
 public:
  Frames(unsigned seed, double loss, Sent sent, std::size_t burst)
      : noise_(seed), chance_(seed + 1000), loss_(loss), sent_(sent), burst_(burst) {}

  /// Returns false when the whole frame is lost, a quarter as often as packets.
  bool fill(KernelBench& bench, const std::vector<FrameType>& types, std::uint64_t number) {
    for (std::size_t input = 0; input < types.size(); ++input) {
      FrameHeader& header = bench.input(input).header();
      header = {.sequence = number,
                .utc_ns = static_cast<std::int64_t>(number) * 256'000'000,
                .parts = static_cast<std::uint32_t>(rows / burst_),
                .combined = 1};
      if (types[input].element == ElementType::complex_int8) {
        fill_packets(bench.input(input), types[input], header);
        continue;
      }
      make(bench.input(input).as<float>(), types[input], number);
      lose(bench.input(input).as<float>(), types[input], header);
    }
    return std::uniform_real_distribution<double>(0, 1)(chance_) >= loss_ / 4;
  }

 private:
  [[nodiscard]] bool is_lost() { return std::uniform_real_distribution<double>(0, 1)(chance_) < loss_; }

  void make(std::span<float> values, const FrameType& type, std::uint64_t number) {
    std::normal_distribution<float> normal(sent_ == Sent::offset_noise ? 4 : 0, 1);
    std::exponential_distribution<float> exponential;
    const Moments moments(type);
    const bool is_complex = type.element == ElementType::complex_float32;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double angle =
          0.2 * std::numbers::pi * static_cast<double>(number * moments.count + moments.of(i));
      values[i] = sent_ == Sent::tone
                      ? static_cast<float>(is_complex && i % 2 == 1 ? std::sin(angle) : std::cos(angle))
                  : sent_ == Sent::power ? exponential(noise_)
                                         : normal(noise_);
    }
  }

  void fill_packets(FrameMemory& frame, const FrameType& type, FrameHeader& header) {
    std::normal_distribution<float> normal(4, 10);
    for (std::int8_t& value : frame.as<std::int8_t>().first(type.data_size().count))
      value = static_cast<std::int8_t>(std::clamp(std::round(normal(noise_)), -100.0F, 100.0F));
    const std::span<std::byte> flags = frame.buffer().bytes.subspan(type.data_size().count);
    for (std::byte& flag : flags) {
      const bool lost = is_lost();
      flag = std::byte{lost};
      header.missing_parts += lost ? 1 : 0;
    }
  }

  /// Loses packets of some times, with all values of these times.
  void lose(std::span<float> values, const FrameType& type, FrameHeader& header) {
    const Moments moments(type);
    const std::size_t times = moments.count;
    std::vector<bool> lost(times);
    for (std::size_t t = 0; t < times; t += burst_) {
      const bool packet_is_lost = is_lost();
      header.missing_parts += packet_is_lost ? 1 : 0;
      for (std::size_t i = t; i < std::min(t + burst_, times); ++i) lost[i] = packet_is_lost;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (lost[moments.of(i)]) values[i] = std::nanf("");
  }

  std::mt19937 noise_, chance_;
  double loss_;
  Sent sent_;
  std::size_t burst_;
};

/// Mean over frames of their estimates, its standard error, and the number of values.
struct Result {
  double mean = 0, error = 0, count = 0, events = 0;
};

/// Calls the action for each present value of the last output.
template <class Action>
void for_each_value(KernelBench& bench, Action&& action) {
  const FrameType& type = bench.output_type();
  const std::size_t count = type.element_count();
  if (type.element == ElementType::uint8) {
    const std::span<const std::uint8_t> codes = bench.output().as<std::uint8_t>();
    const bool has_flags = bench.output().header().missing_parts > 0;
    for (std::size_t i = 0; i < count; ++i)
      if (!has_flags || codes[count + i] == 0) action(static_cast<double>(codes[i]));
  } else if (type.element == ElementType::complex_float32) {
    // A value with a missing part is missing.
    const std::span<const float> parts = bench.output().as<float>();
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      if (std::isnan(parts[i]) || std::isnan(parts[i + 1])) continue;
      action(static_cast<double>(parts[i]));
      action(static_cast<double>(parts[i + 1]));
    }
  } else if (type.element == ElementType::float64) {
    for (const double value : bench.output().as<double>())
      if (!std::isnan(value)) action(value);
  } else {
    for (const float value : bench.output().as<float>())
      if (!std::isnan(value)) action(static_cast<double>(value));
  }
}

Result run(const Subject& subject, unsigned seed, double loss) {
  constexpr std::uint64_t frames = 60;
  KernelBench bench(subject.kernel, subject.written, subject.inputs);
  Frames stream(seed, loss, subject.sent, subject.burst);
  Result result;
  double sum = 0, squares = 0, used = 0;
  for (std::uint64_t k = 0; k < frames; ++k) {
    if (!stream.fill(bench, subject.inputs, k) || bench.process() == Outcome::absorbed) continue;
    double own = 0, count = 0;
    for_each_value(bench, [&](double value) {
      own += subject.estimate == Estimate::power ? value * value : value;
      ++count;
    });
    result.count += count;
    result.events += count / 4;
    // Excludes frames before the kernel has settled, and almost empty frames.
    if (k < 8 || count * 20 < static_cast<double>(bench.output_type().element_count())) continue;
    sum += own / count;
    squares += own / count * (own / count);
    ++used;
  }
  if (used > 1) {
    result.mean = sum / used;
    result.error = std::sqrt(std::max(squares / used - result.mean * result.mean, 0.0) / (used - 1));
  } else {
    result.error = std::numeric_limits<double>::infinity();
  }
  return result;
}

TEST(Losses, are_tested_with_every_built_in_kernel) {
  std::set<std::string> tried;
  for (const Subject& subject : subjects()) tried.insert(subject.kernel);
  const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  for (const KernelKind& kind : registry.kinds())
    EXPECT_TRUE(tried.contains(kind.name)) << kind.name << " has no row in this test";
}

TEST(Losses, change_no_estimate_beyond_its_noise) {
  std::size_t row = 0;
  for (const Subject& subject : subjects()) {
    const std::string name = std::to_string(++row) + " " + subject.kernel;
    const Result whole = run(subject, 1, 0);
    ASSERT_GT(whole.count, 0) << name;
    std::size_t compared = 0;
    for (const auto& [seed, loss] : {std::pair(2U, 0.05), {3U, 0.2}, {5U, 0.5}}) {
      const Result lossy = run(subject, seed, loss);
      const std::string what = name + " with losses of " + std::to_string(loss);
      switch (subject.estimate) {
        case Estimate::events:
          EXPECT_LE(lossy.events, whole.events + 4 * std::sqrt(whole.events)) << what;
          EXPECT_GE(lossy.events, whole.events * (1 - loss) * 0.7 - 4 * std::sqrt(whole.events)) << what;
          ++compared;
          break;
        default: {
          const double error = std::hypot(whole.error, lossy.error);
          if (!std::isfinite(error)) break;
          ++compared;
          // A tone has no noise; after a gap, 1 % of the earlier signal remains in a filter.
          const double least = subject.sent == Sent::tone ? 0.01 : 1e-4;
          EXPECT_NEAR(lossy.mean, whole.mean, 5 * error + least * std::abs(whole.mean) + 1e-6) << what;
        }
      }
    }
    // With half of the stream lost, long filters find no complete run.
    EXPECT_GE(compared, 2U) << name;
  }
}

/// A filter is useful when one sample in twenty is missing: it outputs at most
/// 19/20 of the samples, long filters output less.
TEST(Losses, of_single_samples_keep_filters_useful) {
  const FrameType powers = axes_of(ElementType::float32, {{"time", rows}, {"channel", 6}});
  for (const auto& [written, least] :
       {std::pair(Written{{"high", "200 Hz"}, {"order", "2"}}, 0.65),
        {Written{{"low", "1 Hz"}}, 0.9},
        {Written{{"low", "10 Hz"}}, 0.4},
        {Written{{"low", "5 Hz"}, {"high", "100 Hz"}, {"bridge", "2 ms"}}, 0.9}}) {
    KernelBench bench("iir", written, {powers});
    Frames stream(3, 0.05, Sent::noise, 1);
    double there = 0, all = 0;
    for (std::uint64_t k = 0; k < 60; ++k) {
      // The stream loses frames as well; this test uses all of them.
      (void)stream.fill(bench, {powers}, k);
      ASSERT_EQ(bench.process(), Outcome::produced);
      for_each_value(bench, [&](double) { ++there; });
      all += static_cast<double>(powers.element_count());
    }
    EXPECT_GT(there, least * all) << written.front().first << " " << written.front().second;
    EXPECT_LT(there, 0.96 * all);
  }
}

/// NaN and infinities without a flag in the header, as a script or a plug-in may produce.
TEST(Poison, disappears_from_every_kernel_after_a_while) {
  constexpr std::uint64_t poisoned = 4, from = 28, frames = 32;
  for (const Subject& subject : subjects()) {
    if (subject.inputs.front().element != ElementType::float32 &&
        subject.inputs.front().element != ElementType::complex_float32)
      continue;
    KernelBench clean(subject.kernel, subject.written, subject.inputs),
        spoilt(subject.kernel, subject.written, subject.inputs);
    Frames first(7, 0, subject.sent, packet), second(7, 0, subject.sent, packet);
    double far = 0, scale = 1e-6;
    std::size_t unlike = 0;
    for (std::uint64_t k = 0; k < frames; ++k) {
      (void)first.fill(clean, subject.inputs, k);
      (void)second.fill(spoilt, subject.inputs, k);
      const std::span<float> values = spoilt.input().as<float>();
      if (k == poisoned) {
        values[values.size() / 3] = std::numeric_limits<float>::infinity();
        values[values.size() / 2] = -std::numeric_limits<float>::infinity();
        values[values.size() - 2] = std::nanf("");
      }
      const Outcome outcome = clean.process();
      ASSERT_EQ(spoilt.process(), outcome) << subject.kernel;
      if (k < from || outcome == Outcome::absorbed) continue;
      std::vector<double> expected, got;
      for_each_value(clean, [&](double value) { expected.push_back(value); });
      for_each_value(spoilt, [&](double value) { got.push_back(value); });
      unlike += expected.size() != got.size();
      for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) {
        far = std::max(far, std::isfinite(got[i]) ? std::abs(got[i] - expected[i]) : 1e300);
        scale = std::max(scale, std::abs(expected[i]));
      }
    }
    // A running mean of 50 frames is affected by the missing sample.
    EXPECT_LE(far, 0.01 * scale) << subject.kernel;
    EXPECT_EQ(unlike, 0U) << subject.kernel;
  }
}

/// Infinities are values; NaN that results from them is missing, for downstream kernels and for files.
TEST(Infinities, cause_no_nan_without_a_flag_in_the_header) {
  for (const Subject& subject : subjects()) {
    // Rows without an event are NaN.
    if (subject.inputs.front().element == ElementType::complex_int8 || subject.kernel == "threshold")
      continue;
    KernelBench bench(subject.kernel, subject.written, subject.inputs);
    Frames stream(7, 0, subject.sent, packet);
    for (std::uint64_t k = 0; k < 12; ++k) {
      (void)stream.fill(bench, subject.inputs, k);
      for (std::size_t i = 0; i < subject.inputs.size(); ++i) {
        const std::span<float> values = bench.input(i).as<float>();
        // Of both signs at one position of several inputs, and one after another.
        if (k == 4)
          values[values.size() / 3] = (i % 2 == 0 ? 1 : -1) * std::numeric_limits<float>::infinity();
        if (k == 4 || k == 8) values[values.size() / 2] = std::numeric_limits<float>::infinity();
        if (k == 8) values[values.size() / 2 + 12] = -std::numeric_limits<float>::infinity();
      }
      if (bench.process() == Outcome::absorbed) continue;
      const FrameType& type = bench.output_type();
      if (type.element != ElementType::float32 && type.element != ElementType::complex_float32) break;
      const bool has_nan =
          std::ranges::any_of(bench.output().as<float>(), [](float x) { return std::isnan(x); });
      EXPECT_TRUE(!has_nan || bench.output().header().missing_parts > 0)
          << subject.kernel << " at frame " << k;
    }
  }
}

}  // namespace kernels_unbiased_test
}  // namespace takt::pipeline::test
