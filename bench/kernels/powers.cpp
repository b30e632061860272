/// Cases of kernels on power spectra, and of kernels that move elements.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "bench/kernels/cases.hpp"

namespace takt::bench {
namespace {

constexpr std::size_t times = 128, channels = 4096, count = times * channels;
constexpr std::size_t pair_beamlets = 61, pair_samples = 1024;

std::function<void()> integrate_loop(const Frames& frames) {
  constexpr std::size_t factor = 8;
  return [=] {
    for (std::size_t r = 0; r < times / factor; ++r) {
      float* __restrict to = frames.output + r * channels;
      std::fill_n(to, channels, 0.0F);
      for (std::size_t t = 0; t < factor; ++t) {
        const float* __restrict from = frames.input() + (r * factor + t) * channels;
        for (std::size_t c = 0; c < channels; ++c) to[c] += from[c];
      }
      for (std::size_t c = 0; c < channels; ++c) to[c] *= 1.0F / factor;
    }
  };
}

/// Computes moments in two passes in double precision, a block of channels at a time.
std::function<void()> statistics_loop(const Frames& frames) {
  return [=] {
    constexpr std::size_t block = 256;
    for (std::size_t first = 0; first < channels; first += block) {
      double mean[block] = {}, second[block] = {}, fourth[block] = {};
      const float* from = frames.input() + first;
      for (std::size_t t = 0; t < times; ++t)
        for (std::size_t c = 0; c < block; ++c) mean[c] += from[t * channels + c];
      for (double& each : mean) each /= times;
      for (std::size_t t = 0; t < times; ++t)
        for (std::size_t c = 0; c < block; ++c) {
          const double d = from[t * channels + c] - mean[c], square = d * d;
          second[c] += square;
          fourth[c] += square * square;
        }
      for (std::size_t c = 0; c < block; ++c) {
        frames.output[first + c] = static_cast<float>(mean[c]);
        frames.output[channels + first + c] =
            static_cast<float>(std::sqrt(second[c] / times + mean[c] * mean[c]));
        frames.output[2 * channels + first + c] =
            static_cast<float>(fourth[c] * times / (second[c] * second[c]));
      }
    }
  };
}

std::function<void()> bandpass_loop(const Frames& frames) {
  auto means = std::make_shared<std::vector<double>>(channels, 1.0);
  auto sums = std::make_shared<std::vector<double>>(channels);
  return [=] {
    std::ranges::fill(*sums, 0.0);
    for (std::size_t t = 0; t < times; ++t)
      for (std::size_t c = 0; c < channels; ++c) (*sums)[c] += frames.input()[t * channels + c];
    for (std::size_t c = 0; c < channels; ++c) (*means)[c] += 0.01 * ((*sums)[c] / times - (*means)[c]);
    for (std::size_t t = 0; t < times; ++t)
      for (std::size_t c = 0; c < channels; ++c)
        frames.output[t * channels + c] = static_cast<float>(frames.input()[t * channels + c] / (*means)[c]);
  };
}

/// Computes sums and sums of squares, then copies the frame without the channels that exceed the limit.
std::function<void()> kurtosis_loop(const Frames& frames) {
  auto first = std::make_shared<std::vector<double>>(channels),
       second = std::make_shared<std::vector<double>>(channels);
  return [=] {
    std::ranges::fill(*first, 0.0);
    std::ranges::fill(*second, 0.0);
    for (std::size_t t = 0; t < times; ++t)
      for (std::size_t c = 0; c < channels; ++c) {
        const double value = frames.input()[t * channels + c];
        (*first)[c] += value;
        (*second)[c] += value * value;
      }
    for (std::size_t c = 0; c < channels; ++c) {
      const double kurtosis =
          (times + 1.0) / (times - 1.0) * (times * (*second)[c] / ((*first)[c] * (*first)[c]) - 1);
      (*first)[c] = std::abs(kurtosis - 1) > 1e9 ? 1 : 0;
    }
    std::memcpy(frames.output, frames.input(), count * sizeof(float));
    for (std::size_t c = 0; c < channels; ++c)
      if ((*first)[c] > 0)
        for (std::size_t t = 0; t < times; ++t) frames.output[t * channels + c] = NAN;
  };
}

std::function<void()> clip_loop(const Frames& frames) {
  return [=] {
    for (std::size_t i = 0; i < count; ++i)
      frames.output[i] = std::min(std::max(frames.input()[i], -0.5F), 0.5F);
  };
}

/// Subtracts the least-squares line of each channel, in double precision.
std::function<void()> detrend_loop(const Frames& frames) {
  auto mean = std::make_shared<std::vector<double>>(channels),
       slope = std::make_shared<std::vector<double>>(channels);
  return [=] {
    std::ranges::fill(*mean, 0.0);
    std::ranges::fill(*slope, 0.0);
    double spread = 0;
    for (std::size_t t = 0; t < times; ++t) {
      const double at = static_cast<double>(t) - (times - 1) / 2.0;
      spread += at * at;
      for (std::size_t c = 0; c < channels; ++c) {
        const double value = frames.input()[t * channels + c];
        (*mean)[c] += value;
        (*slope)[c] += at * value;
      }
    }
    for (std::size_t c = 0; c < channels; ++c) {
      (*mean)[c] /= times;
      (*slope)[c] /= spread;
    }
    for (std::size_t t = 0; t < times; ++t) {
      const double at = static_cast<double>(t) - (times - 1) / 2.0;
      for (std::size_t c = 0; c < channels; ++c)
        frames.output[t * channels + c] =
            static_cast<float>(frames.input()[t * channels + c] - ((*mean)[c] + (*slope)[c] * at));
    }
  };
}

std::function<void()> quantise_loop(const Frames& frames) {
  auto levels = std::make_shared<std::vector<std::pair<double, double>>>(channels, std::pair(0.01, 20.0));
  return [=] {
    auto* const codes = reinterpret_cast<std::uint8_t*>(frames.output);
    for (std::size_t t = 0; t < times; ++t)
      for (std::size_t c = 0; c < channels; ++c) {
        const auto [mean, scale] = (*levels)[c];
        const double code = std::nearbyint(127.5 + (frames.input()[t * channels + c] - mean) * scale);
        codes[t * channels + c] = static_cast<std::uint8_t>(std::min(std::max(code, 0.0), 255.0));
      }
    // Flags: no value is missing.
    std::memset(codes + count, 0, count);
  };
}

std::function<void()> copy_loop(const Frames& frames) {
  return [=] { std::memcpy(frames.output, frames.input(), count * sizeof(float)); };
}

/// Copies the frame, since no value is missing.
std::function<void()> fill_loop(const Frames& frames) {
  return [=] { std::memcpy(frames.output, frames.input(), times * channels * sizeof(float)); };
}

std::function<void()> select_loop(const Frames& frames) {
  return [=] {
    for (std::size_t t = 0; t < times; ++t)
      std::memcpy(frames.output + t * channels / 2, frames.input() + t * channels + 100,
                  channels / 2 * sizeof(float));
  };
}

constexpr std::size_t lag = 32;

/// Outputs the delayed rows and the frame without its last rows, which become the delayed rows.
std::function<void()> align_loop(const Frames& frames) {
  auto waiting = std::make_shared<std::vector<float>>(lag * channels);
  return [=] {
    constexpr std::size_t late = lag * channels, early = count - late;
    std::memcpy(frames.output, waiting->data(), late * sizeof(float));
    std::memcpy(frames.output + late, frames.input(), early * sizeof(float));
    std::memcpy(waiting->data(), frames.input() + early, late * sizeof(float));
  };
}

std::function<void()> unpack_loop(const Frames& frames) {
  return [=] {
    const auto* __restrict from = reinterpret_cast<const std::int16_t*>(frames.input());
    float* __restrict to = frames.output;
    for (std::size_t i = 0; i < count; ++i) to[i] = (static_cast<float>(from[i]) - 0.5F) * 0.25F;
  };
}

std::function<void()> transpose_loop(const Frames& frames) {
  return [=] {
    constexpr std::size_t tile = 32;
    for (std::size_t c = 0; c < channels; c += tile)
      for (std::size_t t = 0; t < times; t += tile)
        for (std::size_t i = c; i < c + tile; ++i)
          for (std::size_t j = t; j < t + tile; ++j)
            frames.output[i * times + j] = frames.input()[j * channels + i];
  };
}

/// Reorders complex samples from [beamlet][time][polarisation=2] to [time][beamlet][polarisation].
std::function<void()> pairs_loop(const Frames& frames) {
  return [=] {
    struct Pair {
      double x, y;
    };
    const auto* from = reinterpret_cast<const Pair*>(frames.input());
    auto* to = reinterpret_cast<Pair*>(frames.output);
    for (std::size_t t = 0; t < pair_samples; ++t)
      for (std::size_t b = 0; b < pair_beamlets; ++b) to[t * pair_beamlets + b] = from[b * pair_samples + t];
  };
}

}  // namespace

std::vector<Case> power_cases() {
  const FrameType type = powers(times, channels);
  FrameType integers = type;
  integers.element = pipeline::ElementType::int16;
  return {{"integrate", {{"factor", "8"}}, {type}, integrate_loop},
          {"statistics", {}, {type}, statistics_loop},
          {"bandpass", {}, {type}, bandpass_loop},
          {"rfi_mask", {{"sigma", "1e9"}}, {type}, kurtosis_loop},
          {"clip", {{"low", "-0.5"}, {"high", "0.5"}}, {type}, clip_loop},
          {"detrend", {}, {type}, detrend_loop},
          {"quantise", {}, {type}, quantise_loop},
          {"pass", {}, {type}, copy_loop},
          {"fill", {}, {type}, fill_loop},
          {"align", {{"samples", "32"}}, {type}, align_loop},
          {"unpack", {{"offset", "0.5"}, {"scale", "0.25"}}, {integers}, unpack_loop},
          {"select", {{"axis", "channel"}, {"first", "100"}, {"count", "2048"}}, {type}, select_loop},
          {"transpose", {{"axes", "[channel, time]"}}, {type}, transpose_loop},
          {"transpose",
           {{"axes", "[time, beamlet, polarisation]"}},
           {voltages(pair_beamlets, pair_samples)},
           pairs_loop,
           " (pairs)"}};
}

}  // namespace takt::bench
