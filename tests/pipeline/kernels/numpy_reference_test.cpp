/// Tests that kernels agree with numpy, which evaluates their formulas over the whole stream.
///
/// Each case runs a kernel over frames of noise, optionally with losses and a
/// lost frame, and writes its inputs and outputs. kernel_reference.py, which
/// shares no code with the kernels, judges all cases in one process.

#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/pipeline/kernels/kernel_bench.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace kernels_numpy_reference_test {

using Json = nlohmann::ordered_json;
constexpr ElementType real = ElementType::float32, complex = ElementType::complex_float32;

enum class Signal { noise, power, tones, steps };

struct Case {
  std::string name, kernel;
  Written written;
  std::vector<FrameType> inputs;
  Signal signal = Signal::noise;
  /// Share of the times that are missing, and whether a frame is lost.
  double loss = 0;
  bool loses_frame = false;
  std::size_t frames = 6;
};

/// Returns a type with coordinates: time at `rate` samples/s, beamlets and channels with frequencies.
FrameType timed(ElementType element, std::vector<std::pair<std::string, std::size_t>> axes, double rate) {
  FrameType type;
  type.element = element;
  for (const auto& [name, size] : axes) {
    Axis axis{name, size, {}};
    for (std::size_t i = 0; i < size; ++i) {
      if (name == "time") axis.coordinates.push_back(static_cast<double>(i) / rate);
      if (name == "beamlet") axis.coordinates.push_back(100e6 + 195312.5 * static_cast<double>(i));
      if (name == "channel") axis.coordinates.push_back(1465e6 - 1e6 * static_cast<double>(i));
    }
    if (name == "time") type.rate_hz = rate / static_cast<double>(size);
    type.axes.push_back(std::move(axis));
  }
  return type;
}

class CaseRun {
 public:
  explicit CaseRun(const Case& what) : case_(what), bench_(what.kernel, what.written, what.inputs) {}

  /// Runs all frames; writes NAME.json and its arrays.
  void write(const takt::test::TemporaryFolder& folder) {
    std::ofstream out(folder / (case_.name + ".out"), std::ios::binary);
    std::vector<std::ofstream> in;
    for (std::size_t i = 0; i < case_.inputs.size(); ++i)
      in.emplace_back(folder / (case_.name + ".in" + std::to_string(i)), std::ios::binary);
    Json json{{"kernel", case_.kernel}};
    for (const auto& [name, text] : case_.written) json["parameters"][name] = text;
    for (const FrameType& type : case_.inputs) json["inputs"].push_back(describe(type));
    json["output"] = describe(bench_.output_type());
    std::mt19937 random(static_cast<unsigned>(case_.name.size()) * 31 + 7);
    for (std::size_t k = 0; k < case_.frames; ++k) {
      const bool is_lost = case_.loses_frame && k == 2;
      for (std::size_t i = 0; i < case_.inputs.size(); ++i) {
        fill(i, k, random);
        if (is_lost) std::ranges::fill(bench_.input(i).as<float>(), std::nanf(""));
        write_bytes(in[i], bench_.input(i).view().bytes);
      }
      if (is_lost) continue;
      // As when a run changes its plan: the results must be those of one kernel.
      if (k % 2 == 1) bench_.transfer_state();
      record(json, bench_.process(), out);
    }
    bench_.transfer_state();
    Outcome rest = Outcome::more;
    while (rest == Outcome::more) {
      rest = bench_.finish();
      record(json, rest, out);
    }
    std::ofstream(folder / (case_.name + ".json")) << json.dump();
  }

 private:
  static Json describe(const FrameType& type) {
    Json json{{"element", std::string(name_of(type.element))}, {"rate_hz", type.rate_hz}};
    for (const Axis& axis : type.axes)
      json["axes"].push_back({{"name", axis.name}, {"size", axis.size}, {"coordinates", axis.coordinates}});
    json["flags"] = type.flag_count();
    return json;
  }

