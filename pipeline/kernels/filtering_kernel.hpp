#pragma once
/// Base of kernels that are one filter in time and differ in its taps.

#include <optional>
#include <utility>

#include "pipeline/kernel.hpp"
#include "pipeline/kernels/frame_shapes.hpp"
#include "pipeline/kernels/polyphase_filter.hpp"

namespace takt::pipeline {

class FilteringKernel : public Kernel {
 public:
  [[nodiscard]] std::optional<std::size_t> separates(std::size_t axis) const override {
    return axis == time_axis_ ? std::nullopt : std::optional(axis);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    filter_->process(inputs.front(), output);
    lag_.shift(*output.header);
    return Outcome::produced;
  }

  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override { return filter_->save(); }
  void load(std::span<const std::byte> state) override { filter_->load(state); }

 protected:
  /// Call in `configure` for frames of this shape; `lag` is the filter's delay.
  void filter_by(PolyphaseFilter filter, const AxisShape& shape, Lag lag) {
    filter_.emplace(std::move(filter));
    time_axis_ = shape.dimension;
    lag_ = lag;
  }
  [[nodiscard]] PolyphaseFilter& filter() { return *filter_; }

 private:
  std::optional<PolyphaseFilter> filter_;
  std::size_t time_axis_ = 0;
  Lag lag_;
};

}  // namespace takt::pipeline
