/// Bare loops of the chains.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <numbers>

#include <fftw3.h>

#include "bench/chains/chains.hpp"
#include "pipeline/kernels/fftw.hpp"
#include "pipeline/kernels/windows.hpp"

namespace takt::bench {
namespace {

using pipeline::FftwComplex;
using pipeline::FftwPlan;
using pipeline::FftwReal;

/// Plans `count` contiguous transforms with measurements.
FftwPlan plan_of(std::size_t size, std::size_t count, fftwf_complex* from, fftwf_complex* to) {
  const int n = static_cast<int>(size);
  return FftwPlan(fftwf_plan_many_dft(1, &n, static_cast<int>(count), from, nullptr, 1, n, to, nullptr, 1, n,
                                      FFTW_FORWARD, FFTW_MEASURE));
}

float* floats(fftwf_complex* values) {
  return reinterpret_cast<float*>(values);
}

/// 8-bit samples, 64 channels with a Hann window, power, mean of 32 spectra; a beamlet at a time.
class Spectrometer final : public Loop {
 public:
  Spectrometer()
      : from_(fftwf_alloc_complex(2 * samples)),
        to_(fftwf_alloc_complex(2 * samples)),
        plan_(plan_of(size, 2 * spectra, from_.get(), to_.get())),
        result_(beamlets * size) {
    const std::vector<double> window = pipeline::unit_power_window("hann", size);
    for (std::size_t n = 0; n < size; ++n)
      weights_[n] = static_cast<float>(n % 2 == 0 ? window[n] : -window[n]);
  }
  void run(const std::byte* frame) override {
    constexpr std::size_t run = 16;
    for (std::size_t b = 0; b < beamlets; ++b) {
      for (std::size_t p = 0; p < packets; ++p) {
        const auto* __restrict in =
            reinterpret_cast<const std::int8_t*>(frame) + (p * beamlets + b) * run * 4;
        const float* __restrict w = weights_.data() + p % 4 * run;
        float* __restrict x = floats(from_.get()) + p / 4 * 4 * size + p % 4 * run * 2;
        float* __restrict y = x + 2 * size;
        for (std::size_t i = 0; i < run; ++i) {
          x[2 * i] = in[4 * i] * w[i];
          x[2 * i + 1] = in[4 * i + 1] * w[i];
          y[2 * i] = in[4 * i + 2] * w[i];
          y[2 * i + 1] = in[4 * i + 3] * w[i];
        }
      }
      fftwf_execute(plan_.get());
      float* __restrict sum = result_.data() + b * size;
      std::fill_n(sum, size, 0.0F);
      for (std::size_t s = 0; s < spectra; ++s) {
        const float* __restrict x = floats(to_.get()) + s * 4 * size;
        const float* __restrict y = x + 2 * size;
        for (std::size_t k = 0; k < size; ++k)
          sum[k] += x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1] + y[2 * k] * y[2 * k] +
                    y[2 * k + 1] * y[2 * k + 1];
      }
      for (std::size_t k = 0; k < size; ++k) sum[k] *= 1.0F / spectra;
    }
  }
  [[nodiscard]] std::span<const float> result() const override { return result_; }