  static void write_bytes(std::ofstream& file, std::span<const std::byte> bytes) {
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

  void record(Json& json, Outcome outcome, std::ofstream& out) {
    if (outcome == Outcome::absorbed) return;
    const FrameHeader& header = bench_.output().header();
    json["frames"].push_back({{"utc_ns", header.utc_ns},
                              {"sequence", header.sequence},
                              {"combined", header.combined},
                              {"is_incomplete", header.missing_parts > 0}});
    write_bytes(out, bench_.output().view().bytes);
  }

  void fill(std::size_t input, std::size_t k, std::mt19937& random) {
    const FrameType& type = case_.inputs[input];
    const std::span<float> values = bench_.input(input).as<float>();
    std::normal_distribution<float> normal;
    std::exponential_distribution<float> exponential;
    std::uniform_real_distribution<double> chance(0, 1);
    std::size_t inner = type.element == complex ? 2 : 1, rows = 1;
    bool is_inner = false;
    for (const Axis& axis : type.axes) {
      if (is_inner) inner *= axis.size;
      if (axis.name == "time") {
        is_inner = true;
        rows = axis.size;
      }
    }
    FrameHeader& header = bench_.input(input).header();
    const double frame_s = type.rate_hz > 0 ? 1 / type.rate_hz : 0;
    header = {.sequence = k,
              .utc_ns = 1'600'000'000'123'456'789 + std::llround(static_cast<double>(k) * frame_s * 1e9),
              .parts = static_cast<std::uint32_t>(rows),
              .combined = 1};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t t = i / inner % rows + k * rows;
      switch (case_.signal) {
        case Signal::noise:
          values[i] = normal(random) + static_cast<float>(i % 7);
          break;
        case Signal::power:
          values[i] = exponential(random) * static_cast<float>(1 + i % inner) +
                      (i % inner == 3 && t % 5 == 0 ? 60.0F : 0.0F);
          break;
        case Signal::tones:
          // Slow enough to be interpolated: 0.05 and 0.21 cycles per sample.
          values[i] = static_cast<float>(
              type.element == real ? std::cos(0.05 * 2 * std::numbers::pi * static_cast<double>(t)) +
                                         std::sin(0.21 * 2 * std::numbers::pi * static_cast<double>(t))
              : i % 2 == 0 ? std::cos(0.21 * 2 * std::numbers::pi * static_cast<double>(t))
                           : std::sin(0.21 * 2 * std::numbers::pi * static_cast<double>(t)));
          break;
        case Signal::steps:
          values[i] = normal(random) * (t >= 4 * rows ? 8.0F : 1.0F);
      }
    }
    if (case_.loss == 0) return;
    // All values of a time are lost together, like packets.
    for (std::size_t row = 0; row < values.size() / inner; ++row)
      if (chance(random) < case_.loss) {
        std::ranges::fill(values.subspan(row * inner, inner), std::nanf(""));
        ++header.missing_parts;
      }
  }

  const Case& case_;
  KernelBench bench_;
};

