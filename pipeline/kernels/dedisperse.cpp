#include "pipeline/kernels/dedisperse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/subbands.hpp"

namespace takt::pipeline {

namespace {

/// Dispersion constant, s MHz^2 cm^3 / pc: the usual value in pulsar software.
constexpr double dispersion_constant = 4.148808e3;

class Dedisperse final : public Kernel {
 public:
  explicit Dedisperse(const Parameters& parameters)
      : parameters_(parameters), least_(parameters.number("least")) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    require_input(inputs, 0, {ElementType::float32}, {"time", "channel"});
    FrameType type = inputs.front();
    rows_ = type.axes[0].size;
    channels_ = type.axes[1].size;
    const std::vector<double>& hertz = type.axes[1].coordinates;
    const double rate = sample_rate(type);
    if (hertz.empty() || !(rate > 0) || std::ranges::min(hertz) <= 0)
      throw InputError(fmt::format("the frequencies of channels or the rate of spectra of {} are not known",
                                   type.to_string()));
    const auto trials = static_cast<std::size_t>(parameters_.integer("trials"));
    Axis axis{"dm", trials, {}};
    const double highest = std::ranges::max(hertz) * 1e-6;
    for (std::size_t d = 0; d < trials; ++d) {
      const double dm = parameters_.number("first") + static_cast<double>(d) * parameters_.number("step");
      axis.coordinates.push_back(dm);
      for (const double each : hertz) {
        const double mhz = each * 1e-6;
        const double delay = dispersion_constant * dm * (1 / (mhz * mhz) - 1 / (highest * highest)) * rate;
        if (delay > most_rows)
          parameters_.refuse(
              "step", fmt::format("a DM of {} delays {} MHz by {:.0f} spectra: expected at most {:.0f}", dm,
                                  mhz, delay, most_rows));
        delays_.push_back(static_cast<std::size_t>(std::llround(delay)));
      }
    }
    kept_ = std::ranges::max(delays_);
    if (parameters_.text("method") == "subband")
      if (auto plan = plan_subbands(trial_delays(), rows_,
                                    static_cast<std::size_t>(parameters_.integer("tolerance")))) {
        subbands_.emplace(trial_delays(), std::move(*plan), rows_);
        kept_ = std::max(kept_, subbands_->most_delay());
      }
    window_.assign(channels_ * (kept_ + rows_), missing_value);
    use_tasks(serial_tasks());
    require_steady(type);
    lag_ = Lag(inputs.front(), static_cast<double>(kept_), type);
    frame_ns_ = static_cast<double>(rows_) / rate * 1e9;
    type.axes[1] = std::move(axis);
    return type;
  }

  void use_tasks(Tasks& tasks) override {
    tasks_ = &tasks;
    parts_ = parts_for(tasks.cores(), delays_.size() / channels_);
    sums_.resize(parts_ * rows_);
    present_.resize(parts_ * rows_);
    if (subbands_) subbands_->use_cores(tasks.cores());
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const FrameHeader& header = *inputs.front().header;
    const Following following = succession_.follow(header);
    if (following != Following::next || header.missing_parts > 0) holes_ = kept_ + rows_;
    push(inputs.front().as<float>().data(), following);
    give(output);
    last_ = header;
    return Outcome::produced;
  }

  bool change(const Parameters& parameters) override {
    least_ = parameters.number("least");
    return true;
  }

