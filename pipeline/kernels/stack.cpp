#include "pipeline/kernels/stack.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/pictures/figure_text.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class Stack final : public Kernel {
 public:
  /// `adds_axis`: true if the axis may be a new one.
  Stack(std::string axis, bool adds_axis) : axis_(std::move(axis)), adds_axis_(adds_axis) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    follows_ = sensors::is_in_time(axis_);
    const auto found = std::ranges::find(type.axes, axis_, &Axis::name);
    if (found == type.axes.end() && !adds_axis_)
      throw InputError(fmt::format("expected frames with an axis '{}', found {}", axis_, type.to_string()));
    if (found == type.axes.end() && follows_)
      throw InputError(fmt::format(
          "expected frames with an axis '{}', along which to append them, or another axis, found {}", axis_,
          type.to_string()));
    if (!follows_) one_time_.require(inputs);
    if (found == type.axes.end()) return add_axis(inputs);
    const auto dimension = static_cast<std::size_t>(found - type.axes.begin());
    std::size_t inner = size_of(type.element);
    for (std::size_t d = dimension + 1; d < type.axes.size(); ++d) inner *= type.axes[d].size;
    Axis joined{axis_, 0, {}};
    bool all_have_coordinates = true;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].parts.empty())
        throw InputError(fmt::format("cannot join frames with flags of missing parts along '{}': found {}{}",
                                     axis_, inputs[i].to_string(), advice_to_unpack(inputs[i])),
                         i);
      FrameType other = inputs[i];
      if (dimension >= other.axes.size())
        throw InputError(fmt::format("cannot join {} with {}", other.to_string(), type.to_string()), i);
      const Axis& axis = other.axes[dimension];
      runs_.push_back(axis.size * inner);
      joined.size += axis.size;
      all_have_coordinates = all_have_coordinates && !axis.coordinates.empty();
      joined.coordinates.insert(joined.coordinates.end(), axis.coordinates.begin(), axis.coordinates.end());
      other.axes[dimension].size = type.axes[dimension].size;
      if (other.to_string() != type.to_string())
        throw InputError(
            fmt::format("cannot join {} with {} along '{}'", inputs[i].to_string(), type.to_string(), axis_),
            i);
    }
    require_same_axes(inputs, axis_);
    if (!all_have_coordinates) joined.coordinates.clear();
    if (follows_) follow_times(inputs, dimension, joined);
    for (std::size_t d = 0; d < dimension; ++d) outer_ *= type.axes[d].size;
    type.axes[dimension] = std::move(joined);
    if (follows_) type.has_gaps = has_gaps(type);
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    follows_ ? merge_headers(inputs, *output.header) : one_time_.merge(inputs, *output.header);
    std::byte* to = output.bytes.data();
    for (std::size_t row = 0; row < outer_; ++row)
      for (std::size_t i = 0; i < inputs.size(); ++i)
        to = std::copy_n(inputs[i].bytes.data() + row * runs_[i], runs_[i], to);
    if (!has_flags_) return Outcome::produced;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::span<const std::byte> flags = inputs[i].bytes.subspan(runs_[i]);
      // Flags are valid only if something is missing.
      if (inputs[i].header->missing_parts > 0)
        to = std::copy(flags.begin(), flags.end(), to);
      else
        to = std::fill_n(to, flags.size(), std::byte{0});
    }
    return Outcome::produced;
  }

 private:
  /// Computes times from the beginning of the first input's frames on. Each input must begin after the end of
  /// the one before it, like parts of one frame.
  void follow_times(std::span<const FrameType> inputs, std::size_t dimension, Axis& joined) const {
    std::vector<double> times;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Axis& axis = inputs[i].axes[dimension];
      const double rate = axis.name == "time" ? sample_rate(inputs[i]) : 0;
      if (axis.coordinates.empty() && !(rate > 0)) return;
      const double begin = inputs[i].start_s - inputs.front().start_s;
      if (i > 0 && begin <= times.back())
        throw InputError(
            fmt::format(
                "the first sample comes {} before the last one of the previous input: expected inputs "
                "that follow each other in time, or another axis",
                time_text((times.back() - begin) * 1e9)),
            i);
      for (std::size_t t = 0; t < axis.size; ++t)
        times.push_back(begin + (axis.coordinates.empty() ? static_cast<double>(t) / rate
                                                          : axis.coordinates[t] - axis.coordinates.front()));
    }
    joined.coordinates = std::move(times);
  }

  /// Returns true if its equally spaced samples do not fill the time of a frame.
  [[nodiscard]] static bool has_gaps(const FrameType& type) {
    const Axis* const time = type.find_axis("time");
    if (time == nullptr || time->coordinates.size() < 2 || !(type.rate_hz > 0)) return type.has_gaps;
    const double step = 1 / sample_rate(type);
    for (std::size_t i = 1; i < time->size; ++i)
      if (std::abs(time->coordinates[i] - time->coordinates[i - 1] - step) > 1e-3 * step) return true;
    return std::abs(1 / type.rate_hz - static_cast<double>(time->size) * step) > 0.5 * step;
  }

  FrameType add_axis(std::span<const FrameType> inputs) {
    FrameType type = inputs.front();
    for (std::size_t i = 1; i < inputs.size(); ++i)
      if (inputs[i].to_string() != type.to_string() || inputs[i].parts != type.parts)
        throw InputError(fmt::format("cannot stack {} with {}", inputs[i].to_string(), type.to_string()), i);
    require_same_axes(inputs);
    runs_.assign(inputs.size(), type.data_size().count);
    has_flags_ = !type.parts.empty();
    if (has_flags_) type.parts.insert(type.parts.begin(), inputs.size());
    type.axes.insert(type.axes.begin(), Axis{axis_, inputs.size(), {}});
    return type;
  }

  std::string axis_;
  bool adds_axis_;
  std::size_t outer_ = 1;
  /// Contiguous bytes of each input.
  std::vector<std::size_t> runs_;
  bool has_flags_ = false;
  /// Along time inputs follow one another; along all other axes they coincide in time.
  bool follows_ = false;
  OneTime one_time_;
};

}  // namespace

KernelKind stack_kernel() {
  return {.name = "stack",
          .summary = "concatenates several inputs along a new or an existing axis",
          .stateless = true,
          .inputs = 2,
          .more_inputs = true,
          .parameters = {{.name = "axis",
                          .fallback = "antenna",
                          .help = "axis of the inputs; a new one becomes the first axis"}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            if (parameters.text("axis").empty())
              parameters.refuse("axis", "the name of the axis is empty: expected for example 'antenna'");
            return std::make_unique<Stack>(parameters.text("axis"), true);
          }};
}

KernelKind merge_lanes_kernel() {
  return {.name = "merge_lanes",
          .summary = "concatenates the beamlets of several lanes that are separate sources",
          .stateless = true,
          .inputs = 2,
          .more_inputs = true,
          .make = [](const Parameters& /*parameters*/) -> std::unique_ptr<Kernel> {
            return std::make_unique<Stack>("beamlet", false);
          }};
}

}  // namespace takt::pipeline
