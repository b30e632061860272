/// Tests that lost packets do not bias the estimates of kernels: from packets with flags to moments, compared
/// with sums over the received samples.

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace kernels_losses_test {

constexpr std::size_t packets = 16, lanes = 4, beamlets_of_lane = 3, channels = 32;
constexpr std::size_t beamlets = lanes * beamlets_of_lane;
constexpr std::size_t samples = packets * 16, spectra = samples / channels;

FrameType packet_type() {
  FrameType type =
      frame_type(ElementType::complex_int8,
                 {{"packet", packets}, {"beamlet", beamlets}, {"time", 16}, {"polarisation", 2}});
  type.parts = {packets, lanes};
  return type;
}

/// Frames of packets of normal noise with a tone, of which some are lost, and the expected output of a
/// spectrometer. The expectation is computed from the received samples with one sum per value.
class Stream {
 public:
  Stream(unsigned seed, double loss, bool has_dead_lane)
      : random_(seed), loss_(loss), has_dead_lane_(has_dead_lane), type_(packet_type()) {}

  void next(FrameMemory& frame) {
    std::normal_distribution<double> noise(0, 20);
    std::uniform_real_distribution<double> chance(0, 1);
    const std::span<std::int8_t> values = frame.as<std::int8_t>();
    std::byte* const flags = frame.buffer().bytes.data() + type_.data_size().count;
    FrameHeader& header = frame.header();
    header = {.sequence = number_++, .parts = packets * lanes};
    for (std::size_t p = 0; p < packets; ++p)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool is_lost = (has_dead_lane_ && lane == 2) || chance(random_) < loss_;
        flags[p * lanes + lane] = std::byte{is_lost};
        header.missing_parts += is_lost;
      }
    for (std::size_t i = 0; i < type_.element_count() * 2; ++i) {
      const double tone = 15 * std::cos(0.25 * std::numbers::pi * static_cast<double>(i / 4 % 16));
      const bool is_lost = flags[i / 2 / (16 * 2 * beamlets_of_lane)] != std::byte{0};
      values[i] =
          is_lost ? std::int8_t{0}
                  : static_cast<std::int8_t>(std::clamp(std::round(noise(random_) + tone), -127.0, 127.0));
    }
  }

  /// Returns Stokes I of a channel of a spectrum from the packets alone; nothing when a sample is missing.
  static std::optional<double> power(const FrameMemory& frame, std::size_t spectrum, std::size_t beamlet,
                                     std::size_t channel) {
    const FrameView view = frame.view();
    const std::span<const std::int8_t> values = view.as<std::int8_t>();
    const std::size_t data = packet_type().data_size().count;
    double power = 0;
    for (std::size_t polarisation = 0; polarisation < 2; ++polarisation) {
      std::complex<double> sum = 0;
      for (std::size_t n = 0; n < channels; ++n) {
        const std::size_t sample = spectrum * channels + n, packet = sample / 16;
        if (view.bytes[data + packet * lanes + beamlet / beamlets_of_lane] != std::byte{0})
          return std::nullopt;
        const std::size_t at = (((packet * beamlets + beamlet) * 16 + sample % 16) * 2 + polarisation) * 2;
        const double phase = -2 * std::numbers::pi * (static_cast<double>(channel) - channels / 2.0) *
                             static_cast<double>(n) / channels;
        sum += std::complex<double>(values[at], values[at + 1]) * std::polar(1 / std::sqrt(channels), phase);
      }
      power += std::norm(sum);
    }
    return power;
  }

 private:
  std::mt19937_64 random_;
  double loss_;
  bool has_dead_lane_;
  FrameType type_;
  std::uint64_t number_ = 0;
};

