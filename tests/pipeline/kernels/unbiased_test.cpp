/// Does any kernel's estimate move when packets are lost? Every built-in kernel, random losses of up to half
/// of the stream, against the same stream without losses.

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

/// What is estimated from a kernel's output: its mean, or its mean square, over what is there. `nothing`: one
/// missing sample is everywhere in the result, which is missing then. `events`: rows with an event, of which
/// losses take some away and add none.
enum class Estimate { mean, power, nothing, events };

struct Subject {
  Written written;
  std::vector<FrameType> inputs;
  Estimate estimate = Estimate::mean;
};

constexpr std::size_t rows = 256, burst = 16;

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

std::map<std::string, Subject> subjects() {
  const FrameType voltages =
      axes_of(ElementType::complex_float32, {{"beamlet", 2}, {"time", rows}, {"polarisation", 2}});
  const FrameType samples =
      axes_of(ElementType::float32, {{"beamlet", 2}, {"time", rows}, {"polarisation", 2}});
  const FrameType powers = axes_of(ElementType::float32, {{"time", rows}, {"channel", 6}});
  const FrameType spectra =
      axes_of(ElementType::complex_float32, {{"time", rows}, {"channel", 4}, {"polarisation", 2}});
  FrameType packets =
      axes_of(ElementType::complex_int8,
              {{"packet", rows / burst}, {"beamlet", 2}, {"time", burst}, {"polarisation", 2}});
  packets.parts = {rows / burst};
  const FrameType square = axes_of(ElementType::float32, {{"time", 16}, {"channel", 16}});
  return {
      {"lofar_unpack", {{}, {packets}}},
      {"select", {{{"axis", "channel"}, {"indices", "[1, 4]"}}, {powers}}},
      {"stack", {{}, {powers, powers}}},
      {"transpose", {{{"axes", "[channel, time]"}}, {powers}}},
      {"fft", {{{"channels", "16"}}, {voltages}, Estimate::power}},
      {"inverse_fft", {{{"channels", "4"}}, {spectra}, Estimate::power}},
      {"real_fft", {{{"samples", "16"}}, {samples}, Estimate::power}},
      {"large_fft", {{}, {axes_of(ElementType::complex_float32, {{"time", rows}})}, Estimate::nothing}},
      {"pfb", {{{"channels", "8"}, {"taps", "2"}}, {voltages}, Estimate::power}},
      {"delay", {{{"delay", "3 ms"}, {"taps", "4"}}, {samples}}},
      {"phase_rotate", {{{"frequency", "10"}}, {voltages}, Estimate::power}},
      {"downmix", {{{"frequency", "0"}, {"factor", "2"}, {"half_width", "1"}}, {voltages}}},
      {"fir", {{{"coefficients", "[0.5, 0.25, 0.25]"}}, {powers}}},
      // Of noise around 0: a missing sample counts as 0 for what comes after it.
      {"iir", {{{"low", "20 Hz"}}, {powers}}},
      {"decimate", {{{"factor", "2"}, {"half_width", "2"}}, {powers}}},
      {"resample", {{{"up", "2"}, {"down", "4"}, {"half_width", "2"}}, {powers}}},
      {"stokes", {{}, {voltages}}},
      {"beamform", {{}, {voltages, voltages}}},
      {"correlate", {{}, {spectra, spectra}}},
      {"matrix_product", {{}, {square, square}, Estimate::nothing}},
      {"power_iteration", {{}, {square}, Estimate::nothing}},
      {"sum", {{}, {powers, powers, powers}}},
      {"integrate", {{{"factor", "64"}}, {powers}}},
      {"statistics", {{}, {powers}}},
      {"bandpass", {{{"frames", "3"}}, {powers}}},
      {"rfi_mask", {{{"method", "median_deviation"}, {"of", "values"}, {"sigma", "5"}}, {powers}}},
      {"clip", {{{"low", "3.5"}, {"high", "4.5"}}, {powers}}},
      // What it puts in the place of missing values is not what they were.
      {"fill", {{{"flags", "hold"}}, {powers}, Estimate::nothing}},
      {"detrend", {{{"mode", "mean"}}, {powers}}},
      {"dedisperse", {{{"first", "0"}, {"step", "0.5"}, {"trials", "3"}}, {powers}}},
      {"fold", {{{"period", "0.05"}, {"bins", "4"}}, {powers}}},
      // Of noise around 0, of which a boxcar keeps the variance however much of it is there.
      {"matched_filter", {{{"widths", "[1, 3, 8]"}}, {powers}, Estimate::power}},
      {"sta_lta", {{{"short", "20 ms"}, {"long", "200 ms"}}, {powers}}},
      {"threshold", {{{"above", "6"}, {"events", "4096"}}, {powers}, Estimate::events}},
      {"quantise", {{{"levels", "each"}}, {powers}}},
      {"pass", {{}, {powers}}},
      {"spin", {{{"time", "0"}}, {powers}}},
  };
}

/// Noise of variance 1 around 4, or around 0 where powers are estimated; the same for the same seed, with
/// losses and without.
class Frames {
 public:
  Frames(unsigned seed, double loss, double mean)
      : noise_(seed), chance_(seed + 1000), loss_(loss), mean_(mean) {}

