#include "pipeline/kernels/iir.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

using IirComplex = std::complex<double>;

/// b0 + b1 z^-1 + b2 z^-2 over 1 + a1 z^-1 + a2 z^-2.
struct Section {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

/// Poles of the analogue filter of unit edge.
std::vector<IirComplex> prototype(int order) {
  std::vector<IirComplex> poles;
  for (int k = 0; k < order; ++k)
    poles.push_back(std::polar(1.0, std::numbers::pi * (2.0 * k + order + 1) / (2.0 * order)));
  return poles;
}

/// Sections of the poles, each a conjugate pair, two real ones, or one; each gets two zeros (or one) of
/// those given.
std::vector<Section> sections_of(std::vector<IirComplex> poles, double first_zero, double second_zero) {
  std::vector<Section> sections;
  std::vector<double> real;
  for (const IirComplex& pole : poles)
    if (std::abs(pole.imag()) <= 1e-12)
      real.push_back(pole.real());
    else if (pole.imag() > 0)
      sections.push_back({.a1 = -2 * pole.real(), .a2 = std::norm(pole)});
  for (std::size_t i = 0; i + 1 < real.size(); i += 2)
    sections.push_back({.a1 = -(real[i] + real[i + 1]), .a2 = real[i] * real[i + 1]});
  for (Section& section : sections) {
    section.b1 = -(first_zero + second_zero);
    section.b2 = first_zero * second_zero;
  }
  if (real.size() % 2 == 1) sections.push_back({.b1 = -first_zero, .a1 = -real.back()});
  return sections;
}

/// Edges in cycles a sample; 0: none.
std::vector<Section> butterworth(int order, double low, double high) {
  // Of the bilinear transform s = 2 (z - 1) / (z + 1).
  const auto warp = [](double edge) { return 2 * std::tan(std::numbers::pi * edge); };
  std::vector<IirComplex> poles;
  for (const IirComplex& pole : prototype(order)) {
    if (low > 0 && high > 0) {
      const IirComplex half = pole * (warp(high) - warp(low)) / 2.0;
      const IirComplex root = std::sqrt(half * half - warp(low) * warp(high));
      poles.push_back(half + root);
      poles.push_back(half - root);
    } else {
      poles.push_back(high > 0 ? pole * warp(high) : warp(low) / pole);
    }
  }
  for (IirComplex& pole : poles) pole = (2.0 + pole) / (2.0 - pole);
  const bool is_band = low > 0 && high > 0;
  std::vector<Section> sections = sections_of(poles, is_band ? 1 : high > 0 ? -1 : 1, high > 0 ? -1 : 1);
  // The gain is 1 in the band's middle (geometric, of the warped edges), at 0 or at half the sample rate.
  const double centre = is_band    ? std::atan(std::sqrt(warp(low) * warp(high)) / 2) / std::numbers::pi
                        : high > 0 ? 0
                                   : 0.5;
  const IirComplex z = std::polar(1.0, -2 * std::numbers::pi * centre);
  for (Section& s : sections) {
    const double gain = std::abs((s.b0 + s.b1 * z + s.b2 * z * z) / (1.0 + s.a1 * z + s.a2 * z * z));
    s.b0 /= gain;
    s.b1 /= gain;
    s.b2 /= gain;
  }
  return sections;
}

/// The largest magnitude of a pole.
double slowest_pole(const std::vector<Section>& sections) {
  double slowest = 0;
  for (const Section& s : sections) {
    const double square = s.a1 * s.a1 / 4 - s.a2;
    const double own = square < 0 ? std::sqrt(s.a2) : std::abs(s.a1) / 2 + std::sqrt(square);
    slowest = std::max(slowest, own);
  }
  return slowest;
}

class Iir final : public Kernel {
 public:
  explicit Iir(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    shape_ = shape_of(inputs.front(), "time");
    rate_ = sample_rate(inputs.front());
    if (!(rate_ > 0))
      throw InputError(fmt::format("the time between samples is not known of {}, and the band is in Hz",
                                   inputs.front().to_string()));
    sections_ = design(parameters_);
    settles_ = time_to_settle(parameters_);
    states_.assign(shape_.outer * shape_.inner * sections_.size(), {});
    since_.assign(shape_.outer * shape_.inner, never);
    return inputs.front();
  }

