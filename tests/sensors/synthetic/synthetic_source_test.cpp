/// Tests the contents of synthetic frames, and that a rate behaves like a live source's.

#include "sensors/synthetic/synthetic_source.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/synthetic/tone_table.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

using test::KeptFrame;

SyntheticOptions options_for(Pattern pattern, ElementType element, std::uint64_t frames) {
  SyntheticOptions options;
  options.type.element = element;
  options.type.axes = {{"time", 8, {}}, {"channel", 3, {}}};
  options.pattern = pattern;
  options.frames = frames;
  return options;
}

std::vector<KeptFrame> frames_of(const SyntheticOptions& options) {
  SyntheticSource source(options);
  source.start();
  return test::take_all(source);
}

template <class Element>
std::vector<Element> elements_of(const KeptFrame& frame) {
  const FrameView view{&frame.header, frame.bytes};
  return {view.as<Element>().begin(), view.as<Element>().end()};
}

TEST(SyntheticSource, delivers_the_configured_frames_and_ends) {
  const std::vector<KeptFrame> frames = frames_of(options_for(Pattern::zeros, ElementType::float32, 5));
  ASSERT_EQ(frames.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(frames[k].header.sequence, k);
    EXPECT_EQ(frames[k].header.first_sample, k * 8);
    EXPECT_EQ(frames[k].bytes, test::Bytes(8 * 3 * 4, std::byte{0}));
  }
}

TEST(SyntheticSource, an_excessive_rate_ends_in_time_and_counts_every_frame) {
  // 50 ms of frames, one per nanosecond.
  SyntheticOptions options = options_for(Pattern::zeros, ElementType::float32, 50'000'000);
  options.type.rate_hz = 1e9;
  SyntheticSource source(options);
  source.start();
  FrameView frame;
  std::uint64_t taken = 0;
  for (SourceState state = SourceState::waiting; state != SourceState::ended; state = source.poll(frame)) {
    if (state != SourceState::frame) continue;
    ++taken;
    source.release();
  }
  EXPECT_EQ(source.counters().ingested, taken);
  EXPECT_EQ(source.counters().ingested + source.counters().dropped, options.frames);
}

TEST(SyntheticSource, rates_beyond_its_clock_are_refused) {
  for (const double rate : {1e-300, 1e-9, 2e9, 1e300}) {
    SyntheticOptions options = options_for(Pattern::zeros, ElementType::float32, 1);
    options.type.rate_hz = rate;
    EXPECT_THROW(validate(options), ConfigError) << rate;
  }
}

TEST(SyntheticSource, accelerated_frames_have_the_times_of_their_rate) {
  SyntheticOptions options = options_for(Pattern::zeros, ElementType::float32, 1000);
  options.type.rate_hz = 4;
  for (const double speed : {0.0, 1e6}) {
    options.speed = speed;
    const std::vector<KeptFrame> frames = frames_of(options);
    // Nothing is dropped if frames are produced on demand.
    if (speed == 0) {
      ASSERT_EQ(frames.size(), 1000u);
    }
    ASSERT_FALSE(frames.empty());
    for (const KeptFrame& frame : frames)
      EXPECT_EQ(frame.header.utc_ns, static_cast<std::int64_t>(frame.header.sequence) * 250'000'000);
  }
}

TEST(SyntheticSource, speeds_beyond_its_clock_are_refused) {
  SyntheticOptions options = options_for(Pattern::zeros, ElementType::float32, 1);
  options.type.rate_hz = 1000;
  for (const double speed : {-1.0, 1e-9, 1e7, std::nan("")}) {
    options.speed = speed;
    EXPECT_THROW(validate(options), ConfigError) << speed;
  }
}

TEST(SyntheticSource, counts_frames_and_numbers_elements) {
  const auto counts = frames_of(options_for(Pattern::count, ElementType::uint8, 300));
  EXPECT_THAT(elements_of<std::uint8_t>(counts[299]), testing::Each(299 - 256));
  const auto ramps = frames_of(options_for(Pattern::ramp, ElementType::int32, 3));
  for (std::size_t i = 0; i < 24; ++i)
    EXPECT_EQ(elements_of<std::int32_t>(ramps[2])[i], 48 + static_cast<int>(i));
}