 private:
  static constexpr std::size_t packets = 128, beamlets = 488, size = 64, samples = 2048, spectra = 32;
  std::array<float, size> weights_{};
  FftwComplex from_, to_;
  FftwPlan plan_;
  std::vector<float> result_;
};

/// Weights of a polyphase filter bank with a Hamming window, for values of `values` floats.
std::vector<float> filter_bank(std::size_t size, std::size_t taps, std::size_t values) {
  std::vector<double> h = pipeline::filter_window("hamming", size * taps);
  double squares = 0;
  for (std::size_t n = 0; n < h.size(); ++n) {
    const double x = std::numbers::pi * (static_cast<double>(n) - (static_cast<double>(h.size()) - 1) / 2) /
                     static_cast<double>(size);
    h[n] *= x == 0 ? 1 : std::sin(x) / x;
    squares += h[n] * h[n];
  }
  std::vector<float> weights;
  for (std::size_t n = 0; n < h.size(); ++n)
    weights.insert(weights.end(), values,
                   static_cast<float>((n % 2 == 0 ? h[n] : -h[n]) / std::sqrt(squares)));
  return weights;
}

/// 16-bit samples, a filter bank, power, channels without interference, mean of 100 frames; a beamlet at a
/// time.
class Rfi final : public Loop {
 public:
  Rfi()
      : weights_(filter_bank(size, taps, 4)),
        window_(beamlets * kept * 4),
        own_((kept + samples) * 4),
        folded_(fftwf_alloc_complex(spectra * size * 2)),
        to_(fftwf_alloc_complex(spectra * size * 2)),
        power_(spectra * size),
        sums_(beamlets * size),
        counts_(beamlets * size),
        result_(beamlets * size) {
    const fftwf_iodim64 transform{size, 2, 2};
    const std::array<fftwf_iodim64, 2> repeats{{{2, 1, 1}, {spectra, 2 * size, 2 * size}}};
    plan_.reset(fftwf_plan_guru64_dft(1, &transform, 2, repeats.data(), folded_.get(), to_.get(),
                                      FFTW_FORWARD, FFTW_MEASURE));
  }
  void run(const std::byte* frame) override {
    constexpr std::size_t run = 64;
    for (std::size_t b = 0; b < beamlets; ++b) {
      float* const before = window_.data() + b * kept * 4;
      std::copy_n(before, kept * 4, own_.data());
      for (std::size_t p = 0; p < packets; ++p) {
        const auto* __restrict in = reinterpret_cast<const std::int16_t*>(frame) + (p * beamlets + b) * run;
        float* __restrict to = own_.data() + kept * 4 + p * run;
        for (std::size_t i = 0; i < run; ++i) to[i] = in[i];
      }
      std::copy_n(own_.data() + samples * 4, kept * 4, before);
      for (std::size_t m = 0; m < spectra; ++m) {
        float* __restrict sums = floats(folded_.get()) + m * block;
        const float* __restrict x = own_.data() + m * block;
        const float* __restrict w = weights_.data();
        for (std::size_t i = 0; i < block; ++i)
          sums[i] = ((w[i] * x[i] + w[block + i] * x[block + i]) + w[2 * block + i] * x[2 * block + i]) +
                    w[3 * block + i] * x[3 * block + i];
      }
      fftwf_execute(plan_.get());
      judge(b);
    }
    if (++frames_ < 100) return;
    for (std::size_t i = 0; i < sums_.size(); ++i) result_[i] = static_cast<float>(sums_[i] / counts_[i]);
    std::ranges::fill(sums_, 0.0);
    std::ranges::fill(counts_, 0.0);
    frames_ = 0;
  }
  [[nodiscard]] std::span<const float> result() const override { return result_; }

 private:
  /// Powers, their kurtosis, and the sums of channels that look like noise.
  void judge(std::size_t b) {
    std::array<double, size> first{}, second{};
    for (std::size_t m = 0; m < spectra; ++m) {
      const float* __restrict s = floats(to_.get()) + m * block;
      float* __restrict power = power_.data() + m * size;
      for (std::size_t k = 0; k < size; ++k)
        power[k] = s[4 * k] * s[4 * k] + s[4 * k + 1] * s[4 * k + 1] + s[4 * k + 2] * s[4 * k + 2] +
                   s[4 * k + 3] * s[4 * k + 3];
      for (std::size_t k = 0; k < size; ++k) {
        first[k] += power[k];
        second[k] += double{power[k]} * power[k];
      }
    }
    constexpr double count = spectra, shape = 2, sigma = 5;
    const double bound =
        sigma * std::sqrt(2 * count * count * shape * (1 + shape) /
                          ((count - 1) * (6 + 5 * count * shape + count * count * shape * shape)));
    for (std::size_t k = 0; k < size; ++k) {
      const double kurtosis =
          (count * shape + 1) / (count - 1) * (count * second[k] / (first[k] * first[k]) - 1);
      if (std::abs(kurtosis - 1) > bound) continue;
      sums_[b * size + k] += first[k];
      counts_[b * size + k] += count;
    }
  }