/// A chain of kernels.
class Chain {
 public:
  explicit Chain(const std::vector<std::pair<std::string, Written>>& kernels) {
    std::vector<FrameType> type{packet_type()};
    for (const auto& [name, parameters] : kernels) {
      benches_.push_back(std::make_unique<KernelBench>(name, parameters, type));
      type = {benches_.back()->output_type()};
    }
  }
  FrameMemory& input() { return benches_.front()->input(); }
  FrameMemory& output() { return benches_.back()->output(); }
  Outcome process() {
    for (std::size_t i = 0; i < benches_.size(); ++i) {
      if (i > 0) {
        benches_[i]->input().header() = benches_[i - 1]->output().header();
        std::ranges::copy(benches_[i - 1]->output().view().bytes,
                          benches_[i]->input().buffer().bytes.begin());
      }
      if (benches_[i]->process() == Outcome::absorbed) return Outcome::absorbed;
    }
    return Outcome::produced;
  }

 private:
  std::vector<std::unique_ptr<KernelBench>> benches_;
};

const std::vector<std::pair<std::string, Written>> spectrometer{
    {"lofar_unpack", {}}, {"fft", {{"channels", "32"}}}, {"stokes", {}}};

std::vector<std::pair<std::string, Written>> spectrometer_and(const std::string& kernel,
                                                              const Written& written) {
  auto kernels = spectrometer;
  kernels.emplace_back(kernel, written);
  return kernels;
}

struct Losses {
  unsigned seed;
  double loss;
  bool has_dead_lane;
};

class KernelsWithLosses : public ::testing::TestWithParam<Losses> {
 protected:
  Stream stream() const { return {GetParam().seed, GetParam().loss, GetParam().has_dead_lane}; }
};

/// Expects each value to be the mean of the received ones, or missing when there are none.
void expect_means(std::span<const float> values, const std::vector<double>& sums,
                  const std::vector<std::size_t>& counts, double scale = 1) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (counts[i] == 0)
      EXPECT_TRUE(std::isnan(values[i]));
    else
      EXPECT_NEAR(values[i] / (scale * sums[i] / static_cast<double>(counts[i])), 1, 1e-4);
  }
}

TEST_P(KernelsWithLosses, integrate_divides_by_the_number_of_present_values) {
  for (const std::string mode : {"mean", "sum"}) {
    const double scale = mode == "sum" ? 4 : 1;
    Chain within(spectrometer_and("integrate", {{"factor", "4"}, {"mode", mode}}));
    Stream frames = stream();
    for (int k = 0; k < 3; ++k) {
      frames.next(within.input());
      within.process();
      for (std::size_t row = 0; row < spectra / 4; ++row) {
        std::vector<double> sums(beamlets * channels);
        std::vector<std::size_t> counts(beamlets * channels);
        for (std::size_t i = 0; i < sums.size(); ++i)
          for (std::size_t s = 0; s < 4; ++s)
            if (const auto power = Stream::power(within.input(), row * 4 + s, i / channels, i % channels)) {
              sums[i] += *power;
              ++counts[i];
            }
        expect_means(within.output().as<float>().subspan(row * sums.size(), sums.size()), sums, counts,
                     scale);
      }
    }
  }
}

TEST_P(KernelsWithLosses, integrate_over_frames_and_statistics_count_present_values) {
  Chain integrated(spectrometer_and("integrate", {{"factor", std::to_string(3 * spectra)}}));
  Chain moments(spectrometer_and("statistics", {{"frames", "3"}}));
  Stream frames = stream(), again = stream();
  constexpr std::size_t values = beamlets * channels;
  std::vector<double> sums(values), squares(values);
  std::vector<std::size_t> counts(values);
  for (int k = 0; k < 3; ++k) {
    frames.next(integrated.input());
    again.next(moments.input());
    for (std::size_t i = 0; i < values; ++i)
      for (std::size_t s = 0; s < spectra; ++s)
        if (const auto power = Stream::power(integrated.input(), s, i / channels, i % channels)) {
          sums[i] += *power;
          squares[i] += *power * *power;
          ++counts[i];
        }
    EXPECT_EQ(integrated.process(), k == 2 ? Outcome::produced : Outcome::absorbed);
    EXPECT_EQ(moments.process(), k == 2 ? Outcome::produced : Outcome::absorbed);
  }
  expect_means(integrated.output().as<float>(), sums, counts);
  expect_means(moments.output().as<float>().first(values), sums, counts);
  for (std::size_t i = 0; i < values; ++i)
    if (counts[i] > 0) {
      EXPECT_NEAR(
          moments.output().as<float>()[values + i] / std::sqrt(squares[i] / static_cast<double>(counts[i])),
          1, 1e-4);
    }
}

