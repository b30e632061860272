#include "pipeline/kernels/polyphase_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "pipeline/kernel_state.hpp"

namespace takt::pipeline {

PolyphaseFilter::PolyphaseFilter(const AxisShape& shape, std::vector<double> taps, std::size_t up,
                                 std::size_t down, std::size_t offset)
    : shape_(shape), up_(up), down_(down), offset_(offset), rows_(shape.size * up / down), phases_(up) {
  for (std::size_t i = 0; i < taps.size(); ++i) phases_[i % up].push_back(static_cast<float>(taps[i]));
  kept_ = phases_.front().size() - 1 + offset;
  window_.assign(shape.outer * (kept_ + shape.size) * shape.inner, missing_value);
}

std::optional<std::vector<std::byte>> PolyphaseFilter::save() const {
  return saved(window_, succession_, is_kept_incomplete_);
}

void PolyphaseFilter::load(std::span<const std::byte> state) {
  load_into(state, window_, succession_, is_kept_incomplete_);
}

void PolyphaseFilter::process(const FrameView& from, const FrameBuffer& to) {
  const bool is_followed = succession_.continues(*from.header);
  const std::size_t frame = shape_.size * shape_.inner, kept = kept_ * shape_.inner;
  if (!is_followed) is_kept_incomplete_ = kept_ > 0;
  const float* input = from.as<float>().data();
  float* output = to.as<float>().data();
  bool has_hole = false;
  for (std::size_t run = 0; run < shape_.outer; ++run) {
    float* const window = window_.data() + run * (kept + frame);
    if (is_followed)
      std::copy_n(window + frame, kept, window);
    else
      std::fill_n(window, kept, missing_value);
    std::copy_n(input, frame, window + kept);
    filter(window, output);
    input += frame;
    output += rows_ * shape_.inner;
    // Frames shorter than what is kept: holes stay until they are pushed out.
    if (kept_ >= shape_.size || from.header->missing_parts > 0)
      has_hole = has_hole ||
                 std::any_of(window + frame, window + frame + kept, [](float x) { return std::isnan(x); });
  }
  if (is_kept_incomplete_) mark_incomplete(*to.header);
  is_kept_incomplete_ = has_hole;
}

namespace {

/// Sums of `width` neighbouring numbers in registers: from[-k stride] times taps[k].
template <std::size_t width>
void sum_taps(const float* from, std::size_t stride, const std::vector<float>& taps, float* to) {
  std::array<float, width> sums{};
  for (const float tap : taps) {
    for (std::size_t i = 0; i < width; ++i) sums[i] += tap * from[i];
    from -= stride;
  }
  std::copy_n(sums.begin(), width, to);
}

}  // namespace

void PolyphaseFilter::filter(const float* window, float* to) const {
  if (up_ == 1 && down_ == 1) return filter_at_rate(window, to);
  for (std::size_t row = 0; row < rows_; ++row, to += shape_.inner) {
    const std::vector<float>& taps = phases_[row * down_ % up_];
    const float* const from = window + (row * down_ / up_ + kept_ - offset_) * shape_.inner;
    std::size_t i = 0;
    for (; i + 16 <= shape_.inner; i += 16) sum_taps<16>(from + i, shape_.inner, taps, to + i);
    for (; i + 4 <= shape_.inner; i += 4) sum_taps<4>(from + i, shape_.inner, taps, to + i);
    for (; i + 2 <= shape_.inner; i += 2) sum_taps<2>(from + i, shape_.inner, taps, to + i);
    for (; i < shape_.inner; ++i) sum_taps<1>(from + i, shape_.inner, taps, to + i);
  }
}

namespace {

void add_one(const float* __restrict from, float tap, float* __restrict sums, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += tap * from[i];
}

void add_four(const float* newest, std::size_t stride, const float* taps, float* __restrict sums,
              std::size_t count) {
  const float t0 = taps[0], t1 = taps[1], t2 = taps[2], t3 = taps[3];
  const float *const x0 = newest, *const x1 = newest - stride, *const x2 = newest - 2 * stride,
                     *const x3 = newest - 3 * stride;
  for (std::size_t i = 0; i < count; ++i)
    sums[i] = (((sums[i] + t0 * x0[i]) + t1 * x1[i]) + t2 * x2[i]) + t3 * x3[i];
}

}  // namespace

/// At one rate each tap is a long row of products; blocks stay in the first-level cache.
void PolyphaseFilter::filter_at_rate(const float* window, float* to) const {
  constexpr std::size_t block = 2048;
  const std::vector<float>& taps = phases_.front();
  const std::size_t count = shape_.size * shape_.inner;
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t length = std::min(block, count - first);
    float* __restrict const sums = to + first;
    std::fill_n(sums, length, 0.0F);
    const float* const newest = window + (kept_ - offset_) * shape_.inner + first;
    std::size_t k = 0;
    // Four at a time, added in their order, so that sums are read and written less often.
    for (; k + 4 <= taps.size(); k += 4)
      add_four(newest - k * shape_.inner, shape_.inner, taps.data() + k, sums, length);
    for (; k < taps.size(); ++k) add_one(newest - k * shape_.inner, taps[k], sums, length);
  }
}

}  // namespace takt::pipeline
