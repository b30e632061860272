/// Tests that the examples in configs/ find the signals in their streams. This process runs all kernels of a
/// pipeline on frames made here from the physics.

#include <array>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <random>

#include <gmock/gmock.h>

#include "pipeline/config/pipeline.hpp"
#include "tests/pipeline/kernels/kernel_bench.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace kernels_example_pipelines_test {

using Value = std::complex<float>;
constexpr double turn = 2 * std::numbers::pi;

/// Runs frames through all kernels of a pipeline, task by task.
class Example {
 public:
  explicit Example(const std::string& name)
      : pipeline_(load_pipeline(TAKT_SOURCE_DIR "/configs/" + name + ".yaml")) {
    for (std::size_t i = 0; i < pipeline_.stages.size(); ++i) {
      memory_.emplace_back(pipeline_.stages[i].output);
      kernels_.push_back(pipeline_.stages[i].kind == StageKind::kernel ? pipeline_.make_kernel(i) : nullptr);
      if (pipeline_.stages[i].kind == StageKind::source) source_ = i;
    }
  }

  [[nodiscard]] const FrameType& type() const { return pipeline_.stages[source_].output; }
  [[nodiscard]] const FrameType& type_of(const std::string& task) const {
    return pipeline_.stages[place(task)].output;
  }
  /// The frame to fill, and the last output of a task.
  FrameMemory& input() { return memory_[source_]; }
  FrameMemory& output(const std::string& task) { return memory_[place(task)]; }

  /// Returns whether each task has produced a frame.
  std::map<std::string, bool> process() {
    std::map<std::string, bool> gave;
    std::vector<bool> has(pipeline_.stages.size());
    has[source_] = true;
    for (std::size_t i = 0; i < pipeline_.stages.size(); ++i) {
      const Stage& stage = pipeline_.stages[i];
      if (stage.kind != StageKind::kernel) continue;
      std::vector<FrameView> views;
      for (const std::size_t input : stage.inputs)
        if (has[input]) views.push_back(memory_[input].view());
      if (views.size() < stage.inputs.size()) continue;
      memory_[i].header() = *views.front().header;
      has[i] = kernels_[i]->process(views, memory_[i].buffer()) == Outcome::produced;
      gave[stage.name] = has[i];
    }
    return gave;
  }

 private:
  [[nodiscard]] std::size_t place(const std::string& task) const {
    const auto found = std::ranges::find(pipeline_.stages, task, &Stage::name);
    return static_cast<std::size_t>(found - pipeline_.stages.begin());
  }
  Pipeline pipeline_;
  std::vector<FrameMemory> memory_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::size_t source_ = 0;
};

FrameHeader header_of(const FrameType& type, std::uint64_t number) {
  return {
      .sequence = number,
      .utc_ns = 1'700'000'000'000'000'000 + std::llround(static_cast<double>(number) / type.rate_hz * 1e9),
      .parts = 1,
      .combined = 1};
}

TEST(Examples, the_correlator_stops_the_fringes_of_a_source_with_a_delay_between_antennas) {
  Example example("vlbi-correlator");
  const std::size_t samples = example.type().axes[1].size;
  const double rate = 8e6;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  // The same noise in both, 10 samples later in the second one, with the phase rotation of its delay.
  constexpr std::size_t later = 10;
  std::vector<Value> sky(later);
  for (Value& value : sky) value = {normal(random), normal(random)};
  const Value phase = std::polar(1.0F, static_cast<float>(-turn * std::fmod(1420e6 * later / rate, 1.0)));
  bool is_given = false;
  for (std::uint64_t k = 0; k < 8; ++k) {
    example.input().header() = header_of(example.type(), k);
    Value* const to = reinterpret_cast<Value*>(example.input().buffer().bytes.data());
    sky.erase(sky.begin(), sky.end() - later);
    for (std::size_t t = 0; t < samples; ++t) sky.emplace_back(normal(random), normal(random));
    for (std::size_t t = 0; t < samples; ++t) {
      to[t] = sky[t + later] + Value(normal(random), normal(random));
      to[samples + t] = sky[t] * phase + Value(normal(random), normal(random));
    }
    is_given = example.process()["visibilities"];
  }
  ASSERT_TRUE(is_given);
  EXPECT_EQ(example.type_of("visibilities").to_string(),
            "complex_float32[baseline=3][channel=128][product=1]");
  const auto* const visibilities =
      reinterpret_cast<const Value*>(example.output("visibilities").view().bytes.data());
  // Half of each antenna's power is common. 16000 spectra have noise of 0.008 of it. The edges of the band
  // are excluded: there the interpolation between samples fades.
  for (std::size_t c = 16; c < 112; ++c) {
    const Value coherence =
        visibilities[128 + c] / std::sqrt(visibilities[c].real() * visibilities[256 + c].real());
    EXPECT_NEAR(coherence.real(), 0.5, 0.05) << c;
    EXPECT_NEAR(coherence.imag(), 0, 0.05) << c;
  }
}

