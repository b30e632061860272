#include "pipeline/kernels/remove_response.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "core/pictures/figure_text.hpp"
#include "pipeline/kernels/fftw.hpp"
#include "pipeline/kernels/filtering_kernel.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

constexpr std::size_t most_taps = 1U << 18U;
/// Names, units, and numbers of derivatives relative to displacement.
constexpr std::array motions{std::pair("displacement", "m"), std::pair("velocity", "m/s"),
                             std::pair("acceleration", "m/s^2")};

int derivatives(const Parameters& parameters, std::string_view name) {
  const std::string motion = parameters.text(name);
  return static_cast<int>(std::ranges::find(motions, motion, [](const auto& each) { return each.first; }) -
                          motions.begin());
}

/// Pass band in Hz: a cosine rises from the first to the second frequency and falls from the third to the
/// fourth.
using Corners = std::array<double, 4>;

double taper(const Corners& corners, double hertz) {
  const auto cosine = [](double part) { return 0.5 - 0.5 * std::cos(std::numbers::pi * part); };
  if (hertz <= corners[0] || hertz >= corners[3]) return 0;
  if (hertz < corners[1]) return cosine((hertz - corners[0]) / (corners[1] - corners[0]));
  if (hertz > corners[2]) return cosine((corners[3] - hertz) / (corners[3] - corners[2]));
  return 1;
}

/// Counts per unit of the chosen motion.
class InstrumentResponse {
 public:
  explicit InstrumentResponse(const Parameters& parameters)
      : poles_(roots(parameters, "poles")),
        zeros_(roots(parameters, "zeros")),
        gain_(parameters.number("sensitivity") * parameters.number("a0")),
        derivatives_(derivatives(parameters, "of") - derivatives(parameters, "gives")) {
    for (const std::complex<double>& pole : poles_)
      if (pole.real() > 0)
        parameters.refuse("poles", fmt::format("{}:{} is not stable: expected a real part of 0 or less",
                                               pole.real(), pole.imag()));
    if (gain_ == 0) parameters.refuse("sensitivity", "the response is 0: expected another value");
  }

  [[nodiscard]] std::complex<double> at(double hertz) const {
    const std::complex<double> s(0, 2 * std::numbers::pi * hertz);
    std::complex<double> value = gain_;
    // Alternates poles and zeros, so that products of many stay within bounds.
    for (std::size_t i = 0; i < std::max(poles_.size(), zeros_.size()); ++i) {
      if (i < zeros_.size()) value *= s - zeros_[i];
      if (i < poles_.size()) value /= s - poles_[i];
    }
    for (int i = 0; i < std::abs(derivatives_); ++i) value = derivatives_ > 0 ? value * s : value / s;
    return value;
  }

 private:
  /// Complex ones must come in pairs, as for a real filter.
  static std::vector<std::complex<double>> roots(const Parameters& parameters, const char* name) {
    std::vector<std::complex<double>> all;
    for (const std::string& text : parameters.texts(name)) {
      const std::vector<double> parts =
          colon_numbers(parameters, name, text, 2, "real:imaginary in rad/s, -0.037:0.037");
      all.emplace_back(parts[0], parts[1]);
    }
    for (const std::complex<double>& root : all)
      if (root.imag() != 0 && std::ranges::count(all, std::conj(root)) != std::ranges::count(all, root))
        parameters.refuse(name, fmt::format("{}:{} has no conjugate: expected {}:{} as well", root.real(),
                                            root.imag(), root.real(), -root.imag()));
    return all;
  }

  std::vector<std::complex<double>> poles_, zeros_;
  double gain_;
  int derivatives_;
};

