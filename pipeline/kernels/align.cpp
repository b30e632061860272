#include "pipeline/kernels/align.hpp"

#include <algorithm>
#include <optional>

#include "pipeline/kernel_state.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "sensors/frames/missing_values.hpp"

namespace takt::pipeline {

namespace {

class Align final : public Kernel {
 public:
  explicit Align(const Parameters& parameters)
      : samples_(static_cast<std::size_t>(parameters.integer("samples"))) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    shape_ = shape_of(type, "time");
    require_steady(type);
    lag_ = Lag(inputs.front(), static_cast<double>(samples_), type);
    waiting_.assign(shape_.outer * samples_ * shape_.inner, missing_value);
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == shape_.dimension ? std::nullopt : std::optional(axis);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const FrameHeader& header = *inputs.front().header;
    const std::size_t frame = shape_.size * shape_.inner, all = samples_ * shape_.inner;
    if (const Following following = succession_.follow(header); following != Following::next) {
      wait_for_lost(succession_.gap(following, all, frame), all);
      has_hole_ = samples_ > 0;
    }
    if (has_hole_) mark_incomplete(*output.header);
    // Waiting samples are output and new samples wait, as far as there is room.
    const std::size_t moved = std::min(all, frame);
    const float* from = inputs.front().as<float>().data();
    float *to = output.as<float>().data(), *waiting = waiting_.data();
    for (std::size_t run = 0; run < shape_.outer; ++run, from += frame, to += frame, waiting += all) {
      std::copy_n(waiting, moved, to);
      std::copy_n(from, frame - moved, to + moved);
      std::copy(waiting + moved, waiting + all, waiting);
      std::copy_n(from + frame - moved, moved, waiting + all - moved);
    }
    if (has_hole_ || header.missing_parts > 0) has_hole_ = sensors::any_nan(waiting_);
    lag_.shift(*output.header);
    return Outcome::produced;
  }

  std::optional<std::vector<std::byte>> save() const override {
    return saved(waiting_, succession_, has_hole_);
  }
  void load(std::span<const std::byte> state) override { load_into(state, waiting_, succession_, has_hole_); }

 private:
  /// Discards as many waiting values as the lost frames had, which would follow the rest.
  void wait_for_lost(std::size_t lost, std::size_t all) {
    float* waiting = waiting_.data();
    for (std::size_t run = 0; run < shape_.outer; ++run, waiting += all) {
      std::copy(waiting + lost, waiting + all, waiting);
      std::fill_n(waiting + all - lost, lost, missing_value);
    }
  }

  std::size_t samples_;
  AxisShape shape_;
  Lag lag_;
  /// [outer][samples][inner], and whether any of it is missing.
  std::vector<float> waiting_;
  bool has_hole_ = true;
  Succession succession_;
};

}  // namespace

KernelKind align_kernel() {
  return {.name = "align",
          .summary = "delays a stream by whole samples, as a filter delays another one",
          .stateless = false,
          .parameters = {{.name = "samples",
                          .type = ParameterType::integer,
                          .help = "delay in samples",
                          .minimum = 0,
                          .maximum = 1 << 24}},
          .make = make_from<Align>};
}

}  // namespace takt::pipeline