  static constexpr std::size_t packets = 128, beamlets = 61, size = 16, taps = 4, samples = 2048,
                               spectra = 128, kept = (taps - 1) * size, block = size * 4;
  std::vector<float> weights_, window_, own_;
  FftwComplex folded_, to_;
  FftwPlan plan_;
  std::vector<float> power_;
  std::vector<double> sums_, counts_;
  std::vector<float> result_;
  std::size_t frames_ = 0;
};

/// Powers of real samples, means of 10, and on those small spectra: interference, bandpass, dispersion
/// trials, boxcars, a threshold and 8-bit codes.
class Pulsar final : public Loop {
 public:
  Pulsar()
      : from_(fftwf_alloc_real(2 * 2 * channels * 10)),
        to_(fftwf_alloc_complex((channels + 1) * 2 * 10)),
        clean_(rows * channels),
        flat_(rows * channels),
        means_(channels, NAN),
        levels_(channels),
        scales_(channels),
        codes_(rows * channels) {
    const int n = static_cast<int>(2 * channels);
    const int out = static_cast<int>(channels + 1);
    plan_.reset(fftwf_plan_many_dft_r2c(1, &n, 2 * 10, from_.get(), nullptr, 1, n, to_.get(), nullptr, 1, out,
                                        FFTW_MEASURE));
    const std::vector<double> window = pipeline::unit_power_window("hann", 2 * channels);
    for (const double each : window) weights_.push_back(static_cast<float>(each * std::numbers::sqrt2));
    const auto mhz = [](std::size_t c) { return 400 + 0.05 * static_cast<double>(c); };
    for (std::size_t d = 0; d < trials; ++d)
      for (std::size_t c = 0; c < channels; ++c) {
        const double top = mhz(channels - 1);
        delays_.push_back(static_cast<std::size_t>(std::llround(
            4148.808 * static_cast<double>(d) * 10 * (1 / (mhz(c) * mhz(c)) - 1 / (top * top)) / 2e-4)));
      }
    kept_ = *std::ranges::max_element(delays_);
    window_.resize(channels * (kept_ + rows));
    counts_.resize(channels * (kept_ + rows));
    centred_.resize(rows * trials);
    boxes_.resize((15 + rows) * trials);
    result_.resize(rows * 5 * trials);
  }
  void run(const std::byte* frame) override {
    powers(reinterpret_cast<const float*>(frame));
    clean();
    flatten();
    disperse();
    boxcars();
    found_.clear();
    for (std::size_t i = 0; i < result_.size(); ++i)
      if (result_[i] > 0.27F) found_.push_back(i);
    quantise();
  }
  [[nodiscard]] std::span<const float> result() const override { return result_; }