std::vector<Case> cases() {
  const FrameType voltages = timed(complex, {{"beamlet", 3}, {"time", 64}, {"polarisation", 2}}, 1000);
  const FrameType samples = timed(real, {{"beamlet", 2}, {"time", 64}, {"polarisation", 2}}, 1000);
  const FrameType powers = timed(real, {{"time", 32}, {"channel", 9}}, 1000);
  const FrameType spectra_type = timed(complex, {{"time", 8}, {"channel", 16}, {"polarisation", 2}}, 100);
  const FrameType trials = timed(real, {{"time", 20}, {"width", 2}, {"channel", 3}}, 100);
  const FrameType traces = timed(real, {{"time", 50}, {"channel", 3}}, 100);
  std::vector<Case> all;
  for (const auto& [suffix, loss, loses] :
       {std::tuple("", 0.0, false), std::tuple("_losses", 0.1, false), std::tuple("_gap", 0.02, true)}) {
    const auto add = [&](const std::string& name, const std::string& kernel, Written written,
                         std::vector<FrameType> inputs, Signal signal = Signal::noise) {
      // When one time in ten is missing, a window of a filter bank is rarely
      // complete, and filters rarely settle.
      const double share = kernel == "pfb"                                            ? loss / 40
                           : kernel == "remove_response" || name == "delay_frames"    ? loss / 10
                           : name == "iir" || name == "iir_odd" || name == "iir_high" ? loss / 10
                                                                                      : loss;
      all.push_back({name + suffix, kernel, std::move(written), std::move(inputs), signal, share, loses});
    };
    add("sum", "sum", {}, {powers, powers, powers});
    add("mean", "sum", {{"mode", "mean"}}, {voltages, voltages});
    add("stack", "stack", {}, {voltages, voltages});
    add("stack_channels", "stack", {{"axis", "channel"}},
        {powers, timed(real, {{"time", 32}, {"channel", 4}}, 1000)});
    add("merge_lanes", "merge_lanes", {},
        {voltages, timed(complex, {{"beamlet", 2}, {"time", 64}, {"polarisation", 2}}, 1000)});
    add("sum_least", "sum", {{"least", "0.5"}}, {powers, powers, powers});
    add("transpose", "transpose", {{"axes", "[channel, time]"}}, {powers});
    add("transpose_pairs", "transpose", {{"axes", "[time, beamlet, polarisation]"}}, {voltages});
    add("transpose_runs", "transpose", {{"axes", "[time, antenna, polarisation]"}},
        {timed(complex, {{"antenna", 5}, {"time", 7}, {"polarisation", 3}}, 1000)});
    add("transpose_nothing", "transpose", {{"axes", "[time, channel]"}}, {powers});
    add("transpose_odd", "transpose", {{"axes", "[channel, time]"}},
        {timed(complex, {{"time", 37}, {"channel", 67}}, 1000)});
    add("transpose_three", "transpose", {{"axes", "[polarisation, beamlet, time]"}}, {voltages});
    add("clip", "clip", {{"low", "1"}, {"high", "4"}}, {powers});
    add("clip_missing", "clip", {{"high", "4"}, {"mode", "missing"}}, {powers});
    add("detrend", "detrend", {}, {voltages});
    add("detrend_mean", "detrend", {{"mode", "mean"}}, {powers});
    add("fir", "fir", {{"low", "100 Hz"}, {"high", "300 Hz"}, {"taps", "31"}}, {voltages});
    add("fir_high", "fir", {{"low", "150 Hz"}, {"taps", "21"}}, {powers});
    add("fir_own", "fir", {{"coefficients", "[0.5, -1, 0.25]"}}, {samples});
    add("decimate", "decimate", {{"factor", "4"}, {"half_width", "5"}}, {voltages});
    add("resample", "resample", {{"up", "3"}, {"down", "8"}, {"half_width", "4"}}, {samples});
    add("iir", "iir", {{"low", "5 Hz"}, {"high", "20 Hz"}}, {traces});
    add("iir_settled", "iir", {{"low", "5 Hz"}, {"high", "20 Hz"}, {"least", "0"}}, {traces});
    add("iir_scattered", "iir", {{"low", "1 Hz"}, {"least", "0.95"}, {"order", "3"}}, {samples});
    add("iir_bridged", "iir", {{"high", "9 Hz"}, {"bridge", "20 ms"}, {"least", "0.8"}}, {traces});
    add("iir_odd", "iir", {{"high", "30 Hz"}, {"order", "3"}}, {traces});
    add("iir_high", "iir", {{"low", "8 Hz"}, {"order", "5"}}, {voltages});
    // A pendulum of 1 Hz, followed by a low-pass, and counts per m/s.
    const Written seismometer{{"poles", "[-4.4:4.4, -4.4:-4.4, -200:0]"},
                              {"zeros", "[0:0, 0:0]"},
                              {"a0", "200"},
                              {"sensitivity", "1500"}};
    const auto response = [&](Written own) {
      own.insert(own.end(), seismometer.begin(), seismometer.end());
      return own;
    };
    add("response", "remove_response", response({{"band", "[2, 12, 30, 45]"}}), {traces});
    add("response_displacement", "remove_response",
        response({{"band", "[1, 15, 20, 50]"}, {"gives", "displacement"}, {"taps", "23"}}), {traces});
    // The water level exceeds most of the response.
    add("response_water", "remove_response",
        response({{"band", "[1, 15, 20, 50]"}, {"gives", "acceleration"}, {"water_level", "6"}}), {traces});
    add("sta_lta", "sta_lta", {{"short", "100 ms"}, {"long", "600 ms"}}, {traces}, Signal::steps);
    add("threshold", "threshold", {{"above", "2"}, {"events", "10"}}, {traces}, Signal::steps);
    add("threshold_widths", "threshold", {{"above", "9"}, {"events", "200"}}, {trials}, Signal::power);
    add("threshold_each", "threshold", {{"above", "3"}, {"local", "false"}, {"events", "1000"}}, {traces},
        Signal::steps);
    add("matched_filter", "matched_filter", {{"widths", "[1, 3, 40]"}}, {powers});
    add("matched_filter_least", "matched_filter", {{"widths", "[2, 5]"}, {"least", "0.8"}}, {powers});
    add("pfb", "pfb", {{"channels", "16"}, {"taps", "4"}}, {voltages});
    add("pfb_oversampled", "pfb", {{"channels", "16"}, {"taps", "6"}, {"oversampling", "4"}}, {voltages});
    for (const char* const window : {"hann", "blackman", "rectangular", "kaiser"})
      add(std::string("pfb_") + window, "pfb",
          {{"channels", "8"}, {"taps", "3"}, {"window", window}, {"beta", "5.5"}}, {voltages});
    add("fft", "fft", {{"channels", "8"}, {"window", "hann"}}, {voltages});
    // One of two samples is a half.
    add("fft_half", "fft", {{"channels", "2"}, {"least", "0.5"}}, {voltages});
    add("fft_least", "fft", {{"channels", "8"}, {"least", "0.75"}}, {voltages});
    add("real_fft", "real_fft", {{"samples", "16"}, {"window", "hann"}}, {samples});
    add("inverse_fft", "inverse_fft", {{"channels", "8"}}, {spectra_type});
    add("phase_rotate", "phase_rotate", {{"frequency", "-123.456"}, {"phase", "0.25"}}, {voltages});
    add("delay", "delay", {{"delay", "7 ms"}, {"fraction_ns", "312500.25"}}, {voltages}, Signal::tones);
    // Longer than the lost frame.
    add("delay_frames", "delay", {{"delay", "90 ms"}}, {samples}, Signal::tones);
    add("delay_real", "delay", {{"delay", "2 ms"}}, {samples}, Signal::tones);
    add("beamform", "beamform", {{"gains", "[1, 2, 0.5]"}}, {voltages, voltages, voltages});
    add("beamform_least", "beamform", {{"least", "1"}}, {voltages, voltages});
    add("beamform_beams", "beamform",
        {{"positions", "[0:0:0, 12.5:-3:0.5]"}, {"directions", "[30:45, 200:80]"}}, {voltages, voltages});
    // Frames of 64 s, during which the sky rotates.
    add("beamform_sky", "beamform",
        {{"positions", "[0:0:0, 1250:-300:2.5]"},
         {"sky", "[299.868:40.734, 83.6:22]"},
         {"site", "6.87:52.91"}},
        {timed(complex, {{"beamlet", 3}, {"time", 64}, {"polarisation", 2}}, 1),
         timed(complex, {{"beamlet", 3}, {"time", 64}, {"polarisation", 2}}, 1)});
    add("beamform_stacked", "beamform", {{"positions", "[0:0:0, 5:1:0]"}, {"directions", "[90:0]"}},
        {timed(complex, {{"antenna", 2}, {"beamlet", 3}, {"time", 16}, {"polarisation", 2}}, 1000)});
    add("beamform_weights", "beamform",
        {{"weights", TAKT_SOURCE_DIR "/tests/pipeline/kernels/beam_weights.txt"},
         {"positions", "[0:0:0, 12.5:-3:0.5]"},
         {"directions", "[30:45]"}},
        {voltages, voltages});
    add("correlate", "correlate", {}, {spectra_type, spectra_type, spectra_type});
    add("correlate_frames", "correlate", {{"frames", "2"}}, {spectra_type, spectra_type});
    add("dedisperse", "dedisperse", {{"first", "0"}, {"step", "400"}, {"trials", "4"}}, {powers});
    add("dedisperse_frames", "dedisperse", {{"first", "500"}, {"step", "4000"}, {"trials", "2"}}, {powers});
    // Subbands without tolerance: equal to brute force in numpy.
    add("dedisperse_subband", "dedisperse",
        {{"step", "12"}, {"trials", "40"}, {"method", "subband"}, {"tolerance", "0"}}, {powers});
    add("align", "align", {{"samples", "5"}}, {voltages});
    add("align_frames", "align", {{"samples", "70"}}, {powers});
    add("dedisperse_least", "dedisperse",
        {{"first", "0"}, {"step", "400"}, {"trials", "3"}, {"least", "0.9"}}, {powers});
    add("dedisperse_subband_least", "dedisperse",
        {{"step", "12"}, {"trials", "40"}, {"method", "subband"}, {"tolerance", "0"}, {"least", "1"}},
        {powers});
    add("select_times", "select", {{"axis", "time"}, {"indices", "[4, 20, 36, 52]"}}, {voltages});
    add("select", "select", {{"axis", "time"}, {"first", "3"}, {"count", "20"}}, {voltages});
    add("select_list", "select", {{"axis", "channel"}, {"indices", "[7, 0, 3..5, 0]"}}, {powers});
    add("downmix", "downmix", {{"frequency", "-123.456"}, {"factor", "4"}, {"half_width", "3"}}, {voltages});
    add("downmix_real", "downmix", {{"frequency", "250"}, {"factor", "4"}, {"half_width", "1"}}, {samples});
    add("fold_polyco", "fold",
        {{"polyco", TAKT_SOURCE_DIR "/tests/pipeline/kernels/polyco.dat"}, {"bins", "5"}, {"frames", "2"}},
        {powers});
    add("fold", "fold", {{"period", "0.0173"}, {"bins", "5"}, {"frames", "3"}}, {powers});
    add("fold_derivative", "fold",
        {{"period", "0.0173"}, {"bins", "5"}, {"derivative", "1e-3"}, {"epoch", "1600000000"}}, {powers});
    add("bandpass", "bandpass", {{"frames", "4"}}, {powers}, Signal::power);
    add("bandpass_subtract", "bandpass", {{"frames", "1"}, {"mode", "subtract"}}, {powers}, Signal::power);
    add("rfi_mask", "rfi_mask", {{"sigma", "3"}}, {powers}, Signal::power);
    add("rfi_blocks", "rfi_mask", {{"sigma", "2"}, {"blocks", "5"}}, {powers}, Signal::power);
    add("rfi_median", "rfi_mask", {{"method", "median_deviation"}, {"sigma", "3"}}, {powers}, Signal::power);
    add("rfi_values", "rfi_mask", {{"method", "median_deviation"}, {"of", "values"}, {"sigma", "3"}},
        {powers}, Signal::power);
    add("quantise", "quantise", {{"bits", "4"}}, {powers}, Signal::power);
    add("quantise_each", "quantise", {{"bits", "2"}, {"levels", "each"}}, {powers}, Signal::power);
    // One missing sample affects their whole result.
    if (loss > 0) continue;
    add("matrix_product", "matrix_product", {}, {powers, timed(real, {{"channel", 9}, {"time", 21}}, 1000)});
    add("power_iteration", "power_iteration", {{"iterations", "7"}},
        {timed(real, {{"time", 19}, {"channel", 19}}, 1000)});
    add("large_fft", "large_fft", {}, {timed(complex, {{"time", 360}}, 1000)});
  }
  return all;
}

