#include "pipeline/kernels/power_iteration.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"
#include "sensors/frames/missing_values.hpp"

namespace takt::pipeline {

namespace {

/// Uses eight partial sums in a fixed order.
template <class Number>
double inner_product(const Number* row, const double* x, std::size_t size) {
  constexpr std::size_t lanes = 8;
  std::array<double, lanes> sums{};
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane)
      sums[lane] += static_cast<double>(row[i + lane]) * x[i + lane];
  double sum = 0;
  for (const double part : sums) sum += part;
  for (; i < size; ++i) sum += static_cast<double>(row[i]) * x[i];
  return sum;
}

class PowerIteration final : public Kernel {
 public:
  explicit PowerIteration(const Parameters& parameters)
      : iterations_(static_cast<std::size_t>(parameters.integer("iterations"))) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    const FrameType& input = inputs.front();
    const bool is_real = input.element == ElementType::float32 || input.element == ElementType::float64;
    if (!is_real || input.axes.size() != 2 || input.axes[0].size != input.axes[1].size)
      throw InputError(
          fmt::format("expected float32|float64 with two axes of one size, got {}", input.to_string()));
    size_ = input.axes[0].size;
    rows_ = {0, size_};
    x_.resize(size_);
    y_.resize(size_);
    output_ = input;
    output_.axes.pop_back();
    return output_;
  }

  [[nodiscard]] std::optional<BlockDistribution> distribution() const override {
    return BlockDistribution{.inputs = {0}, .output = 0};
  }

  void join(Group& group) override {
    sharing_.emplace(group, std::as_writable_bytes(std::span(y_)), size_);
    rows_ = block_of(size_, group.size(), group.rank());
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    if (output.bytes.size() == rows_.size() * sizeof(float))
      iterate(inputs.front().as<float>(), output.as<float>());
    else
      iterate(inputs.front().as<double>(), output.as<double>());
    // From the second product on a NaN spreads to all rows, and so to those of each member of a group.
    if ((!sharing_ || iterations_ > 1) && sensors::find_nan(output_, output.bytes))
      mark_incomplete(*output.header);
    return Outcome::produced;
  }

 private:
  template <class Number>
  void iterate(std::span<const Number> matrix, std::span<Number> result) {
    for (std::size_t i = 0; i < size_; ++i) y_[i] = 1 + static_cast<double>(i) / static_cast<double>(size_);
    for (std::size_t iteration = 0; iteration < iterations_; ++iteration) {
      normalise();
      for (std::size_t i = 0; i < rows_.size(); ++i)
        y_[rows_.begin + i] = inner_product(matrix.data() + i * size_, x_.data(), size_);
      // The last product need not be shared.
      if (sharing_ && iteration + 1 < iterations_) sharing_->run();
    }
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<Number>(y_[rows_.begin + i]);
  }

  /// x = y / |y|.
  void normalise() {
    const double length = std::sqrt(inner_product(y_.data(), y_.data(), size_));
    const double scale = length > 0 ? 1 / length : 0;
    for (std::size_t i = 0; i < size_; ++i) x_[i] = std::isnan(length) ? length : y_[i] * scale;
  }

  std::size_t iterations_;
  FrameType output_;
  std::size_t size_ = 0;
  Block rows_;
  std::vector<double> x_, y_;
  std::optional<BlockSharing> sharing_;
};

}  // namespace

KernelKind power_iteration_kernel() {
  return {.name = "power_iteration",
          .summary = "the eigenvector of a matrix's largest eigenvalue, by rows on several ranks",
          .stateless = true,
          .parameters = {{.name = "iterations",
                          .type = ParameterType::integer,
                          .fallback = "30",
                          .help = "products with the matrix",
                          .minimum = 1,
                          .maximum = 100'000}},
          .make = make_from<PowerIteration>};
}

}  // namespace takt::pipeline