/// Over many frames the mean is the noise's variance within five times its uncertainty, for any losses, and
/// also when spectra with missing samples are kept.
TEST_P(KernelsWithLosses, no_estimate_is_biased_beyond_its_noise) {
  for (const char* least : {"1", "0.4"}) {
    Chain chain({{"lofar_unpack", {}},
                 {"fft", {{"channels", "32"}, {"least", least}}},
                 {"stokes", {}},
                 {"integrate", {{"factor", std::to_string(spectra)}}}});
    Stream frames = stream();
    double sum = 0, weight = 0;
    for (int k = 0; k < 40; ++k) {
      frames.next(chain.input());
      // Noise alone: with missing samples a tone leaks into other channels.
      std::mt19937 signs(static_cast<unsigned>(k));
      for (std::int8_t& value : chain.input().as<std::int8_t>().first(packet_type().data_size().count))
        value = static_cast<std::int8_t>((signs() & 1U) != 0 ? 20 : -20);
      chain.process();
      for (const float value : chain.output().as<float>())
        if (!std::isnan(value)) {
          sum += value;
          weight += 1;
        }
    }
    ASSERT_GT(weight, 500);
    // Four parts of +-20 have a power of 1600 in each sample and in each channel. The power of a spectrum in
    // a channel varies by 1/sqrt(2) of itself, the mean of `weight` means of at least one spectrum by less.
    EXPECT_NEAR(sum / weight / 1600, 1, 5 * 0.71 / std::sqrt(weight)) << least;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, KernelsWithLosses,
                         ::testing::Values(Losses{1, 0, false}, Losses{2, 0.05, false}, Losses{3, 0.2, false},
                                           Losses{4, 0.5, false}, Losses{5, 0, true}, Losses{6, 0.1, true}),
                         [](const auto& test) { return "seed" + std::to_string(test.param.seed); });

TEST(Losses, are_preserved_when_packets_beamlets_or_samples_are_selected) {
  Stream frames(7, 0.3, false);
  for (const auto& [axis, first, count] :
       {std::tuple("beamlet", 2, 5), std::tuple("packet", 3, 7), std::tuple("time", 0, 16)}) {
    Chain chain(
        {{"select", {{"axis", axis}, {"first", std::to_string(first)}, {"count", std::to_string(count)}}},
         {"lofar_unpack", {}}});
    frames.next(chain.input());
    chain.process();
    const std::span<const std::byte> flags =
        chain.input().view().bytes.subspan(packet_type().data_size().count);
    const bool by_beamlet = std::string(axis) == "beamlet", by_packet = std::string(axis) == "packet";
    const std::size_t first_beamlet = by_beamlet ? 2 : 0, some_beamlets = by_beamlet ? 5 : beamlets;
    const std::size_t first_packet = by_packet ? 3 : 0, some_packets = by_packet ? 7 : packets;
    const auto values = chain.output().as<float>();
    for (std::size_t b = 0; b < some_beamlets; ++b)
      for (std::size_t p = 0; p < some_packets; ++p) {
        const bool is_lost =
            flags[(first_packet + p) * lanes + (first_beamlet + b) / beamlets_of_lane] != std::byte{0};
        EXPECT_EQ(std::isnan(values[(b * some_packets + p) * 16 * 4]), is_lost) << axis;
      }
  }
}

}  // namespace kernels_losses_test
}  // namespace takt::pipeline::test