TEST(SyntheticSource, a_tone_runs_on_along_the_time_axis_from_frame_to_frame) {
  SyntheticOptions options = options_for(Pattern::tone, ElementType::complex_float32, 4);
  options.amplitude = 2;
  options.frequency = 0.1;
  const auto frames = frames_of(options);
  for (std::size_t sample = 0; sample < 32; ++sample) {
    const auto elements = elements_of<std::complex<float>>(frames[sample / 8]);
    const double phase = 2 * std::numbers::pi * 0.1 * static_cast<double>(sample);
    for (std::size_t channel = 0; channel < 3; ++channel) {
      EXPECT_NEAR(elements[sample % 8 * 3 + channel].real(), 2 * std::cos(phase), 1e-5);
      EXPECT_NEAR(elements[sample % 8 * 3 + channel].imag(), 2 * std::sin(phase), 1e-5);
    }
  }
}

TEST(SyntheticSource, noise_has_the_configured_level_and_depends_on_the_seed) {
  SyntheticOptions options = options_for(Pattern::noise, ElementType::float64, 500);
  options.amplitude = 3;
  const auto frames = frames_of(options);
  double squares = 0;
  for (const KeptFrame& frame : frames)
    for (const double value : elements_of<double>(frame)) squares += value * value;
  // 12,000 samples: the standard error of the standard deviation is 3 / sqrt(24,000) = 0.02.
  EXPECT_NEAR(std::sqrt(squares / 12'000), 3, 0.08);
  EXPECT_EQ(frames_of(options)[17].bytes, frames[17].bytes);
  options.seed = 2;
  EXPECT_NE(frames_of(options)[17].bytes, frames[17].bytes);
}

TEST(SyntheticSource, noise_is_normal_up_to_its_tails_and_white) {
  std::vector<double> values;
  SyntheticOptions options = options_for(Pattern::noise, ElementType::float64, 20'000);
  for (const KeptFrame& frame : frames_of(options))
    for (const double value : elements_of<double>(frame)) values.push_back(value);
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0, fourth = 0, neighbours = 0, largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    squares += values[i] * values[i];
    fourth += std::pow(values[i], 4);
    if (i > 0) neighbours += values[i] * values[i - 1];
    largest = std::max(largest, std::abs(values[i]));
  }
  // 480,000 values: five standard errors of each moment of a standard normal number.
  const double error = 5 / std::sqrt(count);
  EXPECT_NEAR(sum / count, 0, error);
  EXPECT_NEAR(squares / count, 1, error * std::sqrt(2));
  EXPECT_NEAR(fourth / count, 3, error * std::sqrt(96));
  EXPECT_NEAR(neighbours / count, 0, error);
  // Fractions beyond some limits, by the complementary error function; 4.5 lies beyond the table.
  for (const double limit : {0.5, 1.0, 2.0, 3.0, 4.0, 4.5}) {
    const double expected = count * std::erfc(limit / std::numbers::sqrt2);
    const auto found = std::ranges::count_if(values, [&](double value) { return std::abs(value) > limit; });
    EXPECT_NEAR(static_cast<double>(found), expected, 5 * std::sqrt(expected) + 1) << limit;
  }
  EXPECT_GT(largest, 4.3);
}

TEST(SyntheticSource, integers_of_noise_and_tones_are_the_nearest_ones) {
  SyntheticOptions options = options_for(Pattern::noise, ElementType::int16, 200);
  options.amplitude = 300;
  SyntheticOptions exact = options;
  exact.type.element = ElementType::float64;
  const auto rounded = frames_of(options), full = frames_of(exact);
  for (std::size_t k = 0; k < rounded.size(); ++k)
    for (std::size_t i = 0; i < 24; ++i)
      ASSERT_NEAR(elements_of<std::int16_t>(rounded[k])[i], elements_of<double>(full[k])[i], 0.5 + 1e-6);
}

TEST(SyntheticSource, tones_stay_exact_in_blocks_of_any_length_and_late_in_the_stream) {
  for (const double frequency : {0.123456789, -0.5, 0.0, 0.4999}) {
    const ToneTable tone(frequency);
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1} << 40U})
      tone.for_each(first, 3000, [&](std::size_t k, const std::complex<double>& value) {
        const double phase =
            2 * std::numbers::pi * std::fmod(frequency * static_cast<double>(first + k), 1.0);
        // Above 2^40 samples the sample number alone causes a phase error of 2^-13 cycles.
        const double error = first == 0 ? 1e-12 : 2e-3;
        ASSERT_NEAR(value.real(), std::cos(phase), error) << frequency << ' ' << k;
        ASSERT_NEAR(value.imag(), std::sin(phase), error) << frequency << ' ' << k;
      });
  }
}

