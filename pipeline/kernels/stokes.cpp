#include "pipeline/kernels/stokes.hpp"

#include <fmt/format.h>

#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

/// Floats of one (X, Y) pair of complex numbers.
constexpr std::size_t pair = 4;

TAKT_WIDE void intensity(const float* __restrict from, float* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* const s = from + pair * i;
    to[i] = (s[0] * s[0] + s[1] * s[1]) + (s[2] * s[2] + s[3] * s[3]);
  }
}

/// Converts one row of channels to four rows, `count` apart.
void full(const float* __restrict from, float* __restrict to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float* const s = from + pair * i;
    const float x = s[0] * s[0] + s[1] * s[1];
    const float y = s[2] * s[2] + s[3] * s[3];
    to[i] = x + y;
    to[count + i] = x - y;
    to[2 * count + i] = 2 * (s[0] * s[2] + s[1] * s[3]);
    to[3 * count + i] = 2 * (s[1] * s[2] - s[0] * s[3]);
  }
}

class Stokes final : public Kernel {
 public:
  explicit Stokes(bool is_full) : is_full_(is_full) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    if (type.element != ElementType::complex_float32 || type.axes.size() < 2 || type.axes.back().size != 2 ||
        type.axes.back().name != "polarisation")
      throw InputError(
          fmt::format("expected complex_float32[...][polarisation=2], got {}", type.to_string()));
    type.element = ElementType::float32;
    type.axes.pop_back();
    row_ = type.axes.back().size;
    axes_ = type.axes.size();
    if (is_full_) type.axes.insert(type.axes.end() - 1, Axis{"stokes", 4, {}});
    if (!type.unit.empty()) type.unit += "^2";
    return type;
  }

  std::optional<std::size_t> separates(std::size_t axis) const override {
    if (axis >= axes_) return std::nullopt;
    // `stokes` is inserted before the last axis.
    return is_full_ && axis + 1 == axes_ ? axis + 1 : axis;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto from = inputs.front().as<float>();
    const auto to = output.as<float>();
    if (!is_full_) {
      intensity(from.data(), to.data(), to.size());
    } else {
      const std::size_t rows = to.size() / (4 * row_);
      for (std::size_t row = 0; row < rows; ++row)
        full(from.data() + row * row_ * pair, to.data() + row * row_ * 4, row_);
      mark_nan(output);
    }
    return Outcome::produced;
  }

 private:
  bool is_full_;
  /// Length of the last remaining axis.
  std::size_t row_ = 0;
  /// Number of remaining axes.
  std::size_t axes_ = 0;
};

}  // namespace

KernelKind stokes_kernel() {
  return {.name = "stokes",
          .summary = "power (I) or power and polarisation (IQUV) of two linear feeds",
          .stateless = true,
          .parameters = {{.name = "mode",
                          .fallback = "I",
                          .help = "I: power only; IQUV: all four parameters",
                          .choices = {"I", "IQUV"}}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Stokes>(parameters.text("mode") == "IQUV");
          }};
}

}  // namespace takt::pipeline