  /// The filter goes on from its state where it has as many sections.
  bool change(const Parameters& parameters) override {
    std::vector<Section> sections = design(parameters);
    if (sections.size() != sections_.size()) return false;
    sections_ = std::move(sections);
    settles_ = time_to_settle(parameters);
    return true;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == shape_.dimension ? std::nullopt : std::optional(axis);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    switch (succession_.follow(*inputs.front().header)) {
      case Following::next:
        break;
      case Following::behind_lost:
        std::ranges::fill(since_, 0U);
        break;
      case Following::anew:
        std::ranges::fill(states_, State{});
        std::ranges::fill(since_, never);
    }
    const float* const from = inputs.front().as<float>().data();
    float* const to = output.as<float>().data();
    const std::size_t count = sections_.size();
    for (std::size_t run = 0; run < shape_.outer; ++run)
      for (std::size_t i = 0; i < shape_.inner; ++i) {
        const std::size_t first = run * shape_.size * shape_.inner + i;
        State* states = states_.data() + (run * shape_.inner + i) * count;
        std::uint64_t& since = since_[run * shape_.inner + i];
        switch (count) {
          case 1:
            filter<1>(from + first, to + first, states, since);
            break;
          case 2:
            filter<2>(from + first, to + first, states, since);
            break;
          case 3:
            filter<3>(from + first, to + first, states, since);
            break;
          case 4:
            filter<4>(from + first, to + first, states, since);
            break;
          default:
            for (std::size_t t = 0; t < shape_.size; ++t)
              to[first + t * shape_.inner] = step(from[first + t * shape_.inner], states, since);
        }
      }
    if (std::ranges::min(since_) < settles_ + shape_.size) mark_incomplete(*output.header);
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override { return saved(states_, since_, succession_); }
  void load(std::span<const std::byte> state) override { load_into(state, states_, since_, succession_); }

 private:
  [[nodiscard]] std::vector<Section> design(const Parameters& parameters) const {
    const double low = parameters.frequency("low").hertz, high = parameters.frequency("high").hertz;
    if (low <= 0 && high <= 0) parameters.refuse("neither low nor high is given: there is nothing to filter");
    for (const auto& [name, hertz] : {std::pair("low", low), std::pair("high", high)})
      if (hertz >= rate_ / 2)
        parameters.refuse(name,
                          fmt::format("{} Hz is not below half the sample rate of {} Hz", hertz, rate_));
    if (low > 0 && high > 0 && low >= high) parameters.refuse("high", "the band ends below its beginning");
    return butterworth(static_cast<int>(parameters.integer("order")), low / rate_, high / rate_);
  }

  /// Samples behind a gap whose results are missing.
  [[nodiscard]] std::uint64_t time_to_settle(const Parameters& parameters) const {
    const double least = parameters.number("least"), decay = -std::log(slowest_pole(sections_));
    if (least <= 0) return 0;
    // A pole that is rounded to the unit circle never forgets.
    constexpr double most = 1e15;
    return static_cast<std::uint64_t>(decay > 0 ? std::min(std::ceil(-std::log1p(-least) / decay), most)
                                                : most);
  }

  /// Direct form II, transposed.
  struct State {
    double first = 0, second = 0;
  };

  /// `step` for a whole series, with sections and states in registers.
  template <std::size_t count>
  void filter(const float* from, float* to, State* states, std::uint64_t& since) const {
    std::array<Section, count> sections;
    std::array<State, count> own;
    std::copy_n(sections_.begin(), count, sections.begin());
    std::copy_n(states, count, own.begin());
    for (std::size_t t = 0; t < shape_.size; ++t) {
      const float sample = from[t * shape_.inner];
      if (!std::isfinite(sample)) {
        to[t * shape_.inner] = missing_value;
        since = 0;
        continue;
      }
      double value = sample;
      for (std::size_t k = 0; k < count; ++k) {
        const Section& s = sections[k];
        const double out = s.b0 * value + own[k].first;
        own[k].first = s.b1 * value - s.a1 * out + own[k].second;
        own[k].second = s.b2 * value - s.a2 * out;
        value = out;
      }
      to[t * shape_.inner] = since++ < settles_ ? missing_value : static_cast<float>(value);
    }
    std::copy_n(own.begin(), count, states);
  }

  float step(float sample, State* states, std::uint64_t& since) const {
    if (!std::isfinite(sample)) {
      since = 0;
      return missing_value;
    }
    double value = sample;
    for (const Section& s : sections_) {
      const double out = s.b0 * value + states->first;
      states->first = s.b1 * value - s.a1 * out + states->second;
      states->second = s.b2 * value - s.a2 * out;
      value = out;
      ++states;
    }
    return since++ < settles_ ? missing_value : static_cast<float>(value);
  }

  Parameters parameters_;
  AxisShape shape_;
  double rate_ = 0;
  std::vector<Section> sections_;
  /// [outer][inner][section].
  std::vector<State> states_;
  /// Of each series the samples since the last gap.
  std::vector<std::uint64_t> since_;
  static constexpr std::uint64_t never = std::uint64_t{1} << 62;
  std::uint64_t settles_ = 0;
  Succession succession_;
};

}  // namespace

KernelKind iir_kernel() {
  return {.name = "iir",
          .summary = "a Butterworth filter along the time: low-pass, high-pass or band-pass",
          .stateless = false,
          .parameters =
              {{.name = "low",
                .type = ParameterType::frequency,
                .fallback = "0",
                .help = "what is below is taken away; 0: nothing",
                .may_change = true},
               {.name = "high",
                .type = ParameterType::frequency,
                .fallback = "0",
                .help = "what is above is taken away; 0: nothing",
                .may_change = true},
               {.name = "order",
                .type = ParameterType::integer,
                .fallback = "4",
                .help = "poles of the low-pass that it is made of",
                .minimum = 1,
                .maximum = 20},
               {.name = "least",
                .type = ParameterType::number,
                .fallback = "0.99",
                .help = "how much of what came before a gap must be forgotten for results to be there again",
                .minimum = 0,
                .maximum = 0.999999,
                .may_change = true}},
          .make = make_from<Iir>};
}

}  // namespace takt::pipeline
