#include "pipeline/kernels/matrix_product.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"
#include "sensors/frames/missing_values.hpp"

namespace takt::pipeline {

namespace {

/// c += a B for one row of A and C: four rows of B at a time, in their order.
template <class Number>
void add_row_product(const Number* a, const Number* b, Number* __restrict c, std::size_t inner,
                     std::size_t columns) {
  std::size_t k = 0;
  for (; k + 4 <= inner; k += 4) {
    const Number a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
    const Number *const b0 = b + k * columns, *const b1 = b0 + columns, *const b2 = b1 + columns,
                        *const b3 = b2 + columns;
    for (std::size_t j = 0; j < columns; ++j)
      c[j] = (((c[j] + a0 * b0[j]) + a1 * b1[j]) + a2 * b2[j]) + a3 * b3[j];
  }
  for (; k < inner; ++k)
    for (std::size_t j = 0; j < columns; ++j) c[j] += a[k] * b[k * columns + j];
}

/// Returns the product of two units; an empty one is dimensionless.
std::string product(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a + b;
  return a == b ? a + "^2" : a + " " + b;
}

class MatrixProduct final : public Kernel {
 public:
  explicit MatrixProduct(const Parameters& /*parameters*/) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    const FrameType &a = inputs[0], &b = inputs[1];
    for (std::size_t i = 0; i < 2; ++i) {
      const bool is_real =
          inputs[i].element == ElementType::float32 || inputs[i].element == ElementType::float64;
      if (!is_real || inputs[i].axes.size() != 2)
        throw InputError(fmt::format("expected float32|float64 with two axes, got {}", inputs[i].to_string()),
                         i);
    }
    if (a.element != b.element)
      throw InputError(
          fmt::format("expected {} like the first input, got {}", name_of(a.element), b.to_string()), 1);
    if (a.axes[1].size != b.axes[0].size)
      throw InputError(fmt::format("expected {} rows, as many as the first input has columns ({}), got {}",
                                   a.axes[1].size, a.to_string(), b.to_string()),
                       1);
    if (a.axes[1].name == "time" && b.axes[0].name == "time") one_time_.require(inputs);
    inner_ = b.axes[0].size;
    columns_ = b.axes[1].size;
    number_ = size_of(a.element);
    FrameType output = a;
    output.axes[1] = b.axes[1];
    if (output.axes[0].name == output.axes[1].name) output.axes[1].name += "'";
    output.unit = product(inputs[0].unit, inputs[1].unit);
    output_ = output;
    return output;
  }

  [[nodiscard]] std::optional<BlockDistribution> distribution() const override {
    return BlockDistribution{.inputs = {0, 0}, .output = 0};
  }

  void join(Group& group) override {
    all_of_b_.resize(inner_ * columns_ * number_);
    own_begin_ = block_of(inner_, group.size(), group.rank()).begin * columns_ * number_;
    sharing_.emplace(group, all_of_b_, inner_);
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::byte* b = inputs[1].bytes.data();
    if (sharing_) {
      std::memcpy(all_of_b_.data() + own_begin_, b, inputs[1].bytes.size());
      sharing_->run();
      b = all_of_b_.data();
    }
    if (number_ == sizeof(float))
      multiply<float>(inputs[0], b, output);
    else
      multiply<double>(inputs[0], b, output);
    one_time_.merge(inputs, *output.header);
    // All members of a group must return the same header, whichever rows they have.
    if (!sharing_ && sensors::find_nan(output_, output.bytes)) mark_incomplete(*output.header);
    return Outcome::produced;
  }

 private:
  /// This number of rows of B stays in the cache for all rows of A.
  template <class Number>
  void multiply(const FrameView& a_frame, const std::byte* b_bytes, const FrameBuffer& output) const {
    const std::span<const Number> a = a_frame.as<Number>();
    const std::span<Number> c = output.as<Number>();
    const auto* const b = reinterpret_cast<const Number*>(b_bytes);
    const std::size_t rows = c.size() / columns_;
    constexpr std::size_t cached = 64 << 10;
    const std::size_t panel = std::max<std::size_t>(4, cached / number_ / columns_ / 4 * 4);
    std::ranges::fill(c, Number{0});
    for (std::size_t k = 0; k < inner_; k += panel)
      for (std::size_t row = 0; row < rows; ++row)
        add_row_product(a.data() + row * inner_ + k, b + k * columns_, c.data() + row * columns_,
                        std::min(panel, inner_ - k), columns_);
  }

  FrameType output_;
  OneTime one_time_;
  std::size_t inner_ = 0, columns_ = 0, number_ = 0;
  /// In a group: all rows of B, the offset of this member's rows, and the exchange of the others.
  std::vector<std::byte> all_of_b_;
  std::size_t own_begin_ = 0;
  std::optional<BlockSharing> sharing_;
};

}  // namespace

KernelKind matrix_product_kernel() {
  return {.name = "matrix_product",
          .summary = "the product of two matrices, by rows on several ranks",
          .stateless = true,
          .inputs = 2,
          .make = make_from<MatrixProduct>};
}

}  // namespace takt::pipeline