TEST(Examples, the_beamformer_detects_a_source_at_full_strength_only_in_its_beam) {
  Example example("beamformer");
  const std::size_t samples = example.type().axes[1].size;
  const double positions[4][3] = {{0, 0, 0}, {20, 0, 0}, {0, 25, 0}, {15, 15, 0.5}};
  const double azimuth = 120 * turn / 360, elevation = 50 * turn / 360;
  const double source[3] = {std::sin(azimuth) * std::cos(elevation), std::cos(azimuth) * std::cos(elevation),
                            std::sin(elevation)};
  example.input().header() = header_of(example.type(), 0);
  auto* to = reinterpret_cast<Value*>(example.input().buffer().bytes.data());
  // A tone in channel 64 + 20 of 128 (6250 Hz each), of amplitude 3 in one
  // polarisation, from the first direction.
  for (const auto& position : positions) {
    const double earlier =
        (position[0] * source[0] + position[1] * source[1] + position[2] * source[2]) / 299792458.0;
    for (std::size_t t = 0; t < samples; ++t) {
      const double time = static_cast<double>(t) / 800e3;
      *to++ = std::polar(
          3.0F, static_cast<float>(turn * (20 * 6250 * (time + earlier) + std::fmod(60e6 * earlier, 1))));
      *to++ = 0;
    }
  }
  example.process();
  EXPECT_EQ(example.type_of("integrated").to_string(), "float32[time=10][channel=256]");
  const auto power = example.output("integrated").as<float>();
  // With a Hann window whose squares add up to 1, a tone of amplitude A has A^2 N times 2/3 in its channel.
  EXPECT_NEAR(power[84] / (9 * 128 * 2 / 3.0), 1, 0.01);
  EXPECT_LT(power[128 + 84], 0.3 * power[84]) << "the other beam looks elsewhere";
}

