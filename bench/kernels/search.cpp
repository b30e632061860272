/// Cases of searches: for pulsars, pulses and earthquakes.

#include <algorithm>
#include <cmath>
#include <memory>

#include "bench/kernels/cases.hpp"

namespace takt::bench {
namespace {

using pipeline::test::frame_type;

constexpr std::size_t times = 1024, channels = 256;

/// Sums along the delays by brute force, from a window transposed to [channel][time].
std::function<void()> dedisperse_loop(const Frames& frames) {
  constexpr std::size_t trials = 16;
  auto delays = std::make_shared<std::vector<std::size_t>>();
  const auto delay = [](std::size_t d, std::size_t c) {
    const auto mhz = [](std::size_t channel) { return 150 + 0.01 * static_cast<double>(channel); };
    const double top = mhz(channels - 1);
    return static_cast<std::size_t>(
        std::llround(4148.808 * static_cast<double>(d) * (1 / (mhz(c) * mhz(c)) - 1 / (top * top)) * 1e3));
  };
  for (std::size_t d = 0; d < trials; ++d)
    for (std::size_t c = 0; c < channels; ++c) delays->push_back(delay(d, c));
  const std::size_t kept = *std::ranges::max_element(*delays), length = kept + times;
  auto window = std::make_shared<std::vector<float>>(channels * length);
  auto sums = std::make_shared<std::vector<float>>(times);
  return [=] {
    for (std::size_t c = 0; c < channels; ++c) {
      float* own = window->data() + c * length;
      std::copy_n(own + times, kept, own);
      for (std::size_t t = 0; t < times; ++t) own[kept + t] = frames.input()[t * channels + c];
    }
    for (std::size_t d = 0; d < trials; ++d) {
      std::ranges::fill(*sums, 0.0F);
      for (std::size_t c = 0; c < channels; ++c) {
        const float* __restrict from = window->data() + c * length + (*delays)[d * channels + c];
        float* __restrict to = sums->data();
        for (std::size_t t = 0; t < times; ++t) to[t] += from[t];
      }
      for (std::size_t t = 0; t < times; ++t) frames.output[t * trials + d] = (*sums)[t] / channels;
    }
  };
}

std::function<void()> fold_loop(const Frames& frames) {
  constexpr std::size_t bins = 64;
  auto sums = std::make_shared<std::vector<double>>(bins * channels),
       counts = std::make_shared<std::vector<double>>(bins);
  return [=] {
    std::ranges::fill(*sums, 0.0);
    std::ranges::fill(*counts, 0.0);
    for (std::size_t t = 0; t < times; ++t) {
      const double turns = static_cast<double>(t) * 1e-3 / 0.1;
      const auto bin = static_cast<std::size_t>((turns - std::floor(turns)) * bins);
      (*counts)[bin] += 1;
      double* to = sums->data() + bin * channels;
      for (std::size_t c = 0; c < channels; ++c) to[c] += frames.input()[t * channels + c];
    }
    for (std::size_t bin = 0; bin < bins; ++bin)
      for (std::size_t c = 0; c < channels; ++c)
        frames.output[bin * channels + c] = static_cast<float>((*sums)[bin * channels + c] / (*counts)[bin]);
  };
}

/// Computes sliding sums: adds the new row, subtracts the oldest one.
std::function<void()> boxcar_loop(const Frames& frames) {
  constexpr std::size_t widths[]{1, 2, 4, 8, 16}, kept = 15;
  auto window = std::make_shared<std::vector<float>>((kept + times) * channels);
  auto sums = std::make_shared<std::vector<double>>(channels);
  return [=] {
    std::copy_n(window->data() + times * channels, kept * channels, window->data());
    std::copy_n(frames.input(), times * channels, window->data() + kept * channels);
    for (std::size_t w = 0; w < std::size(widths); ++w) {
      std::ranges::fill(*sums, 0.0);
      for (std::size_t r = kept + 1 - widths[w]; r < kept; ++r)
        for (std::size_t c = 0; c < channels; ++c) (*sums)[c] += (*window)[r * channels + c];
      const double scale = 1 / std::sqrt(static_cast<double>(widths[w]));
      for (std::size_t t = 0; t < times; ++t) {
        const float* in = window->data() + (kept + t) * channels;
        const float* gone = window->data() + (kept + t + 1 - widths[w]) * channels;
        float* to = frames.output + (t * std::size(widths) + w) * channels;
        for (std::size_t c = 0; c < channels; ++c) {
          (*sums)[c] += in[c];
          to[c] = static_cast<float>((*sums)[c] * scale);
          (*sums)[c] -= gone[c];
        }
      }
    }
  };
}

std::function<void()> sta_lta_loop(const Frames& frames) {
  struct State {
    double of_short = 0, of_long = 0;
  };
  auto states = std::make_shared<std::vector<State>>(channels);
  return [=] {
    for (std::size_t t = 0; t < times; ++t)
      for (std::size_t c = 0; c < channels; ++c) {
        const double value = frames.input()[t * channels + c], power = value * value;
        State& own = (*states)[c];
        own.of_short += 0.1 * (power - own.of_short);
        own.of_long += 0.01 * (power - own.of_long);
        frames.output[t * channels + c] = static_cast<float>(own.of_short / own.of_long);
      }
  };
}

/// Searches local maxima above a bound that no value reaches: the cost of the search alone.
std::function<void()> threshold_loop(const Frames& frames) {
  auto found = std::make_shared<std::vector<std::size_t>>();
  return [=] {
    found->clear();
    for (std::size_t i = 0; i < times * channels; ++i)
      if (frames.input()[i] > 5) found->push_back(i);
    std::fill_n(reinterpret_cast<double*>(frames.output), 64, std::nan(""));
  };
}

}  // namespace

std::vector<Case> search_cases() {
  const FrameType type = powers(times, channels);
  return {{"dedisperse", {{"trials", "16"}}, {type}, dedisperse_loop},
          // Brute force compared with the other method.
          {"dedisperse", {{"trials", "16"}, {"method", "subband"}}, {type}, dedisperse_loop, " (subband)"},
          {"fold", {{"period", "0.1"}}, {type}, fold_loop},
          {"matched_filter", {}, {type}, boxcar_loop},
          {"sta_lta", {{"short", "10 ms"}, {"long", "100 ms"}}, {type}, sta_lta_loop},
          {"threshold", {{"above", "5"}}, {type}, threshold_loop}};
}

}  // namespace takt::bench
