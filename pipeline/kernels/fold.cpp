#include "pipeline/kernels/fold.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/gathering_kernel.hpp"
#include "pipeline/kernels/polyco.hpp"

namespace takt::pipeline {

namespace {

TAKT_WIDE void add_row(const float* __restrict from, double* __restrict sums, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += from[i];
}

/// For fewer values a call costs more than their sums.
constexpr std::size_t few = 16;
void add_few(const float* __restrict from, double* __restrict sums, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += from[i];
}

class Fold final : public GatheringKernel {
 public:
  explicit Fold(const Parameters& parameters)
      : GatheringKernel(static_cast<std::size_t>(parameters.integer("frames"))),
        bins_(static_cast<std::size_t>(parameters.integer("bins"))),
        period_(static_cast<long double>(parameters.number("period"))),
        derivative_(parameters.number("derivative")),
        polyco_(polyco_of(parameters)),
        epoch_ns_(std::llround(std::fmod(parameters.number("epoch"), 1.0) * 1e9) +
                  static_cast<std::int64_t>(parameters.number("epoch")) * 1'000'000'000) {
    constexpr double shortest_s = 1e-9;
    if (period_ > 0 && period_ < shortest_s)
      parameters.refuse("period", "expected 1e-9 s or more: a time in seconds, for example 0.0333924");
    if (!polyco_ && period_ <= 0) parameters.refuse("expected period or polyco, which define the phase");
    if (polyco_ && (period_ > 0 || derivative_ != 0 || parameters.number("epoch") != 0))
      parameters.refuse("polyco", "it defines the phase: expected neither period, derivative nor epoch");
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    const AxisShape shape = real_shape_of(type, "time", true);
    const double rate = sample_rate(type);
    if (!(rate > 0)) throw InputError(fmt::format("the sample rate of {} is not known", type.to_string()));
    rows_ = shape.size;
    row_ = shape.inner;
    sample_s_ = 1 / static_cast<long double>(rate);
    Axis bin{"bin", bins_, {}};
    for (std::size_t i = 0; i < bins_; ++i)
      bin.coordinates.push_back(static_cast<double>(i) / static_cast<double>(bins_));
    type.axes[0] = std::move(bin);
    type.rate_hz /= static_cast<double>(group_.frames());
    sums_.assign(bins_ * row_, 0.0);
    counts_.assign(bins_ * row_, 0.0);
    whole_.assign(bins_, 0.0);
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == 0 ? std::nullopt : std::optional(axis);
  }

  std::optional<std::vector<std::byte>> save() const override {
    return saved(group_, sums_, counts_, whole_, has_counts_);
  }
  void load(std::span<const std::byte> state) override {
    load_into(state, group_, sums_, counts_, whole_, has_counts_);
  }

 private:
  static std::optional<Polyco> polyco_of(const Parameters& parameters) {
    const std::vector<std::string> files = parameters.texts("polyco");
    if (files.empty()) return std::nullopt;
    if (files.size() > 1) parameters.refuse("polyco", "expected one file");
    return Polyco(files.front());
  }

  /// Returns the fraction of the phase at a time in s.
  [[nodiscard]] double fraction_at(long double seconds) const {
    const long double turns = polyco_ ? polyco_->turns(seconds * 1e9L) : seconds / period_;
    const long double phase = turns - 0.5L * derivative_ * turns * turns;
    return static_cast<double>(phase - std::floor(phase));
  }

  static void divide(const double* __restrict sums, double count, float* __restrict to, std::size_t numbers) {
    for (std::size_t i = 0; i < numbers; ++i) to[i] = static_cast<float>(sums[i] / count);
  }
  static void add_present(const float* __restrict from, double* __restrict sums, double* __restrict counts,
                          std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_there = !std::isnan(from[i]);
      sums[i] += is_there ? from[i] : 0;
      counts[i] += is_there ? 1 : 0;
    }
  }

