#include "pipeline/kernels/transpose.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

/// Rows and columns moved together, so that both sides stay in the first-level cache.
constexpr std::size_t transpose_tile = 32;

/// Elements of 16 bytes: both polarisations of a complex sample.
struct Wide {
  std::uint64_t low, high;
};

/// Side of squares transposed in registers; 1: not useful.
template <class Element>
constexpr std::size_t side_of_square = sizeof(Element) == 4   ? 4
                                       : sizeof(Element) == 8 ? 2
                                                              : 1;

/// to[r * row_out + c] = from[r + c * column_in] for a square: whole registers are read and written.
template <class Element>
void turn_square(const Element* from, std::size_t column_in, Element* to, std::size_t row_out) {
  if constexpr (sizeof(Element) == 4) {
    using Four = std::uint32_t __attribute__((vector_size(16)));
    Four a, b, c, d;
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, from + column_in, sizeof b);
    std::memcpy(&c, from + 2 * column_in, sizeof c);
    std::memcpy(&d, from + 3 * column_in, sizeof d);
    const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7),
               cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    const Four first = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
               second = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
               third = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
               fourth = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + row_out, &second, sizeof second);
    std::memcpy(to + 2 * row_out, &third, sizeof third);
    std::memcpy(to + 3 * row_out, &fourth, sizeof fourth);
  } else if constexpr (sizeof(Element) == 8) {
    using Two = std::uint64_t __attribute__((vector_size(16)));
    Two a, b;
    std::memcpy(&a, from, sizeof a);
    std::memcpy(&b, from + column_in, sizeof b);
    const Two first = __builtin_shufflevector(a, b, 0, 2), second = __builtin_shufflevector(a, b, 1, 3);
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + row_out, &second, sizeof second);
  } else {
    *to = *from;
  }
}

/// to[r * row_out + c] = from[r + c * column_in].
template <class Element>
void turn_plane(const Element* from, std::size_t column_in, Element* to, std::size_t row_out,
                std::size_t rows, std::size_t columns) {
  constexpr std::size_t side = side_of_square<Element>;
  for (std::size_t row = 0; row < rows; row += transpose_tile)
    for (std::size_t column = 0; column < columns; column += transpose_tile) {
      const std::size_t row_end = std::min(rows, row + transpose_tile),
                        column_end = std::min(columns, column + transpose_tile);
      const std::size_t squares_end = row_end - (row_end - row) % side,
                        square_columns_end = column_end - (column_end - column) % side;
      for (std::size_t r = row; r < squares_end; r += side) {
        for (std::size_t c = column; c < square_columns_end; c += side)
          turn_square(from + r + c * column_in, column_in, to + r * row_out + c, row_out);
        for (std::size_t i = r; i < r + side; ++i)
          for (std::size_t c = square_columns_end; c < column_end; ++c)
            to[i * row_out + c] = from[i + c * column_in];
      }
      for (std::size_t r = squares_end; r < row_end; ++r)
        for (std::size_t c = column; c < column_end; ++c) to[r * row_out + c] = from[r + c * column_in];
    }
}