TEST(Examples, the_pulsar_search_finds_a_dispersed_pulse_at_its_measure_and_time) {
  Example example("pulsar-search");
  const std::size_t samples = example.type().axes[1].size;
  const double rate = 6400e3;
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  // A pulse of 1 ms at DM 90 that reaches the highest channel, 403.15 MHz, 45 ms after the beginning: noise
  // amplified at the delay of each channel, in steps of 50 kHz.
  const double begin = 0.045, dm = 90;
  // utc, sample, width_index, width, trial, dm, value.
  constexpr std::size_t fields = 7;
  std::vector<std::array<double, fields>> found;
  for (std::uint64_t k = 0; k < 16; ++k) {
    example.input().header() = header_of(example.type(), k);
    const auto to = example.input().as<float>();
    for (float& value : to) value = normal(random);
    for (std::size_t block = 0; block + 128 <= samples; block += 128) {
      const double time =
          (static_cast<double>(k) * static_cast<double>(samples) + static_cast<double>(block)) / rate;
      for (int channel = 1; channel < 64; ++channel) {
        const double mhz = 400 + 0.05 * channel;
        const double at = begin + 4148.808 * dm * (1 / (mhz * mhz) - 1 / (403.15 * 403.15));
        if (time < at || time >= at + 1e-3) continue;
        const double phase = turn * std::uniform_real_distribution<double>(0, 1)(random);
        for (std::size_t n = 0; n < 128; ++n) {
          const auto tone =
              static_cast<float>(0.25 * std::cos(turn * channel * static_cast<double>(n) / 128 + phase));
          to[(block + n) * 2] += tone;
          to[(block + n) * 2 + 1] += tone;
        }
      }
    }
    if (!example.process()["events"]) continue;
    const auto events = example.output("events").as<double>();
    for (std::size_t i = 0; i < events.size(); i += fields)
      if (!std::isnan(events[i])) std::copy_n(&events[i], fields, found.emplace_back().begin());
  }
  ASSERT_FALSE(found.empty());
  const auto best = *std::ranges::max_element(found, {}, [](const auto& event) { return event[6]; });
  EXPECT_NEAR(best[5], dm, 10);
  EXPECT_NEAR(best[0] - 1'700'000'000, begin, 0.003);
}

TEST(Examples, the_spectrometer_excludes_interference_from_its_means) {
  Example example("rfi-spectrometer");
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 40);
  bool is_given = false;
  for (std::uint64_t k = 0; k < 100; ++k) {
    const bool has_interference = k % 10 == 3;
    example.input().header() = header_of(example.type(), k);
    example.input().header().parts = 128;
    const auto values = example.input().as<std::int16_t>();
    // Noise of some beamlets, shifted at random in each frame, since new noise for 100 frames takes too long.
    static std::vector<std::int16_t> pool;
    if (pool.empty())
      for (std::size_t i = 0; i < example.type().element_count() * 2 + 100'000; ++i)
        pool.push_back(static_cast<std::int16_t>(std::lround(normal(random))));
    const std::size_t from = random() % 100'000;
    std::copy_n(pool.begin() + static_cast<std::ptrdiff_t>(from), example.type().element_count() * 2,
                values.begin());
    // A tone in the middle of beamlet 30 in the first quarter of the frame,
    // [packet][beamlet][time][polarisation].
    for (std::size_t packet = 0; has_interference && packet < 32; ++packet)
      for (std::size_t i = 0; i < 64; i += 2)
        values[((packet * 61 + 30) * 64) + i] =
            static_cast<std::int16_t>(values[((packet * 61 + 30) * 64) + i] + 400);
    is_given = example.process()["integrated"];
  }
  ASSERT_TRUE(is_given);
  const auto power = example.output("integrated").as<float>();
  // 2 polarisations of 2 parts of variance 1600 (and 1/12 of rounding) in each channel: 6400. The tone alone
  // would add some 0.1 * 0.25 * 2 * 400^2 * 16 = 128,000 in its channel.
  EXPECT_NEAR(power[30 * 16 + 8] / 6400, 1, 0.05);
  EXPECT_NEAR(power[10 * 16 + 3] / 6400, 1, 0.05);
}

TEST(Examples, the_trigger_detects_when_a_wave_reaches_each_station) {
  Example example("seismic-trigger");
  std::mt19937 random(9);
  std::normal_distribution<float> normal(0, 100);
  std::map<int, double> first;
  std::map<int, std::vector<double>> of_station;
  for (std::uint64_t k = 0; k < 40; ++k) {
    example.input().header() = header_of(example.type(), k);
    const auto to = example.input().as<float>();
    for (std::size_t t = 0; t < 100; ++t)
      for (std::size_t station = 0; station < 4; ++station) {
        const double time = static_cast<double>(k) + static_cast<double>(t) / 100;
        // 5 Hz from 25 s on, 0.7 s later from one station to the next.
        const double since = time - 25 - 0.7 * static_cast<double>(station);
        to[t * 4 + station] =
            normal(random) +
            (since > 0 ? static_cast<float>(1500 * std::sin(turn * 5 * since) * std::exp(-since)) : 0);
      }
    example.process();
    const auto events = example.output("events").as<double>();
    for (std::size_t i = 0; i < events.size(); i += 4)
      if (!std::isnan(events[i]))
        first.try_emplace(static_cast<int>(events[i + 2]), events[i] - 1'700'000'000);
    const auto triggers = example.output("ratio.events").as<double>();
    for (std::size_t i = 0; i < triggers.size(); i += 5) {
      if (std::isnan(triggers[i])) continue;
      auto& turns = of_station[static_cast<int>(triggers[i + 2])];
      // Begins and ends alternate.
      EXPECT_EQ(triggers[i + 4], turns.size() % 2 == 0 ? 1 : 0);
      turns.push_back(triggers[i] - 1'700'000'000);
    }
    // The first output is the same without the second one.
    const auto ratios = example.output("ratio.frames").as<float>();
    EXPECT_EQ(std::ranges::any_of(ratios, [](float ratio) { return ratio > 4; }),
              !std::isnan(example.output("events").as<double>()[0]));
  }
  ASSERT_EQ(of_station.size(), 4U);
  for (const auto& [station, turns] : of_station) {
    ASSERT_GE(turns.size(), 2U);
    EXPECT_NEAR(turns[0], first[station], 0.5);
    EXPECT_LT(turns[1] - turns[0], 10);
  }
  ASSERT_EQ(first.size(), 4U);
  for (const auto& [station, seconds] : first) EXPECT_NEAR(seconds, 25 + 0.7 * station, 0.8) << station;
}

/// A frame has 0.2 s, and the pipeline 0.3 s for it: 0.5 s after the onset the pick must be in a frame that
/// is over.
TEST(Examples, early_warning_picks_an_onset_in_a_frame_that_ends_at_most_half_a_second_later) {
  Example example("early-warning");
  ASSERT_EQ(example.type().axes[0].size, 20U);
  ASSERT_EQ(example.type().rate_hz, 5);
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 100);
  // After the long average of 10 s, at other places in their frames.
  const std::array<double, 4> onsets{15.01, 15.73, 16.5, 17.19};
  std::array<double, 4> picked{}, available{};
  std::size_t before = 0;
  for (std::uint64_t k = 0; k < 100; ++k) {
    example.input().header() = header_of(example.type(), k);
    const auto to = example.input().as<float>();
    for (std::size_t t = 0; t < 20; ++t)
      for (std::size_t station = 0; station < 4; ++station) {
        const double since = static_cast<double>(k) / 5 + static_cast<double>(t) / 100 - onsets[station];
        to[t * 4 + station] =
            normal(random) + (since > 0 ? static_cast<float>(2000 * std::sin(turn * 5 * since)) : 0);
      }
    example.process();
    const auto picks = example.output("ratio.events").as<double>();
    for (std::size_t i = 0; i < picks.size(); i += 5) {
      if (std::isnan(picks[i]) || picks[i + 4] != 1) continue;
      const auto station = static_cast<std::size_t>(picks[i + 2]);
      const double utc = picks[i] - 1'700'000'000;
      before += utc < onsets[station] ? 1 : 0;
      if (utc < onsets[station] || picked[station] > 0) continue;
      picked[station] = utc;
      available[station] = static_cast<double>(k + 1) / 5;
    }
  }
  // Noise alone rarely reaches four times its mean power over 0.2 s.
  EXPECT_LE(before, 2U);
  for (std::size_t station = 0; station < 4; ++station) {
    EXPECT_GE(picked[station], onsets[station]) << station;
    EXPECT_LE(picked[station], onsets[station] + 0.2) << station;
    EXPECT_LE(available[station], onsets[station] + 0.5) << station;
  }
}

TEST(PythonFlagger, flags_exactly_the_channels_that_stand_out) {
  if (!takt::test::python_has_numpy()) GTEST_SKIP() << "no numpy";
  Example example("python-flagger");
  std::mt19937 random(9);
  std::normal_distribution<float> normal;
  for (std::uint64_t k = 0; k < 4; ++k) {
    example.input().header() = header_of(example.type(), k);
    const auto to = example.input().as<float>();
    for (std::size_t i = 0; i < to.size(); i += 2) {
      // A carrier in the second beamlet, 3 channels above its middle; samples are
      // [beamlet][time][polarisation].
      const std::size_t beamlet = i / 2 / 8192, t = i / 4 % 4096;
      const double phase = turn * 3.0 / 64 * static_cast<double>(t);
      to[i] = normal(random) + (beamlet == 1 ? static_cast<float>(std::cos(phase)) : 0);
      to[i + 1] = normal(random) + (beamlet == 1 ? static_cast<float>(std::sin(phase)) : 0);
    }
    example.process();
    const auto averaged = example.output("averaged").as<float>();
    ASSERT_EQ(averaged.size(), 256U);
    for (std::size_t c = 0; c < 256; ++c)
      if (c == 64 + 32 + 3)
        EXPECT_TRUE(std::isnan(averaged[c]));
      else
        // Stokes I of noise of variance 2 in two feeds, mean of 64 spectra: 4; tolerance: 5 deviations.
        EXPECT_NEAR(averaged[c], 4, 5 * 4 / std::sqrt(128.0)) << c;
  }
}

}  // namespace kernels_example_pipelines_test
}  // namespace takt::pipeline::test