  /// Outputs the delayed rest: as many frames as the largest delay fills.
  Outcome finish(const FrameBuffer& output) override {
    if (!last_ || kept_ == 0) return Outcome::absorbed;
    const std::vector<float> nothing(rows_ * channels_, missing_value);
    holes_ = kept_ + rows_;
    push(nothing.data(), Following::next);
    last_->utc_ns += std::llround(frame_ns_);
    last_->first_sample += last_->parts;
    ++last_->sequence;
    *output.header = *last_;
    give(output);
    given_at_end_ += rows_;
    if (given_at_end_ < kept_) return Outcome::more;
    last_.reset();
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override {
    return saved(window_, succession_, holes_, last_, given_at_end_);
  }
  void load(std::span<const std::byte> state) override {
    load_into(state, window_, succession_, holes_, last_, given_at_end_);
  }

 private:
  static constexpr double most_rows = 1 << 24;

  /// Channel by channel, so that sums access contiguous memory.
  void push(const float* from, Following following) {
    const std::size_t length = kept_ + rows_;
    tasks_->parallel_for(channels_, [&](std::size_t c) {
      float* const window = window_.data() + c * length;
      succession_.move_on(following, kept_, rows_, window);
      for (std::size_t t = 0; t < rows_; ++t) window[kept_ + t] = from[t * channels_ + c];
    });
  }

  void give(const FrameBuffer& output) {
    const std::size_t trials = delays_.size() / channels_;
    float* const to = output.as<float>().data();
    const float least = least_count(least_, channels_);
    const auto put = [&](std::size_t trial, std::span<const float> sums, std::span<const float> present) {
      if (holes_ > 0)
        for (std::size_t t = 0; t < rows_; ++t)
          to[t * trials + trial] = present[t] >= least ? sums[t] / present[t] : missing_value;
      else
        for (std::size_t t = 0; t < rows_; ++t)
          to[t * trials + trial] = sums[t] / static_cast<float>(channels_);
    };
    if (subbands_)
      subbands_->add(*tasks_, trial_delays(), window_.data(), kept_ + rows_, holes_ > 0, put);
    else
      tasks_->parallel_for(
          parts_,
          [&](std::size_t part) {
            const std::span sums = std::span(sums_).subspan(part * rows_, rows_);
            const std::span present = std::span(present_).subspan(part * rows_, rows_);
            const Block block = block_of(trials, parts_, part);
            for (std::size_t d = block.begin; d < block.end; ++d) {
              holes_ > 0 ? add_present(d, sums, present) : add(d, sums);
              put(d, sums, present);
            }
          },
          1);
    if (holes_ > 0) mark_incomplete(*output.header);
    mark_nan(output);
    holes_ -= std::min(holes_, rows_);
    lag_.shift(*output.header);
  }

  void add(std::size_t trial, std::span<float> sums) const {
    std::ranges::fill(sums, 0.0F);
    for (std::size_t c = 0; c < channels_; ++c) add_rows(from_of(trial, c), sums.data(), rows_);
  }

  void add_present(std::size_t trial, std::span<float> sums, std::span<float> present) const {
    std::ranges::fill(sums, 0.0F);
    std::ranges::fill(present, 0.0F);
    constexpr std::size_t together = 64;
    std::array<const float*, together> rows;
    for (std::size_t first = 0; first < channels_; first += together) {
      const std::size_t count = std::min(together, channels_ - first);
      for (std::size_t c = 0; c < count; ++c) rows[c] = from_of(trial, first + c);
      add_present_rows(std::span(rows).first(count), sums.data(), present.data(), rows_);
    }
  }

  [[nodiscard]] TrialDelays trial_delays() const { return {delays_, channels_}; }

  [[nodiscard]] const float* from_of(std::size_t trial, std::size_t channel) const {
    return window_.data() + channel * (kept_ + rows_) + delays_[trial * channels_ + channel];
  }

  Tasks* tasks_ = &serial_tasks();
  Parameters parameters_;
  /// Least share of present channels.
  double least_;
  std::size_t rows_ = 0, channels_ = 0;
  /// [trial][channel], in rows.
  std::vector<std::size_t> delays_;
  /// Rows stored between frames: the largest delay.
  std::size_t kept_ = 0;
  Lag lag_;
  double frame_ns_ = 0;
  /// [channel][kept + rows].
  std::vector<float> window_;
  /// Trials are computed in so many parts, each with rows of its own.
  std::size_t parts_ = 1;
  std::vector<float> sums_, present_;
  /// Used if cheaper than sums channel by channel.
  std::optional<SubbandSums> subbands_;
  Succession succession_;
  /// Rows until missing data have left the window.
  std::size_t holes_ = 0;
  std::optional<FrameHeader> last_;
  /// Rows that `finish` has output.
  std::size_t given_at_end_ = 0;
};

}  // namespace

KernelKind dedisperse_kernel() {
  return {.name = "dedisperse",
          .summary = "means over channels along the delays of dispersion, for many trials",
          .stateless = false,
          .parameters = {{.name = "first",
                          .type = ParameterType::number,
                          .fallback = "0",
                          .help = "dispersion measure of the first trial, pc / cm^3",
                          .minimum = 0,
                          .maximum = 1e6},
                         {.name = "step",
                          .type = ParameterType::number,
                          .fallback = "1",
                          .help = "step from one trial to the next",
                          .minimum = 0,
                          .maximum = 1e6},
                         {.name = "trials",
                          .type = ParameterType::integer,
                          .fallback = "1",
                          .help = "number of trials",
                          .minimum = 1,
                          .maximum = 65536},
                         {.name = "method",
                          .fallback = "brute",
                          .help = "sums channel by channel, or of subbands for several trials together",
                          .choices = {"brute", "subband"}},
                         {.name = "tolerance",
                          .type = ParameterType::integer,
                          .fallback = "1",
                          .help = "subbands: largest delay error of a channel, in spectra",
                          .minimum = 0,
                          .maximum = 65536},
                         least_parameter("least share of channels with data")},
          .make = make_from<Dedisperse>};
}

}  // namespace takt::pipeline