  void fill(KernelBench& bench, const std::vector<FrameType>& types, std::uint64_t number) {
    std::normal_distribution<float> normal(static_cast<float>(mean_), 1);
    for (std::size_t input = 0; input < types.size(); ++input) {
      FrameHeader& header = bench.input(input).header();
      header = {.sequence = number,
                .utc_ns = static_cast<std::int64_t>(number) * 256'000'000,
                .parts = rows / burst,
                .combined = 1};
      if (types[input].element == ElementType::complex_int8) {
        fill_packets(bench.input(input), types[input], header);
        continue;
      }
      for (float& value : bench.input(input).as<float>()) value = normal(noise_);
      lose(bench.input(input).as<float>(), types[input], header);
    }
  }

 private:
  [[nodiscard]] bool is_lost() { return std::uniform_real_distribution<double>(0, 1)(chance_) < loss_; }

  void fill_packets(FrameMemory& frame, const FrameType& type, FrameHeader& header) {
    std::normal_distribution<float> normal(static_cast<float>(mean_), 10);
    for (std::int8_t& value : frame.as<std::int8_t>().first(type.data_size().count))
      value = static_cast<std::int8_t>(std::clamp(std::round(normal(noise_)), -100.0F, 100.0F));
    const std::span<std::byte> flags = frame.buffer().bytes.subspan(type.data_size().count);
    for (std::byte& flag : flags) {
      const bool lost = is_lost();
      flag = std::byte{lost};
      header.missing_parts += lost ? 1 : 0;
    }
  }

  /// Packets of some moments, of everything else at once.
  void lose(std::span<float> values, const FrameType& type, FrameHeader& header) {
    std::size_t inner = type.element == ElementType::complex_float32 ? 2 : 1, times = 0;
    for (const Axis& axis : type.axes) {
      if (times > 0) inner *= axis.size;
      if (axis.name == "time") times = axis.size;
    }
    std::vector<bool> lost(times);
    for (std::size_t t = 0; t < times; t += burst) {
      const bool packet_is_lost = is_lost();
      header.missing_parts += packet_is_lost ? 1 : 0;
      for (std::size_t i = t; i < std::min(t + burst, times); ++i) lost[i] = packet_is_lost;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
      if (lost[i / inner % times]) values[i] = std::nanf("");
  }

  std::mt19937 noise_, chance_;
  double loss_, mean_;
};

/// Mean over frames of each one's estimate, its standard error, and how much there was.
struct Result {
  double mean = 0, error = 0, count = 0, events = 0;
};

/// What is there of the last output, each value by itself.
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
    // Of which a part is missing, all is.
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

Result run(const std::string& kernel, const Subject& subject, unsigned seed, double loss) {
  const bool is_power = subject.estimate == Estimate::power || kernel == "iir";
  constexpr std::uint64_t frames = 60;
  KernelBench bench(kernel, subject.written, subject.inputs);
  Frames stream(seed, loss, is_power ? 0 : 4);
  Result result;
  double sum = 0, squares = 0, used = 0;
  for (std::uint64_t k = 0; k < frames; ++k) {
    stream.fill(bench, subject.inputs, k);
    if (bench.process() == Outcome::absorbed) continue;
    double own = 0, count = 0;
    for_each_value(bench, [&](double value) {
      own += subject.estimate == Estimate::power ? value * value : value;
      ++count;
    });
    result.count += count;
    result.events += count / 4;
    // Until a kernel has settled; and frames of which next to nothing is there.
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

TEST(Losses, are_tried_on_every_built_in_kernel) {
  const auto all = subjects();
  const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  for (const KernelKind& kind : registry.kinds())
    // What a script estimates is its own business: python_kernel_test.
    EXPECT_TRUE(kind.name == "python" || all.contains(kind.name)) << kind.name << " has no row in this test";
}

TEST(Losses, move_no_kernels_estimate_beyond_its_noise) {
  for (const auto& [kernel, subject] : subjects()) {
    const Result whole = run(kernel, subject, 1, 0);
    ASSERT_GT(whole.count, 0) << kernel;
    std::size_t compared = 0;
    for (const auto& [seed, loss] : {std::pair(1U, 0.01), {2U, 0.05}, {3U, 0.2}, {4U, 0.35}, {5U, 0.5}}) {
      const Result lossy = run(kernel, subject, seed, loss);
      const std::string what = kernel + " with losses of " + std::to_string(loss);
      switch (subject.estimate) {
        case Estimate::nothing:
          EXPECT_LE(lossy.count, whole.count) << what;
          ++compared;
          break;
        case Estimate::events:
          EXPECT_LE(lossy.events, whole.events + 4 * std::sqrt(whole.events)) << what;
          EXPECT_GE(lossy.events, whole.events * (1 - loss) * 0.7 - 4 * std::sqrt(whole.events)) << what;
          ++compared;
          break;
        default: {
          const double error = std::hypot(whole.error, lossy.error);
          if (!std::isfinite(error)) break;
          ++compared;
          EXPECT_NEAR(lossy.mean, whole.mean, 5 * error + 1e-4 * std::abs(whole.mean) + 1e-6) << what;
        }
      }
    }
    // At half of the stream long filters find no run that is whole.
    EXPECT_GE(compared, 3U) << kernel;
  }
}

}  // namespace
}  // namespace takt::pipeline::test
