#include "pipeline/kernels/sta_lta.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/event_fields.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class StaLta final : public Kernel {
 public:
  explicit StaLta(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    shape_ = real_shape_of(type, "time");
    require_steady(type);
    const double rate = sample_rate(type);
    if (!(rate > 0)) throw InputError(fmt::format("the sample rate of {} is not known", type.to_string()));
    const auto samples = [&](const char* name) {
      const double count = std::chrono::duration<double>(parameters_.time(name)).count() * rate;
      if (count < 1) parameters_.refuse(name, fmt::format("is shorter than a sample of {} s", 1 / rate));
      return std::llround(count);
    };
    const auto short_samples = samples("short"), long_samples = samples("long");
    if (short_samples >= long_samples) parameters_.refuse("long", "is not longer than the short average");
    short_share_ = 1 / static_cast<double>(short_samples);
    long_share_ = 1 / static_cast<double>(long_samples);
    settles_ = static_cast<std::uint64_t>(long_samples);
    const std::size_t series = shape_.outer * shape_.inner;
    short_.assign(series, 0.0);
    long_.assign(series, 0.0);
    short_before_.resize(series);
    long_before_.resize(series);
    samples_.assign(series, 0U);
    triggers_.assign(series, {});
    on_ = parameters_.number("above");
    off_ = parameters_.number("below");
    if (off_ > on_) parameters_.refuse("below", "expected an end ratio below the begin ratio");
    type.unit.clear();
    type_ = type;
    return type;
  }

  std::vector<FrameType> further_outputs() override {
    fields_ = EventFields(type_, {"begins"});
    if (on_ <= 0) parameters_.refuse("above", "events need a ratio at which they begin");
    return {fields_.type(static_cast<std::size_t>(parameters_.integer("events")))};
  }

  bool change(const Parameters& parameters) override {
    on_ = parameters.number("above");
    off_ = parameters.number("below");
    return true;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == shape_.dimension ? std::nullopt : std::optional(axis);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    // Like missing samples, lost frames do not change the averages.
    if (succession_.follow(*inputs.front().header) == Following::anew) {
      std::ranges::fill(short_, 0.0);
      std::ranges::fill(long_, 0.0);
      std::ranges::fill(samples_, 0U);
      std::ranges::fill(triggers_, Trigger{});
    }
    const float* const from = inputs.front().as<float>().data();
    float* const to = output.as<float>().data();
    if (inputs.front().header->missing_parts == 0 && std::ranges::min(samples_) >= settles_) {
      std::ranges::copy(short_, short_before_.begin());
      std::ranges::copy(long_, long_before_.begin());
      for_each_row(from, to, [this](const float* row, std::size_t first, float* ratios) {
        settled_row(row, short_share_, long_share_, short_.data() + first, long_.data() + first, ratios,
                    shape_.inner);
      });
      // NaN and infinities without a flag in the header would remain in the averages forever.
      if (std::ranges::all_of(short_, [](double average) { return std::isfinite(average); }))
        return Outcome::produced;
      short_.swap(short_before_);
      long_.swap(long_before_);
      mark_incomplete(*output.header);
    }
    for_each_row(from, to, [this](const float* row, std::size_t first, float* ratios) {
      for (std::size_t i = 0; i < shape_.inner; ++i) ratios[i] = step(row[i], first + i);
    });
    return Outcome::produced;
  }

  Outcome process_all(std::span<const FrameView> inputs, const FrameBuffer& output,
                      std::span<FurtherOutput> further) override {
    (void)process(inputs, output);
    const FrameBuffer& events = further.front().frame;
    find_events(output.as<float>().data(), inputs.front().header->utc_ns, events.as<double>());
    further.front().is_given = true;
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override {
    return saved(short_, long_, samples_, triggers_, succession_);
  }
  void load(std::span<const std::byte> state) override {
    load_into(state, short_, long_, samples_, triggers_, succession_);
  }
  std::size_t travelling_state() const override { return save()->size(); }

 private:
  struct Trigger {
    /// True after its start; its largest ratio so far.
    bool is_on = false;
    float peak = 0;
  };

  /// Calls action(row, place of its first series, row of the output).
  template <class Action>
  void for_each_row(const float* from, float* to, const Action& action) const {
    for (std::size_t run = 0; run < shape_.outer; ++run)
      for (std::size_t t = 0; t < shape_.size; ++t, from += shape_.inner, to += shape_.inner)
        action(from, run * shape_.inner, to);
  }

  float step(float sample, std::size_t place) {
    if (!std::isfinite(sample)) return missing_value;
    const double power = static_cast<double>(sample) * sample;
    short_[place] += short_share_ * (power - short_[place]);
    long_[place] += long_share_ * (power - long_[place]);
    if (++samples_[place] <= settles_ || long_[place] <= 0) return 0;
    return static_cast<float>(short_[place] / long_[place]);
  }

  TAKT_WIDE static void settled_row(const float* __restrict from, double short_share, double long_share,
                                    double* __restrict of_short, double* __restrict of_long,
                                    float* __restrict to, std::size_t count) {
    constexpr double least = 1e-300;
    for (std::size_t i = 0; i < count; ++i) {
      const double power = static_cast<double>(from[i]) * from[i];
      of_short[i] += short_share * (power - of_short[i]);
      of_long[i] += long_share * (power - of_long[i]);
      // Without any samples both are 0.
      to[i] = static_cast<float>(of_short[i] / std::max(of_long[i], least));
    }
  }

  /// Lists events in the order of time, the first ones if there are too many. NaN does not end a trigger.
  void find_events(const float* ratios, std::int64_t utc_ns, std::span<double> events) {
    std::ranges::fill(events, std::nan(""));
    std::size_t at = 0;
    for (std::size_t t = 0; t < shape_.size; ++t)
      for (std::size_t run = 0; run < shape_.outer; ++run)
        for (std::size_t i = 0; i < shape_.inner; ++i) {
          const std::size_t place = run * shape_.inner + i;
          const float ratio = ratios[(run * shape_.size + t) * shape_.inner + i];
          Trigger& state = triggers_[place];
          if (state.is_on) state.peak = std::max(state.peak, ratio);
          const bool turns = state.is_on ? ratio < off_ : ratio > on_;
          if (!turns) continue;
          state.is_on = !state.is_on;
          if (state.is_on) state.peak = ratio;
          if (at + fields_.size() > events.size()) continue;
          const std::span<double> event = events.subspan(at, fields_.size());
          fields_.write(event, utc_ns, t, place, state.peak);
          event.back() = state.is_on ? 1.0 : 0.0;
          at += fields_.size();
        }
  }

  Parameters parameters_;
  AxisShape shape_;
  double short_share_ = 0, long_share_ = 0;
  std::uint64_t settles_ = 0;
  double on_ = 0, off_ = 0;
  FrameType type_;
  EventFields fields_;
  /// By series: both averages, the number of samples in them, and the trigger.
  std::vector<double> short_, long_;
  /// The averages before a frame.
  std::vector<double> short_before_, long_before_;
  std::vector<std::uint64_t> samples_;
  std::vector<Trigger> triggers_;
  Succession succession_;
};

}  // namespace

KernelKind sta_lta_kernel() {
  return {
      .name = "sta_lta",
      .summary = "STA/LTA: ratio of a short to a long average of the power, a seismic trigger",
      .stateless = false,
      .further_outputs = {"events"},
      .parameters = {{.name = "short", .type = ParameterType::time, .help = "length of the short average"},
                     {.name = "long", .type = ParameterType::time, .help = "length of the long average"},
                     {.name = "above",
                      .type = ParameterType::number,
                      .fallback = "0",
                      .help = "ratio above which an event begins, for events",
                      .minimum = 0,
                      .maximum = 1e9,
                      .may_change = true},
                     {.name = "below",
                      .type = ParameterType::number,
                      .fallback = "0",
                      .help = "ratio below which it ends",
                      .minimum = 0,
                      .maximum = 1e9,
                      .may_change = true},
                     {.name = "events",
                      .type = ParameterType::integer,
                      .fallback = "16",
                      .help = "largest number of events per frame",
                      .minimum = 1,
                      .maximum = 65536}},
      .make = make_from<StaLta>};
}

}  // namespace takt::pipeline