  void gather(const FrameHeader&, std::span<const FrameView> inputs) override {
    const FrameView& frame = inputs.front();
    const float* from = frame.as<float>().data();
    const long double begin = static_cast<long double>(frame.header->utc_ns - epoch_ns_) * 1e-9L;
    // A constant period: double precision from the beginning of the frame suffices.
    const bool is_steady = !polyco_ && derivative_ == 0;
    const long double first = begin / period_;
    const auto at_first = is_steady ? static_cast<double>(first - std::floor(first)) : 0.0;
    const auto step = is_steady ? static_cast<double>(sample_s_ / period_) : 0.0;
    for (std::size_t t = 0; t < rows_; ++t, from += row_) {
      double fraction = at_first + static_cast<double>(t) * step;
      fraction = is_steady ? fraction - std::floor(fraction)
                           : fraction_at(begin + static_cast<long double>(t) * sample_s_);
      const std::size_t bin =
          std::min(static_cast<std::size_t>(fraction * static_cast<double>(bins_)), bins_ - 1);
      if (frame.header->missing_parts > 0) {
        has_counts_ = true;
        add_present(from, sums_.data() + bin * row_, counts_.data() + bin * row_, row_);
      } else {
        row_ < few ? add_few(from, sums_.data() + bin * row_, row_)
                   : add_row(from, sums_.data() + bin * row_, row_);
        whole_[bin] += 1;
      }
    }
  }

  void give(const FrameBuffer& output) override {
    float* const to = output.as<float>().data();
    bool has_hole = false;
    for (std::size_t bin = 0; bin < bins_; ++bin) {
      const std::size_t first = bin * row_;
      if (!has_counts_ && whole_[bin] > 0) {
        divide(sums_.data() + first, whole_[bin], to + first, row_);
        continue;
      }
      for (std::size_t i = first; i < first + row_; ++i) {
        const double count = counts_[i] + whole_[bin];
        has_hole = has_hole || count == 0;
        to[i] = count > 0 ? static_cast<float>(sums_[i] / count) : missing_value;
      }
    }
    std::ranges::fill(sums_, 0.0);
    if (has_counts_) std::ranges::fill(counts_, 0.0);
    has_counts_ = false;
    std::ranges::fill(whole_, 0.0);
    *output.header = group_.take();
    if (has_hole) mark_incomplete(*output.header);
    mark_nan(output);
  }

  std::size_t bins_;
  long double period_, sample_s_ = 0;
  double derivative_;
  std::optional<Polyco> polyco_;
  std::int64_t epoch_ns_;
  std::size_t rows_ = 0, row_ = 0;
  std::vector<double> sums_, counts_;
  /// By bin: rows of whole frames.
  std::vector<double> whole_;
  /// True if any of `counts_` is above 0.
  bool has_counts_ = false;
};

}  // namespace

KernelKind fold_kernel() {
  return {.name = "fold",
          .summary = "the mean profile of a periodic signal",
          .stateless = false,
          .parameters = {{.name = "period",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "period of the signal, s",
                          .minimum = 0,
                          .maximum = 1e9},
                         {.name = "polyco",
                          .type = ParameterType::input_files,
                          .fallback = "",
                          .help = "file of TEMPO's polynomials of the phase, instead of period"},
                         {.name = "bins",
                          .type = ParameterType::integer,
                          .fallback = "64",
                          .help = "number of phase bins",
                          .minimum = 1,
                          .maximum = 65536},
                         {.name = "frames",
                          .type = ParameterType::integer,
                          .fallback = "1",
                          .help = "number of frames per profile",
                          .minimum = 1,
                          .maximum = 1e9},
                         {.name = "derivative",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "derivative of the period, s / s",
                          .minimum = -1,
                          .maximum = 1},
                         {.name = "epoch",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "Unix time at which the phase is 0, in s",
                          .minimum = -9e9,
                          .maximum = 9e9}},
          .make = make_from<Fold>};
}

}  // namespace takt::pipeline