class Transpose final : public Kernel {
 public:
  explicit Transpose(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    if (!type.parts.empty())
      throw InputError(fmt::format("cannot transpose frames with flags of missing parts: found {}{}",
                                   type.to_string(), advice_to_unpack(type)));
    const std::vector<std::string> order = parameters_.texts("axes");
    std::vector<Axis> axes;
    std::vector<std::size_t> strides(type.axes.size(), 1);
    for (std::size_t d = type.axes.size(); d-- > 1;) strides[d - 1] = strides[d] * type.axes[d].size;
    for (const std::string& name : order) {
      const auto axis = std::ranges::find(type.axes, name, &Axis::name);
      if (axis == type.axes.end() || std::ranges::count(order, name) != 1)
        parameters_.refuse(
            "axes", fmt::format("'{}' is not an axis of {}, or is given twice", name, type.to_string()));
      axes.push_back(*axis);
      sizes_.push_back(axis->size);
      strides_.push_back(strides[static_cast<std::size_t>(axis - type.axes.begin())]);
    }
    if (axes.size() != type.axes.size())
      parameters_.refuse("axes", fmt::format("{} axes are given: expected all {} of {}", axes.size(),
                                             type.axes.size(), type.to_string()));
    bytes_ = size_of(type.element);
    // Trailing axes that do not move are treated as one element.
    for (std::size_t d = axes.size(); d-- > 0 && axes[d].name == type.axes[d].name;) {
      bytes_ *= sizes_.back();
      for (std::size_t& stride : strides_) stride /= sizes_.back();
      sizes_.pop_back();
      strides_.pop_back();
    }
    out_strides_.assign(sizes_.size(), 1);
    for (std::size_t d = sizes_.size(); d-- > 1;) out_strides_[d - 1] = out_strides_[d] * sizes_[d];
    type.axes = std::move(axes);
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::byte* const from = inputs.front().bytes.data();
    std::byte* const to = output.bytes.data();
    if (sizes_.empty()) {
      std::memcpy(to, from, bytes_);
      return Outcome::produced;
    }
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
      case 8:
        move<std::uint64_t>(from, to);
        break;
      case 16:
        move<Wide>(from, to);
        break;
      default:
        move_runs(from, to);
    }
    return Outcome::produced;
  }

 private:
  /// Calls action(first element of the input, of the output) for each index of all axes but these two.
  template <class Action>
  void for_each_plane(std::size_t one, std::size_t other, const Action& action) const {
    std::size_t planes = 1;
    for (std::size_t d = 0; d < sizes_.size(); ++d)
      if (d != one && d != other) planes *= sizes_[d];
    for (std::size_t plane = 0; plane < planes; ++plane) {
      std::size_t rest = plane, source = 0, target = 0;
      for (std::size_t d = sizes_.size(); d-- > 0;) {
        if (d == one || d == other) continue;
        source += rest % sizes_[d] * strides_[d];
        target += rest % sizes_[d] * out_strides_[d];
        rest /= sizes_[d];
      }
      action(source, target);
    }
  }

  /// Moves planes of the last axis and the axis along which the input is contiguous, which differ.
  template <class Element>
  void move(const std::byte* from_bytes, std::byte* to_bytes) const {
    const auto* const from = reinterpret_cast<const Element*>(from_bytes);
    auto* const to = reinterpret_cast<Element*>(to_bytes);
    const std::size_t last = sizes_.size() - 1;
    const auto run = static_cast<std::size_t>(std::ranges::find(strides_, 1U) - strides_.begin());
    const std::size_t row_out = out_strides_[run];
    for_each_plane(last, run, [&](std::size_t source, std::size_t target) {
      turn_plane(from + source, strides_[last], to + target, row_out, sizes_[run], sizes_[last]);
    });
  }

  /// Moves elements of any size, in the order of the output.
  void move_runs(const std::byte* from, std::byte* to) const {
    const std::size_t last = sizes_.size() - 1;
    for_each_plane(last, last, [&](std::size_t source, std::size_t target) {
      for (std::size_t i = 0; i < sizes_[last]; ++i)
        std::memcpy(to + (target + i) * bytes_, from + (source + i * strides_[last]) * bytes_, bytes_);
    });
  }

  Parameters parameters_;
  /// Bytes of an element.
  std::size_t bytes_ = 0;
  /// By output axis, without trailing axes that do not move: sizes, and the distance between indices in
  /// elements of the input.
  std::vector<std::size_t> sizes_, strides_;
  /// For the same axes, the distance between indices in elements of the output.
  std::vector<std::size_t> out_strides_;
};

}  // namespace

KernelKind transpose_kernel() {
  return {.name = "transpose",
          .summary = "the same elements with their axes in another order",
          .stateless = true,
          .parameters = {{.name = "axes",
                          .type = ParameterType::texts,
                          .help = "names of all axes in their new order, slowest first"}},
          .make = make_from<Transpose>};
}

}  // namespace takt::pipeline
