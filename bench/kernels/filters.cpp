/// Cases of filters along the time axis.

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>

#include <fmt/format.h>

#include "bench/kernels/cases.hpp"

namespace takt::bench {
namespace {

constexpr std::size_t beamlets = 16, samples = 4096, row = 4;

/// Computes y = sum of taps over previous samples per beamlet, tap by tap over a block that fits the cache.
std::function<void()> filter_loop(const Frames& frames, std::size_t taps, std::size_t turns) {
  auto window = std::make_shared<std::vector<float>>(beamlets * (taps - 1 + samples) * row);
  auto weights = std::make_shared<std::vector<float>>(taps, 0.01F);
  return [=] {
    const std::size_t kept = (taps - 1) * row, frame = samples * row;
    constexpr std::size_t block = 2048;
    for (std::size_t b = 0; b < beamlets; ++b) {
      float* own = window->data() + b * (kept + frame);
      std::copy_n(own + frame, kept, own);
      std::copy_n(frames.input() + b * frame, frame, own + kept);
      for (std::size_t first = 0; first < frame; first += block) {
        float* __restrict to = frames.output + b * frame + first;
        std::fill_n(to, block, 0.0F);
        for (std::size_t k = 0; k < taps; ++k) {
          const float* __restrict from = own + kept - k * row + first;
          const float tap = (*weights)[k];
          for (std::size_t i = 0; i < block; ++i) to[i] += tap * from[i];
        }
      }
      auto* to = frames.output + b * frame;
      for (std::size_t i = 0; turns > 0 && i < frame; i += 2) {
        const float re = to[i] * 0.6F - to[i + 1] * 0.8F;
        to[i + 1] = to[i] * 0.8F + to[i + 1] * 0.6F;
        to[i] = re;
      }
    }
  };
}

/// Computes every `down`-th output of a polyphase filter for `up / down` times the rate.
std::function<void()> resample_loop(const Frames& frames, std::size_t up, std::size_t down,
                                    std::size_t taps) {
  auto weights = std::make_shared<std::vector<float>>(taps, 0.01F);
  auto window = std::make_shared<std::vector<float>>(beamlets * (taps - 1 + samples) * row);
  return [=] {
    const std::size_t kept = (taps - 1) * row, frame = samples * row, rows = samples * up / down;
    float* to = frames.output;
    for (std::size_t b = 0; b < beamlets; ++b) {
      float* own = window->data() + b * (kept + frame);
      std::copy_n(own + frame, kept, own);
      std::copy_n(frames.input() + b * frame, frame, own + kept);
      for (std::size_t m = 0; m < rows; ++m, to += row) {
        const float* from = own + kept + m * down / up * row;
        float sums[row] = {};
        for (std::size_t k = 0; k < taps; ++k, from -= row)
          for (std::size_t i = 0; i < row; ++i) sums[i] += (*weights)[k] * from[i];
        std::copy_n(sums, row, to);
      }
    }
  };
}

std::function<void()> iir_loop(const Frames& frames) {
  constexpr std::size_t sections = 2;
  struct State {
    double first = 0, second = 0;
  };
  auto states = std::make_shared<std::vector<State>>(beamlets * row * sections);
  return [=] {
    for (std::size_t b = 0; b < beamlets; ++b)
      for (std::size_t i = 0; i < row; ++i) {
        State* own = states->data() + (b * row + i) * sections;
        const float* from = frames.input() + b * samples * row + i;
        float* to = frames.output + b * samples * row + i;
        for (std::size_t t = 0; t < samples; ++t) {
          double value = from[t * row];
          for (std::size_t s = 0; s < sections; ++s) {
            const double out = 0.1 * value + own[s].first;
            own[s].first = 0.2 * value + 0.5 * out + own[s].second;
            own[s].second = 0.1 * value - 0.1 * out;
            value = out;
          }
          to[t * row] = static_cast<float>(value);
        }
      }
  };
}

std::function<void()> rotate_loop(const Frames& frames) {
  auto turns = std::make_shared<std::vector<std::complex<float>>>(samples);
  return [=] {
    for (std::size_t t = 0; t < samples; ++t)
      (*turns)[t] = std::polar(
          1.0F, static_cast<float>(-6.2831853 * std::fmod(0.25 + 1e-3 * static_cast<double>(t), 1.0)));
    const float* from = frames.input();
    float* to = frames.output;
    for (std::size_t b = 0; b < beamlets; ++b)
      for (std::size_t t = 0; t < samples; ++t)
        for (std::size_t p = 0; p < 2; ++p, from += 2, to += 2) {
          const float re = (*turns)[t].real(), im = (*turns)[t].imag();
          to[0] = from[0] * re - from[1] * im;
          to[1] = from[0] * im + from[1] * re;
        }
  };
}

/// Rotates the samples into a window, then computes every fourth output of the filter.
std::function<void()> downmix_loop(const Frames& frames) {
  Frames inner = frames;
  auto turned = std::make_shared<std::vector<float>>(beamlets * samples * row);
  inner.output = turned->data();
  const auto rotate = rotate_loop(inner);
  inner.inputs = {turned->data()};
  inner.output = frames.output;
  const auto decimate = resample_loop(inner, 1, 4, 81);
  return [=] {
    (void)turned;
    rotate();
    decimate();
  };
}

std::string many_taps() {
  std::string list = "[0.5";
  for (int i = 1; i < 32; ++i) list += ", 0.01";
  return list + "]";
}

}  // namespace

std::vector<Case> filter_cases() {
  const FrameType type = voltages(beamlets, samples);
  FrameType traces = type;
  traces.element = sensors::ElementType::float32;
  traces.axes.back().size = row;
  return {
      {"delay", {{"delay", "1 us"}}, {type}, [](const Frames& f) { return filter_loop(f, 32, 1); }},
      {"phase_rotate", {{"frequency", "123.4"}}, {type}, rotate_loop},
      {"downmix", {{"frequency", "123.4"}, {"factor", "4"}}, {type}, downmix_loop},
      {"fir", {{"coefficients", many_taps()}}, {type}, [](const Frames& f) { return filter_loop(f, 32, 0); }},
      {"iir", {{"high", "10 kHz"}, {"order", "4"}}, {type}, iir_loop},
      {"remove_response",
       {{"poles", "[-100:100, -100:-100]"},
        {"zeros", "[0:0, 0:0]"},
        {"sensitivity", "1000"},
        {"band", "[1000, 5000, 20000, 40000]"},
        {"taps", "33"}},
       {traces},
       [](const Frames& f) { return filter_loop(f, 33, 0); }},
      {"decimate", {{"factor", "4"}}, {type}, [](const Frames& f) { return resample_loop(f, 1, 4, 81); }},
      {"resample", {{"up", "3"}, {"down", "4"}}, {type}, [](const Frames& f) {
         return resample_loop(f, 3, 4, 27);
       }}};
}

}  // namespace takt::bench
