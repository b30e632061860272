#include "pipeline/kernels/polyphase_filter.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/system/wide_registers.hpp"
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
  return saved(window_, succession_);
}

void PolyphaseFilter::load(std::span<const std::byte> state) {
  load_into(state, window_, succession_);
}

void PolyphaseFilter::process(const FrameView& from, const FrameBuffer& to) {
  const Following following = succession_.follow(*from.header);
  const std::size_t frame = shape_.size * shape_.inner, kept = kept_ * shape_.inner;
  const float* input = from.as<float>().data();
  float* output = to.as<float>().data();
  for (std::size_t run = 0; run < shape_.outer; ++run) {
    float* const window = window_.data() + run * (kept + frame);
    succession_.move_on(following, kept, frame, window);
    std::copy_n(input, frame, window + kept);
    filter(window, output);
    input += frame;
    output += rows_ * shape_.inner;
  }
  // NaN from missing samples, here or earlier, and from infinities.
  mark_nan(to);
}

namespace {

/// Input and output of one phase's sums.
struct PhaseRows {
  const float* from;
  /// Distance between the values of successive taps, and between those of successive sums.
  std::size_t tap_step, row_step;
  float* to;
  std::size_t to_step;
};

/// Sums `width` neighbouring values of `rows` rows in registers: enough that no addition waits for the one
/// before it.
template <std::size_t width, std::size_t rows>
[[gnu::always_inline]] inline void sum_taps(const PhaseRows& of, const float* taps, std::size_t count) {
  std::array<std::array<float, width>, rows> sums{};
  const float* from = of.from;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < width; ++i) sums[row][i] += taps[k] * from[row * of.row_step + i];
    from -= of.tap_step;
  }
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < width; ++i) of.to[row * of.to_step + i] = sums[row][i];
}

/// Processes all rows of `width` values.
template <std::size_t width, std::size_t rows>
[[gnu::always_inline]] inline void sum_rows(PhaseRows of, std::size_t count_of_rows, const float* taps,
                                            std::size_t count) {
  std::size_t row = 0;
  for (; row + rows <= count_of_rows; row += rows) {
    sum_taps<width, rows>(of, taps, count);
    of.from += rows * of.row_step;
    of.to += rows * of.to_step;
  }
  for (; row < count_of_rows; ++row) {
    sum_taps<width, 1>(of, taps, count);
    of.from += of.row_step;
    of.to += of.to_step;
  }
}

[[gnu::always_inline]] inline PhaseRows rows_from(const PhaseRows& of, std::size_t numbers) {
  return {of.from + numbers, of.tap_step, of.row_step, of.to + numbers, of.to_step};
}

/// Processes `inner` values of each row.
TAKT_WIDE void sum_phase(const PhaseRows& of, std::size_t inner, std::size_t rows, const float* taps,
                         std::size_t count) {
  std::size_t i = 0;
  for (; i + 16 <= inner; i += 16) sum_rows<16, 1>(rows_from(of, i), rows, taps, count);
  for (; i + 8 <= inner; i += 8) sum_rows<8, 2>(rows_from(of, i), rows, taps, count);
  for (; i + 4 <= inner; i += 4) sum_rows<4, 4>(rows_from(of, i), rows, taps, count);
  for (; i + 2 <= inner; i += 2) sum_rows<2, 4>(rows_from(of, i), rows, taps, count);
  for (; i < inner; ++i) sum_rows<1, 8>(rows_from(of, i), rows, taps, count);
}

TAKT_WIDE void add_one(const float* __restrict from, float tap, float* __restrict sums, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) sums[i] += tap * from[i];
}

TAKT_WIDE void add_four(const float* newest, std::size_t stride, const float* taps, float* __restrict sums,
                        std::size_t count) {
  const float t0 = taps[0], t1 = taps[1], t2 = taps[2], t3 = taps[3];
  const float *const x0 = newest, *const x1 = newest - stride, *const x2 = newest - 2 * stride,
                     *const x3 = newest - 3 * stride;
  for (std::size_t i = 0; i < count; ++i)
    sums[i] = (((sums[i] + t0 * x0[i]) + t1 * x1[i]) + t2 * x2[i]) + t3 * x3[i];
}

}  // namespace

/// The sums of one phase have the same taps: there are U phases, each for every U-th row.
void PolyphaseFilter::filter(const float* window, float* to) const {
  if (up_ == 1 && down_ == 1) return filter_at_rate(window, to);
  const std::size_t inner = shape_.inner;
  for (std::size_t phase = 0; phase < up_; ++phase) {
    const std::vector<float>& taps = phases_[phase * down_ % up_];
    sum_phase({.from = window + (phase * down_ / up_ + kept_ - offset_) * inner,
               .tap_step = inner,
               .row_step = down_ * inner,
               .to = to + phase * inner,
               .to_step = up_ * inner},
              inner, rows_ / up_, taps.data(), taps.size());
  }
}

/// At an unchanged rate each tap is a long row of products; blocks stay in the first-level cache.
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
    // Four taps at a time, added in order, so that sums are read and written less often.
    for (; k + 4 <= taps.size(); k += 4)
      add_four(newest - k * shape_.inner, shape_.inner, taps.data() + k, sums, length);
    for (; k < taps.size(); ++k) add_one(newest - k * shape_.inner, taps[k], sums, length);
  }
}

}  // namespace takt::pipeline