 private:
  void powers(const float* frame) {
    constexpr std::size_t size = 2 * channels;
    for (std::size_t row = 0; row < rows; ++row) {
      float* __restrict to = from_.get();
      for (std::size_t s = 0; s < 10; ++s, frame += 2 * size, to += 2 * size)
        for (std::size_t i = 0; i < size; ++i) {
          to[i] = frame[2 * i] * weights_[i];
          to[size + i] = frame[2 * i + 1] * weights_[i];
        }
      fftwf_execute(plan_.get());
      float* __restrict sum = clean_.data() + row * channels;
      std::fill_n(sum, channels, 0.0F);
      for (std::size_t s = 0; s < 10; ++s) {
        const float* __restrict x = floats(to_.get()) + s * 4 * (channels + 1);
        const float* __restrict y = x + 2 * (channels + 1);
        for (std::size_t k = 0; k < channels; ++k)
          sum[k] += x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1] + y[2 * k] * y[2 * k] +
                    y[2 * k + 1] * y[2 * k + 1];
      }
      for (std::size_t k = 0; k < channels; ++k) sum[k] *= 0.1F;
    }
  }
  /// Median of the kurtosis of ten blocks.
  void clean() {
    constexpr std::size_t blocks = 10, size = rows / blocks;
    std::vector<double> first(blocks * channels), second(blocks * channels);
    for (std::size_t t = 0; t < rows; ++t)
      for (std::size_t c = 0; c < channels; ++c) {
        const double value = clean_[t * channels + c];
        first[t / size * channels + c] += value;
        second[t / size * channels + c] += value * value;
      }
    constexpr double count = size, shape = 20, sigma = 5;
    const double bound = sigma *
                         std::sqrt(2 * count * count * shape * (1 + shape) /
                                   ((count - 1) * (6 + 5 * count * shape + count * count * shape * shape))) *
                         std::sqrt(std::numbers::pi / (2 * blocks));
    for (std::size_t c = 0; c < channels; ++c) {
      std::array<double, blocks> sorted{};
      for (std::size_t b = 0; b < blocks; ++b) {
        const double one = first[b * channels + c], two = second[b * channels + c];
        sorted[b] = (count * shape + 1) / (count - 1) * (count * two / (one * one) - 1);
      }
      std::ranges::sort(sorted);
      // A masked channel counts as 0 values of 0.
      is_there_[c] = std::abs((sorted[4] + sorted[5]) / 2 - 1) <= bound ? 1.0F : 0.0F;
    }
  }
  void flatten() {
    std::array<double, channels> sums{};
    for (std::size_t t = 0; t < rows; ++t)
      for (std::size_t c = 0; c < channels; ++c) sums[c] += clean_[t * channels + c];
    for (std::size_t c = 0; c < channels; ++c) {
      if (is_there_[c] == 0) continue;
      seen_[c] = std::min(seen_[c] + 1, 50.0);
      const double mean = sums[c] / rows;
      means_[c] = std::isnan(means_[c]) ? mean : means_[c] + (mean - means_[c]) / seen_[c];
    }
    for (std::size_t t = 0; t < rows; ++t)
      for (std::size_t c = 0; c < channels; ++c)
        flat_[t * channels + c] =
            is_there_[c] == 0 ? 0.0F : static_cast<float>(clean_[t * channels + c] / means_[c]);
  }
  void disperse() {
    const std::size_t length = kept_ + rows;
    for (std::size_t c = 0; c < channels; ++c) {
      float* own = window_.data() + c * length;
      std::copy_n(own + rows, kept_, own);
      for (std::size_t t = 0; t < rows; ++t) own[kept_ + t] = flat_[t * channels + c];
      float* counted = counts_.data() + c * length;
      std::copy_n(counted + rows, kept_, counted);
      std::fill_n(counted + kept_, rows, is_there_[c]);
    }
    for (std::size_t d = 0; d < trials; ++d) {
      std::array<float, rows> sums{}, counts{};
      for (std::size_t c = 0; c < channels; ++c) {
        const std::size_t at = c * length + delays_[d * channels + c];
        const float* __restrict from = window_.data() + at;
        const float* __restrict counted = counts_.data() + at;
        for (std::size_t t = 0; t < rows; ++t) {
          sums[t] += from[t];
          counts[t] += counted[t];
        }
      }
      double mean = 0;
      for (std::size_t t = 0; t < rows; ++t) {
        sums[t] = counts[t] >= 0.75F * channels ? sums[t] / counts[t] : NAN;
        mean += sums[t];
      }
      mean /= rows;
      for (std::size_t t = 0; t < rows; ++t) centred_[t * trials + d] = static_cast<float>(sums[t] - mean);
    }
  }
  void boxcars() {
    constexpr std::array<std::size_t, 5> widths{1, 2, 4, 8, 16};
    constexpr std::size_t before = 15;
    std::copy_n(boxes_.data() + rows * trials, before * trials, boxes_.data());
    std::copy_n(centred_.data(), rows * trials, boxes_.data() + before * trials);
    for (std::size_t w = 0; w < widths.size(); ++w) {
      std::array<double, trials> sums{};
      for (std::size_t r = before + 1 - widths[w]; r < before; ++r)
        for (std::size_t d = 0; d < trials; ++d) sums[d] += boxes_[r * trials + d];
      const double scale = 1 / std::sqrt(static_cast<double>(widths[w]));
      for (std::size_t t = 0; t < rows; ++t) {
        const float* in = boxes_.data() + (before + t) * trials;
        const float* gone = boxes_.data() + (before + t + 1 - widths[w]) * trials;
        for (std::size_t d = 0; d < trials; ++d) {
          sums[d] += in[d];
          result_[(t * widths.size() + w) * trials + d] = static_cast<float>(sums[d] * scale);
          sums[d] -= gone[d];
        }
      }
    }
  }
  void quantise() {
    if (!has_levels_)
      for (std::size_t c = 0; c < channels; ++c) {
        double sum = 0, squares = 0;
        for (std::size_t t = 0; t < rows; ++t) sum += flat_[t * channels + c];
        levels_[c] = sum / rows;
        for (std::size_t t = 0; t < rows; ++t) squares += std::pow(flat_[t * channels + c] - levels_[c], 2);
        scales_[c] = 1 / (0.0308 * std::sqrt(squares / rows));
      }
    has_levels_ = true;
    for (std::size_t t = 0; t < rows; ++t)
      for (std::size_t c = 0; c < channels; ++c) {
        const double code = 127.5 + (flat_[t * channels + c] - levels_[c]) * scales_[c];
        codes_[t * channels + c] = static_cast<std::uint8_t>(std::min(std::max(code, 0.0), 255.0) + 0.5);
      }
  }

