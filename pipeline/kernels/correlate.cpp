#include "pipeline/kernels/correlate.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/gathering_kernel.hpp"

namespace takt::pipeline {

namespace {

/// Adds the products of two feeds with the conjugates of two others, in the order of the general case.
TAKT_WIDE void add_two_feeds(const float* __restrict x, const float* __restrict y, double* __restrict sums,
                             std::size_t channels) {
  for (std::size_t c = 0; c < channels; ++c, x += 4, y += 4, sums += 8)
    for (std::size_t p = 0; p < 2; ++p)
      for (std::size_t q = 0; q < 2; ++q) {
        const double a = x[2 * p], b = x[2 * p + 1], c_re = y[2 * q], d = y[2 * q + 1];
        double* const to = sums + 4 * p + 2 * q;
        to[0] += a * c_re + b * d;
        to[1] += b * c_re - a * d;
      }
}

/// The same for one feed.
TAKT_WIDE void add_one_feed(const float* __restrict x, const float* __restrict y, double* __restrict sums,
                            std::size_t channels) {
  for (std::size_t c = 0; c < 2 * channels; c += 2) {
    const double a = x[c], b = x[c + 1], c_re = y[c], d = y[c + 1];
    sums[c] += a * c_re + b * d;
    sums[c + 1] += b * c_re - a * d;
  }
}

/// Presence of values in a spectrum.
enum class Presence : std::uint8_t { whole, some, nothing };

TAKT_WIDE Presence presence_of(const float* __restrict values, std::size_t count) {
  std::size_t missing = 0;
  for (std::size_t i = 0; i < count; ++i) missing += std::isnan(values[i]) ? 1 : 0;
  return missing == 0 ? Presence::whole : missing < count ? Presence::some : Presence::nothing;
}

class Correlate final : public GatheringKernel {
 public:
  explicit Correlate(const Parameters& parameters)
      : GatheringKernel(static_cast<std::size_t>(parameters.integer("frames"))) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      require_input(inputs, i, {ElementType::complex_float32}, {"time", "channel", "polarisation"});
      if (inputs[i].to_string() != inputs[0].to_string())
        throw InputError(
            fmt::format("cannot correlate {} with {}", inputs[i].to_string(), inputs[0].to_string()), i);
    }
    one_time_.require(inputs);
    require_same_axes(inputs);
    FrameType type = inputs.front();
    inputs_ = inputs.size();
    rows_ = type.axes[0].size;
    channels_ = type.axes[1].size;
    polarisations_ = type.axes[2].size;
    const std::size_t baselines = inputs_ * (inputs_ + 1) / 2;
    type.axes = {Axis{"baseline", baselines, {}}, type.axes[1],
                 Axis{"product", polarisations_ * polarisations_, {}}};
    type.rate_hz /= static_cast<double>(group_.frames());
    if (!type.unit.empty()) type.unit += "^2";
    sums_.assign(type.element_count(), {});
    present_.assign(type.element_count(), 0);
    whole_.assign(baselines, 0);
    for (std::size_t i = 0; i < inputs_; ++i)
      for (std::size_t j = i; j < inputs_; ++j) pairs_.emplace_back(i, j);
    presence_.resize(inputs_ * rows_);
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    FrameHeader header;
    one_time_.merge(inputs, header);
    return take_in(header, inputs, output);
  }

  void use_tasks(Tasks& tasks) override { tasks_ = &tasks; }

  std::optional<std::vector<std::byte>> save() const override {
    if (is_stateless()) return std::nullopt;
    return saved(group_, sums_, whole_, present_);
  }
  void load(std::span<const std::byte> state) override { load_into(state, group_, sums_, whole_, present_); }

 private:
  using Value = std::complex<float>;

  [[nodiscard]] std::size_t row_values() const { return channels_ * polarisations_; }

  void look_for_missing(std::span<const FrameView> inputs) {
    constexpr std::size_t parts = 2;
    const std::size_t floats = parts * row_values();
    tasks_->parallel_for(presence_.size(), [&](std::size_t row) {
      const auto* const values = reinterpret_cast<const float*>(inputs[row / rows_].bytes.data());
      presence_[row] = presence_of(values + row % rows_ * floats, floats);
    });
  }