TEST(KernelsAndNumpy, cover_every_kernel_with_state) {
  const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  // These have separate tests.
  std::set<std::string> compared{"fill", "integrate", "python", "spin", "statistics"};
  for (const Case& each : cases()) compared.insert(each.kernel);
  for (const KernelKind& kind : registry.kinds())
    EXPECT_TRUE(kind.stateless || compared.contains(kind.name)) << kind.name;
}

/// integrate and statistics are compared elsewhere; this test replaces the kernel object between frames.
TEST(Kernels, continue_with_the_state_of_another_object) {
  for (const auto& [kernel, written] : std::map<std::string, Written>{{"integrate", {{"factor", "128"}}},
                                                                      {"statistics", {{"frames", "4"}}}}) {
    const FrameType type = timed(real, {{"time", 32}, {"channel", 9}}, 1000);
    std::vector<KernelBench> benches;
    for (int i = 0; i < 2; ++i) benches.emplace_back(kernel, written, std::vector{type});
    std::mt19937 random(1);
    for (std::uint64_t k = 0; k < 10; ++k) {
      benches[1].transfer_state();
      const bool has_hole = k % 3 == 1;
      for (std::size_t i = 0; i < benches[0].input().as<float>().size(); ++i) {
        const float value = has_hole && i % 7 == 0 ? std::nanf("") : static_cast<float>(random() % 1000);
        for (KernelBench& bench : benches) bench.input().as<float>()[i] = value;
      }
      for (KernelBench& bench : benches)
        bench.input().header() = {.sequence = k, .parts = 32, .missing_parts = has_hole ? 1U : 0U};
      ASSERT_EQ(benches[0].process(), benches[1].process()) << kernel;
      EXPECT_TRUE(std::ranges::equal(benches[0].output().view().bytes, benches[1].output().view().bytes))
          << kernel << " at frame " << k;
    }
  }
}