  static constexpr std::size_t rows = 100, channels = 64, trials = 16;
  std::vector<float> weights_;
  FftwReal from_;
  FftwComplex to_;
  FftwPlan plan_;
  std::vector<float> clean_, flat_;
  std::array<float, channels> is_there_{};
  std::vector<double> means_;
  std::array<double, channels> seen_{};
  std::vector<std::size_t> delays_;
  std::size_t kept_ = 0;
  std::vector<float> window_, counts_, centred_, boxes_, result_;
  std::vector<std::size_t> found_;
  std::vector<double> levels_, scales_;
  bool has_levels_ = false;
  std::vector<std::uint8_t> codes_;
};

/// Two antennas: interpolation by 32 taps, phase, a filter bank of 128 channels, and correlation over 8
/// frames; 16 spectra at a time.
class Correlator final : public Loop {
 public:
  Correlator()
      : weights_(filter_bank(size, taps, 2)),
        folded_(fftwf_alloc_complex(at_once * size)),
        plan_(plan_of(size, at_once, folded_.get(), folded_.get())),
        sums_(3 * size * 2),
        result_(3 * size * 2) {
    for (std::size_t k = 0; k < filter.size(); ++k) filter[k] = k == 15 ? 1.0F : 0.0F;
    antennas_[0].late = 10;
    antennas_[0].turn = std::polar(1.0, -2 * std::numbers::pi * std::fmod(1420e6 * 1250e-9, 1.0));
    for (Antenna& each : antennas_) {
      each.input.resize((filter.size() - 1 + each.late + block) * 2);
      each.delayed.resize((kept + block) * 2);
      each.spectra.resize(block * 2);
    }
  }
  void run(const std::byte* frame) override {
    for (std::size_t first = 0; first < samples; first += block) {
      for (std::size_t a = 0; a < 2; ++a) {
        const float* from = reinterpret_cast<const float*>(frame) + (a * samples + first) * 2;
        transform(antennas_[a], from);
      }
      add(antennas_[0], antennas_[0], 0);
      add(antennas_[0], antennas_[1], 1);
      add(antennas_[1], antennas_[1], 2);
    }
    if (++frames_ < 8) return;
    for (std::size_t i = 0; i < sums_.size(); ++i)
      result_[i] = static_cast<float>(sums_[i] / (8.0 * samples / size));
    std::ranges::fill(sums_, 0.0);
    frames_ = 0;
  }
  [[nodiscard]] std::span<const float> result() const override { return result_; }

