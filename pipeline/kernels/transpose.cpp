#include "pipeline/kernels/transpose.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

/// Rows and columns moved together, so that both sides stay in the first-level cache.
constexpr std::size_t transpose_tile = 32;

class Transpose final : public Kernel {
 public:
  explicit Transpose(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    if (!type.parts.empty())
      throw InputError(
          fmt::format("frames with flags of missing parts cannot be transposed: unpack them "
                      "first, got {}",
                      type.to_string()));
    const std::vector<std::string> order = parameters_.texts("axes");
    std::vector<Axis> axes;
    std::vector<std::size_t> strides(type.axes.size(), 1);
    for (std::size_t d = type.axes.size(); d-- > 1;) strides[d - 1] = strides[d] * type.axes[d].size;
    for (const std::string& name : order) {
      const auto axis = std::ranges::find(type.axes, name, &Axis::name);
      if (axis == type.axes.end() || std::ranges::count(order, name) != 1)
        parameters_.refuse("axes", fmt::format("'{}' is not an axis once of {}", name, type.to_string()));
      axes.push_back(*axis);
      sizes_.push_back(axis->size);
      strides_.push_back(strides[static_cast<std::size_t>(axis - type.axes.begin())]);
    }
    if (axes.size() != type.axes.size())
      parameters_.refuse("axes", fmt::format("{} axes are given, expected all {} of {}", axes.size(),
                                             type.axes.size(), type.to_string()));
    type.axes = std::move(axes);
    bytes_ = size_of(type.element);
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::byte* const from = inputs.front().bytes.data();
    std::byte* const to = output.bytes.data();
    switch (bytes_) {
      case 1:
        move<std::uint8_t>(from, to);
        break;
      case 2:
        move<std::uint16_t>(from, to);
        break;
      case 4:
        move<std::uint32_t>(from, to);
        break;
      default:
        move<std::uint64_t>(from, to);
    }
    return Outcome::produced;
  }

 private:
  /// Planes of the last axis and the one that is the last one of the input: tile by tile.
  template <class Element>
  void move(const std::byte* from_bytes, std::byte* to_bytes) const {
    const auto* const from = reinterpret_cast<const Element*>(from_bytes);
    auto* const to = reinterpret_cast<Element*>(to_bytes);
    const std::size_t last = sizes_.size() - 1;
    // The dimension of the output along which the input is contiguous.
    const auto run = static_cast<std::size_t>(std::ranges::min_element(strides_) - strides_.begin());
    std::vector<std::size_t> out(sizes_.size(), 1);
    for (std::size_t d = last; d > 0; --d) out[d - 1] = out[d] * sizes_[d];
    std::size_t planes = 1;
    for (std::size_t d = 0; d < sizes_.size(); ++d)
      if (d != last && d != run) planes *= sizes_[d];
    const std::size_t columns = sizes_[last], rows = run == last ? 1 : sizes_[run];
    const std::size_t row_out = run == last ? 0 : out[run], row_in = run == last ? 0 : strides_[run],
                      column_in = strides_[last];
    for (std::size_t plane = 0; plane < planes; ++plane) {
      std::size_t rest = plane, source = 0, target = 0;
      for (std::size_t d = sizes_.size(); d-- > 0;) {
        if (d == last || d == run) continue;
        source += rest % sizes_[d] * strides_[d];
        target += rest % sizes_[d] * out[d];
        rest /= sizes_[d];
      }
      for (std::size_t row = 0; row < rows; row += transpose_tile)
        for (std::size_t column = 0; column < columns; column += transpose_tile) {
          const std::size_t last_row = std::min(rows, row + transpose_tile),
                            last_column = std::min(columns, column + transpose_tile);
          for (std::size_t r = row; r < last_row; ++r) {
            Element* const own = to + target + r * row_out;
            const Element* const other = from + source + r * row_in;
            for (std::size_t c = column; c < last_column; ++c) own[c] = other[c * column_in];
          }
        }
    }
  }

  Parameters parameters_;
  std::size_t bytes_ = 0;
  /// Of the output's axes: sizes, and elements of the input between their indices.
  std::vector<std::size_t> sizes_, strides_;
};

}  // namespace

KernelKind transpose_kernel() {
  return {.name = "transpose",
          .summary = "the same elements with their axes in another order",
          .parameters = {{.name = "axes",
                          .type = ParameterType::texts,
                          .help = "names of all axes in their new order, slowest first"}},
          .make = make_from<Transpose>};
}

}  // namespace takt::pipeline