  void gather(const FrameHeader& header, std::span<const FrameView> inputs) override {
    const bool may_miss = header.missing_parts > 0;
    if (may_miss)
      look_for_missing(inputs);
    else
      std::ranges::fill(presence_, Presence::whole);
    tasks_->parallel_for(
        pairs_.size(), [&](std::size_t baseline) { add_baseline(baseline, inputs); }, 1);
  }

  /// Baselines have sums of their own.
  void add_baseline(std::size_t baseline, std::span<const FrameView> inputs) {
    const auto [i, j] = pairs_[baseline];
    const std::size_t row = row_values(), at = baseline * row * polarisations_;
    const auto* x = reinterpret_cast<const Value*>(inputs[i].bytes.data());
    const auto* y = reinterpret_cast<const Value*>(inputs[j].bytes.data());
    for (std::size_t t = 0; t < rows_; ++t, x += row, y += row) {
      const Presence least = std::max(presence_[i * rows_ + t], presence_[j * rows_ + t]);
      if (least == Presence::nothing) continue;
      if (least == Presence::some) {
        add<true>(x, y, at);
        continue;
      }
      add<false>(x, y, at);
      whole_[baseline] += 1;
    }
  }

  template <bool may_miss>
  void add(const Value* x, const Value* y, std::size_t at) {
    if (!may_miss && polarisations_ <= 2) {
      auto* const add_feeds = polarisations_ == 1 ? add_one_feed : add_two_feeds;
      return add_feeds(reinterpret_cast<const float*>(x), reinterpret_cast<const float*>(y),
                       reinterpret_cast<double*>(sums_.data() + at), channels_);
    }
    for (std::size_t c = 0; c < channels_; ++c, x += polarisations_, y += polarisations_)
      for (std::size_t p = 0; p < polarisations_; ++p)
        for (std::size_t q = 0; q < polarisations_; ++q, ++at) {
          const double a = x[p].real(), b = x[p].imag(), c_re = y[q].real(), d = y[q].imag();
          const double re = a * c_re + b * d, im = b * c_re - a * d;
          if (may_miss && std::isnan(re + im)) continue;
          sums_[at].real(sums_[at].real() + re);
          sums_[at].imag(sums_[at].imag() + im);
          if (may_miss) present_[at] += 1;
        }
  }

  void give(const FrameBuffer& output) override {
    auto* const to = reinterpret_cast<Value*>(output.bytes.data());
    tasks_->parallel_for(
        pairs_.size(),
        [&](std::size_t baseline) {
          const std::size_t count_of_one = row_values() * polarisations_, first = baseline * count_of_one;
          for (std::size_t i = first; i < first + count_of_one; ++i) {
            const double count = whole_[baseline] + present_[i];
            to[i] = count > 0 ? Value(sums_[i] / count) : Value(missing_value, missing_value);
            sums_[i] = 0;
            present_[i] = 0;
          }
        },
        1);
    std::ranges::fill(whole_, 0);
    *output.header = group_.take();
    mark_nan(output);
  }

  Tasks* tasks_ = &serial_tasks();
  OneTime one_time_;
  std::size_t inputs_ = 0, rows_ = 0, channels_ = 0, polarisations_ = 0;
  /// The inputs of each baseline.
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  std::vector<std::complex<double>> sums_;
  /// Number of added spectra: whole ones by baseline, incomplete ones by value.
  std::vector<double> whole_, present_;
  /// By input and spectrum.
  std::vector<Presence> presence_;
};

}  // namespace

KernelKind correlate_kernel() {
  return {.name = "correlate",
          .summary = "visibilities of all pairs of inputs, the X of an FX correlator",
          .stateless = false,
          .inputs = 2,
          .more_inputs = true,
          .parameters = {{.name = "frames",
                          .type = ParameterType::integer,
                          .fallback = "1",
                          .help = "number of frames per result",
                          .minimum = 1,
                          .maximum = 1e9}},
          .make = make_from<Correlate>};
}

}  // namespace takt::pipeline