TEST(Kernels, refuse_the_state_of_another_configuration) {
  const auto make = [](std::size_t channels) {
    const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
    const KernelKind& kind = *registry.find("integrate");
    auto kernel = kind.make(make_parameters(kind.parameters, {{"factor", "64"}}));
    const FrameType type = timed(real, {{"time", 32}, {"channel", channels}}, 1000);
    (void)kernel->configure(std::span(&type, 1));
    return kernel;
  };
  const auto state = make(9)->save();
  ASSERT_TRUE(state);
  EXPECT_NO_THROW(make(9)->load(*state));
  EXPECT_THROW(make(8)->load(*state), WorkError);
  EXPECT_THROW(make(9)->load(std::span(*state).first(state->size() - 1)), WorkError);
  EXPECT_THROW(make(9)->load({}), WorkError);
}

TEST(KernelsAndNumpy, agree_on_whole_streams_with_losses_and_gaps) {
  const takt::test::TemporaryFolder folder;
  for (const Case& each : cases()) CaseRun(each).write(folder);
  const takt::test::Result result =
      takt::test::Program({"/usr/bin/python3", TAKT_SOURCE_DIR "/tests/pipeline/kernels/kernel_reference.py",
                           (folder / "").string()})
          .wait();
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

/// Wrong inputs and parameters must be refused with the expected values.
TEST(KernelsAndNumpy, refuse_mismatched_types_with_the_expected_ones) {
  const FrameType voltages = timed(complex, {{"beamlet", 3}, {"time", 64}, {"polarisation", 2}}, 1000);
  const FrameType powers = timed(real, {{"time", 32}, {"channel", 9}}, 1000);
  FrameType timeless = spectra(32, 9);
  const auto refusal = [](const std::string& kernel, const Written& written, std::vector<FrameType> inputs) {
    try {
      KernelBench(kernel, written, std::move(inputs));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal("sum", {}, {powers, voltages}), HasSubstr("cannot add"));
  EXPECT_THAT(refusal("transpose", {{"axes", "[time, chanel]"}}, {powers}),
              HasSubstr("'chanel' is not an axis"));
  EXPECT_THAT(refusal("transpose", {{"axes", "[time]"}}, {powers}), HasSubstr("expected all 2"));
  EXPECT_THAT(refusal("clip", {{"low", "5"}, {"high", "1"}}, {powers}), HasSubstr("above the lower one"));
  EXPECT_THAT(refusal("fir", {}, {powers}), HasSubstr("expected low"));
  EXPECT_THAT(refusal("fir", {{"high", "600 Hz"}}, {powers}), HasSubstr("less than half the sample rate"));
  EXPECT_THAT(refusal("fir", {{"coefficients", "[1, -1e300]"}}, {powers}),
              HasSubstr("-1e+300 is more than float32 holds"));
  EXPECT_THAT(refusal("fold", {{"period", "1e-300"}}, {powers}), HasSubstr("expected 1e-9 s or more"));
  EXPECT_THAT(refusal("fold", {{"period", "1"}, {"epoch", "1e18"}}, {powers}), HasSubstr("out of range"));
  EXPECT_THAT(refusal("fir", {{"high", "60 Hz"}}, {timeless}), HasSubstr("the sample rate of"));
  EXPECT_THAT(refusal("decimate", {{"factor", "5"}}, {powers}), HasSubstr("is not a whole number"));
  EXPECT_THAT(refusal("iir", {{"low", "30 Hz"}, {"high", "20 Hz"}}, {powers}),
              HasSubstr("is below the lower one"));
  EXPECT_THAT(refusal("sta_lta", {{"short", "1 s"}, {"long", "1 s"}}, {powers}), HasSubstr("not longer"));
  EXPECT_THAT(refusal("pfb", {{"channels", "24"}}, {voltages}), HasSubstr("does not divide the 64"));
  EXPECT_THAT(refusal("pfb", {{"channels", "16"}, {"oversampling", "3"}}, {voltages}),
              HasSubstr("does not divide"));
  EXPECT_THAT(refusal("real_fft", {{"samples", "7"}}, {powers}), HasSubstr("7 is odd"));
  EXPECT_THAT(refusal("beamform", {{"directions", "[1:2]"}}, {voltages, voltages}),
              HasSubstr("expected positions together with"));
  EXPECT_THAT(
      refusal("beamform", {{"positions", "[1:2, 0:0:0]"}, {"directions", "[1:2]"}}, {voltages, voltages}),
      HasSubstr("'1:2' is not valid"));
  EXPECT_THAT(
      refusal("beamform", {{"positions", "[0:0:0, 1:0:0]"}, {"sky", "[10:20]"}}, {voltages, voltages}),
      HasSubstr("expected sky and site together"));
  for (const auto& [direction, what] : {std::pair("[30:95]", "an elevation of 95 degrees is not valid"),
                                        std::pair("[30:-91]", "an elevation of -91 degrees is not valid"),
                                        std::pair("[400:45]", "an azimuth of 400 degrees is not valid")})
    EXPECT_THAT(refusal("beamform", {{"positions", "[0:0:0, 1:0:0]"}, {"directions", direction}},
                        {voltages, voltages}),
                HasSubstr(what));
  EXPECT_THAT(refusal("merge_lanes", {}, {powers, powers}),
              HasSubstr("expected frames with an axis 'beamlet'"));
  EXPECT_THAT(refusal("pfb", {{"channels", "16"}, {"window", "hamm"}}, {voltages}),
              HasSubstr("did you mean 'hann'"));
  EXPECT_THAT(refusal("dedisperse", {}, {timeless}), HasSubstr("frequencies of channels"));
  EXPECT_THAT(refusal("quantise", {{"bits", "3"}}, {powers}), HasSubstr("3 bits is not valid"));
  EXPECT_THAT(refusal("stack", {}, {powers, voltages}), HasSubstr("cannot stack"));
  EXPECT_THAT(refusal("correlate", {}, {voltages, voltages}),
              HasSubstr("expected complex_float32[time][channel]"));
  EXPECT_THAT(refusal("delay", {{"delay", "1 ms"}},
                      {frame_type(complex, {{"beamlet", 1}, {"time", 8}, {"polarisation", 1}})}),
              HasSubstr("the sample rate of"));
}

}  // namespace kernels_numpy_reference_test
}  // namespace takt::pipeline::test