TEST(SyntheticSource, frames_arrive_at_their_rate_for_any_polling) {
  SyntheticOptions options = options_for(Pattern::zeros, ElementType::int8, 20);
  options.type.rate_hz = 2000;
  options.depth = 20;
  const auto frames = frames_of(options);
  ASSERT_EQ(frames.size(), 20u);
  for (std::size_t k = 1; k < 20; ++k) {
    EXPECT_EQ(frames[k].header.ingested_ns - frames[k - 1].header.ingested_ns, 500'000);
    EXPECT_EQ(frames[k].header.utc_ns - frames[k - 1].header.utc_ns, 500'000);
  }
}

TEST(SyntheticSource, frames_beyond_the_queue_are_dropped_and_counted) {
  SyntheticOptions options = options_for(Pattern::zeros, ElementType::int8, 50);
  options.type.rate_hz = 10'000;
  options.depth = 4;
  SyntheticSource source(options);
  source.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // all 50 have arrived
  const auto frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(frames[k].header.sequence, k);
  EXPECT_EQ(source.counters().ingested, 4u);
  EXPECT_EQ(source.counters().dropped, 46u);
}

TEST(SyntheticSource, an_endless_stream_ends_when_it_is_stopped) {
  SyntheticSource source(options_for(Pattern::zeros, ElementType::int8, 0));
  source.start();
  FrameView frame;
  ASSERT_EQ(source.poll(frame), SourceState::frame);
  source.stop();
  source.release();
  EXPECT_EQ(source.poll(frame), SourceState::ended);
  EXPECT_EQ(source.counters().ingested, 1u);
}

TEST(SyntheticSource, lends_as_many_frames_as_fit_the_pool) {
  SyntheticSource source(options_for(Pattern::count, ElementType::uint8, 5));
  const std::size_t size = source.type().size().count, stride = (size + 63) / 64 * 64;
  ASSERT_GE(3U, source.least_pool());
  std::vector<std::byte> memory(3 * stride);
  source.use_pool({memory, stride});
  source.start();
  std::vector<FrameView> held(3);
  for (FrameView& frame : held) ASSERT_EQ(source.poll(frame), SourceState::frame);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(held[i].header->sequence, i);
    EXPECT_EQ(held[i].bytes.data(), memory.data() + i * stride);
    EXPECT_EQ(held[i].bytes[0], static_cast<std::byte>(i)) << "later frames do not touch it";
  }
  FrameView fourth;
  EXPECT_EQ(source.poll(fourth), SourceState::waiting) << "there is no room for another one";
  source.release();
  ASSERT_EQ(source.poll(fourth), SourceState::frame);
  EXPECT_EQ(fourth.bytes.data(), memory.data());
  EXPECT_EQ(held[1].bytes[0], std::byte{1});
}

TEST(SyntheticSource, options_out_of_range_are_refused) {
  SyntheticOptions options = options_for(Pattern::tone, ElementType::int8, 1);
  options.frequency = 0.6;
  EXPECT_THROW(validate(options), ConfigError);
  options = options_for(Pattern::zeros, ElementType::int8, 1);
  options.depth = 0;
  EXPECT_THROW(validate(options), ConfigError);
  options.depth = 1;
  options.type.axes[0].size = 0;
  EXPECT_THROW(validate(options), ConfigError);
  EXPECT_THAT([] { (void)parse_pattern("nois"); },
              testing::ThrowsMessage<ConfigError>(testing::HasSubstr("did you mean 'noise'")));
}

}  // namespace
}  // namespace takt::sensors