class RemoveResponse final : public FilteringKernel {
 public:
  explicit RemoveResponse(const Parameters& parameters) : parameters_(parameters), response_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    const FrameType& input = inputs.front();
    const AxisShape shape = real_shape_of(input, "time", false);
    require_steady(input);
    const double rate = sample_rate(input);
    if (!(rate > 0)) throw InputError("the sample rate is not known: expected frames with a rate");
    std::vector<double> taps = taps_at(rate);
    FrameType output = input;
    output.unit = motions[static_cast<std::size_t>(derivatives(parameters_, "gives"))].second;
    const Lag lag(input, (static_cast<double>(taps.size()) - 1) / 2, output);
    filter_by({shape, std::move(taps)}, shape, lag);
    return output;
  }

 private:
  [[nodiscard]] Corners corners_at(double rate) const {
    const std::vector<double> given = numbers(parameters_, "band");
    if (given.size() != 4 || !(given[0] > 0) || !std::ranges::is_sorted(given, std::less_equal{}))
      parameters_.refuse("band", "expected four ascending frequencies in Hz: [0.01, 0.02, 40, 45]");
    if (given[3] > rate / 2)
      parameters_.refuse("band", fmt::format("{} ends above half the sample rate, {}",
                                             frequency_text(given[3]), frequency_text(rate / 2)));
    return {given[0], given[1], given[2], given[3]};
  }

  /// Returns the taps required by the narrower edge: the filter's length is inverse to its width.
  [[nodiscard]] std::size_t needed_at(double rate, const Corners& corners) const {
    const double edge = std::min(corners[1] - corners[0], corners[3] - corners[2]);
    constexpr double rounding = 1e-6;
    const double count = 2 * std::ceil(4 * rate / edge - rounding) + 1;
    if (count > static_cast<double>(most_taps))
      parameters_.refuse("band", fmt::format("an edge of {} needs {:.0f} taps, more than {}: expected a "
                                             "wider edge, or a lower sample rate (decimate)",
                                             frequency_text(edge), count, most_taps));
    return static_cast<std::size_t>(count);
  }

  /// Returns an odd number, symmetric about the middle.
  [[nodiscard]] std::size_t count_or(std::size_t needed) const {
    const auto given = static_cast<std::size_t>(parameters_.integer("taps"));
    if (given > 0 && given % 2 == 0)
      parameters_.refuse("taps", fmt::format("{} is even: expected an odd number", given));
    return given > 0 ? given : needed;
  }

  [[nodiscard]] std::vector<double> taps_at(double rate) const {
    const Corners corners = corners_at(rate);
    const std::size_t needed = needed_at(rate, corners), count = count_or(needed), half = count / 2;
    // So fine that the periodic ends of the filter do not overlap.
    const std::size_t size = std::bit_ceil(16 * std::max(count, needed));
    std::vector<std::complex<double>> response(size / 2 + 1);
    double largest = 0;
    const double step = rate / static_cast<double>(size);
    for (std::size_t j = 1; j < response.size(); ++j) {
      response[j] = response_.at(static_cast<double>(j) * step);
      largest = std::max(largest, std::abs(response[j]));
    }
    const double level = largest * std::pow(10, -parameters_.number("water_level") / 20);
    std::vector<std::complex<double>> inverse(response.size());
    double scale = 0;
    for (std::size_t j = 1; j < response.size(); ++j) {
      const double modulus = std::abs(response[j]);
      const double part = taper(corners, static_cast<double>(j) * step);
      if (part == 0 || modulus == 0) continue;
      inverse[j] = part * std::conj(response[j]) / (modulus * std::max(modulus, level));
      scale = std::max(scale, std::abs(inverse[j]));
    }
    if (!std::isfinite(scale) || scale == 0 || scale > 1e30 || scale < 1e-30)
      parameters_.refuse(
          "sensitivity",
          fmt::format(
              "the response is too small to invert: within the band its inverse is up to {} per count",
              scale));
    std::vector<double> taps = transform(inverse, scale, size, half);
    window(taps);
    return taps;
  }

  /// Returns the filter around its middle; FFTW's single precision equals that of the taps.
  static std::vector<double> transform(const std::vector<std::complex<double>>& inverse, double scale,
                                       std::size_t size, std::size_t half) {
    const FftwComplex spectrum(fftwf_alloc_complex(inverse.size()));
    const FftwReal filter(fftwf_alloc_real(size));
    FftwPlan plan;
    {
      const std::scoped_lock lock(fftw_planner_mutex);
      plan.reset(fftwf_plan_dft_c2r_1d(static_cast<int>(size), spectrum.get(), filter.get(), FFTW_ESTIMATE));
    }
    for (std::size_t j = 0; j < inverse.size(); ++j) {
      spectrum[j][0] = static_cast<float>(inverse[j].real() / scale);
      spectrum[j][1] = static_cast<float>(inverse[j].imag() / scale);
    }
    fftwf_execute(plan.get());
    std::vector<double> taps(2 * half + 1);
    for (std::size_t k = 0; k < taps.size(); ++k)
      taps[k] = scale * static_cast<double>(filter[(k + size - half) % size]) / static_cast<double>(size);
    return taps;
  }

  /// Applies a cosine over the outer quarters.
  static void window(std::vector<double>& taps) {
    const std::size_t edge = taps.size() / 4;
    for (std::size_t k = 0; k < edge; ++k) {
      const double part = (static_cast<double>(k) + 1) / (static_cast<double>(edge) + 1);
      const double weight = 0.5 - 0.5 * std::cos(std::numbers::pi * part);
      taps[k] *= weight;
      taps[taps.size() - 1 - k] *= weight;
    }
  }

  Parameters parameters_;
  InstrumentResponse response_;
};

}  // namespace

KernelKind remove_response_kernel() {
  const std::vector<std::string> names{"displacement", "velocity", "acceleration"};
  return {
      .name = "remove_response",
      .summary = "converts counts of a seismometer to ground motion, by poles and zeros",
      .stateless = false,
      .parameters =
          {{.name = "poles",
            .type = ParameterType::texts,
            .fallback = "",
            .help = "poles of the response, real:imaginary in rad/s, including conjugates"},
           {.name = "zeros",
            .type = ParameterType::texts,
            .fallback = "",
            .help = "zeros of the response, likewise"},
           {.name = "a0",
            .type = ParameterType::number,
            .fallback = "1",
            .help = "normalisation factor of poles and zeros"},
           {.name = "sensitivity",
            .type = ParameterType::number,
            .help = "sensitivity of the whole channel, in counts per unit of motion"},
           {.name = "of", .fallback = "velocity", .help = "input motion of the response", .choices = names},
           {.name = "gives", .fallback = "velocity", .help = "output motion", .choices = names},
           {.name = "band",
            .type = ParameterType::texts,
            .help = "four corner frequencies of the band, in Hz"},
           {.name = "water_level",
            .type = ParameterType::number,
            .fallback = "60",
            .help = "water level: least response, in dB below its largest value",
            .minimum = 0,
            .maximum = 1000},
           {.name = "taps",
            .type = ParameterType::integer,
            .fallback = "0",
            .help =
                "length of the filter, an odd number; 0: four periods of the narrower band edge to each side",
            .minimum = 0,
            .maximum = most_taps}},
      .make = make_from<RemoveResponse>};
}

}  // namespace takt::pipeline