 private:
  struct Antenna {
    std::size_t late = 0;
    std::complex<double> turn = 1;
    /// Samples before the block, and those of the block.
    std::vector<float> input, delayed, spectra;
  };
  void transform(Antenna& antenna, const float* from) {
    const std::size_t before = (filter.size() - 1 + antenna.late) * 2;
    std::copy_n(antenna.input.data() + block * 2, before, antenna.input.data());
    std::copy_n(from, block * 2, antenna.input.data() + before);
    std::copy_n(antenna.delayed.data() + block * 2, kept * 2, antenna.delayed.data());
    float* __restrict delayed = antenna.delayed.data() + kept * 2;
    std::fill_n(delayed, block * 2, 0.0F);
    const float* newest = antenna.input.data() + (filter.size() - 1) * 2;
    for (std::size_t k = 0; k < filter.size(); k += 4) {
      const float* __restrict x = newest - k * 2;
      for (std::size_t i = 0; i < block * 2; ++i)
        delayed[i] += filter[k] * x[i] + filter[k + 1] * x[i - 2 + 0] + filter[k + 2] * x[i - 4 + 0] +
                      filter[k + 3] * x[i - 6 + 0];
    }
    const auto re = static_cast<float>(antenna.turn.real()), im = static_cast<float>(antenna.turn.imag());
    for (std::size_t i = 0; i < block * 2; i += 2) {
      const float x = delayed[i], y = delayed[i + 1];
      delayed[i] = x * re - y * im;
      delayed[i + 1] = x * im + y * re;
    }
    constexpr std::size_t row = size * 2;
    for (std::size_t m = 0; m < at_once; ++m) {
      float* __restrict sums = floats(folded_.get()) + m * row;
      const float* __restrict x = antenna.delayed.data() + m * row;
      const float* __restrict w = weights_.data();
      for (std::size_t i = 0; i < row; ++i)
        sums[i] = w[i] * x[i] + w[row + i] * x[row + i] + w[2 * row + i] * x[2 * row + i] +
                  w[3 * row + i] * x[3 * row + i];
    }
    fftwf_execute(plan_.get());
    std::copy_n(floats(folded_.get()), block * 2, antenna.spectra.data());
  }
  void add(const Antenna& one, const Antenna& other, std::size_t baseline) {
    double* __restrict sums = sums_.data() + baseline * size * 2;
    for (std::size_t m = 0; m < at_once; ++m) {
      const float* __restrict x = one.spectra.data() + m * size * 2;
      const float* __restrict y = other.spectra.data() + m * size * 2;
      for (std::size_t c = 0; c < size * 2; c += 2) {
        const double a = x[c], b = x[c + 1], d = y[c], e = y[c + 1];
        sums[c] += a * d + b * e;
        sums[c + 1] += b * d - a * e;
      }
    }
  }

  static constexpr std::size_t size = 128, taps = 4, samples = 256000, at_once = 16, block = at_once * size,
                               kept = (taps - 1) * size;
  static_assert(samples % block == 0);
  std::array<float, 32> filter{};
  std::vector<float> weights_;
  FftwComplex folded_;
  FftwPlan plan_;
  std::array<Antenna, 2> antennas_;
  std::vector<double> sums_;
  std::vector<float> result_;
  std::size_t frames_ = 0;
};

}  // namespace

std::unique_ptr<Loop> spectrometer_loop() {
  return std::make_unique<Spectrometer>();
}
std::unique_ptr<Loop> rfi_loop() {
  return std::make_unique<Rfi>();
}
std::unique_ptr<Loop> pulsar_loop() {
  return std::make_unique<Pulsar>();
}
std::unique_ptr<Loop> correlator_loop() {
  return std::make_unique<Correlator>();
}

std::vector<ChainCase> chain_cases() {
  return {{"spectrometer", "", R"(name: spectrometer
sources:
  station: {type: synthetic, element: complex_int8, axes: [packet=128, beamlet=488, time=16, polarisation=2], rate: 95.4 Hz}
tasks:
  unpack: {kernel: lofar_unpack, input: station}
  spectra: {kernel: fft, input: unpack, channels: 64, window: hann}
  power: {kernel: stokes, input: spectra}
  integrated: {kernel: integrate, input: power, factor: 32}
sinks:
  out: {type: 'null', input: integrated}
)",
           "integrated", 1, spectrometer_loop},
          {"rfi-spectrometer", "rfi-spectrometer.yaml", "", "integrated", 100, rfi_loop},
          {"pulsar-search", "pulsar-search.yaml", "", "pulses", 8, pulsar_loop},
          {"vlbi-correlator", "vlbi-correlator.yaml", "", "visibilities", 8, correlator_loop}};
}

}  // namespace takt::bench
