#include "pipeline/kernels/select.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

class Select final : public Kernel {
 public:
  explicit Select(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    const std::string name = parameters_.text("axis");
    const auto axis = std::ranges::find(type.axes, name, &Axis::name);
    if (axis == type.axes.end()) {
      std::vector<std::string_view> known;
      for (const Axis& each : type.axes) known.push_back(each.name);
      parameters_.refuse("axis", unknown_name("axis", name, known));
    }
    const auto first = static_cast<std::size_t>(parameters_.integer("first"));
    const auto count = static_cast<std::size_t>(parameters_.integer("count"));
    if (first >= axis->size || count > axis->size - first)
      parameters_.refuse("count", fmt::format("{} from index {} on are more than axis '{}' has in {}", count,
                                              first, name, type.to_string()));

    std::size_t inner_bytes = size_of(type.element);
    for (auto inner = axis + 1; inner != type.axes.end(); ++inner) inner_bytes *= inner->size;
    stride_ = axis->size * inner_bytes;
    begin_ = first * inner_bytes;
    length_ = count * inner_bytes;

    data_size_ = type.data_size().count;
    const auto dimension = static_cast<std::size_t>(axis - type.axes.begin());
    select_flags(type, dimension, first, count);
    axis->size = count;
    if (!axis->coordinates.empty()) {
      const auto begin = axis->coordinates.begin() + static_cast<std::ptrdiff_t>(first);
      axis->coordinates = std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
    }
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::span<const std::byte> from = inputs.front().bytes;
    auto to = output.bytes.begin();
    for (std::size_t row = 0; row < data_size_; row += stride_)
      to = std::ranges::copy(from.subspan(row + begin_, length_), to).out;
    for (const std::size_t flag : flags_) *to++ = from[data_size_ + flag];
    return Outcome::produced;
  }

 private:
  /// Which flag of the input each of the output's is. Along the axis that is cut each index gets a flag of
  /// its own, since what is left of it need not divide as the whole did.
  void select_flags(FrameType& type, std::size_t dimension, std::size_t first, std::size_t count) {
    const std::vector<std::size_t> parts = type.parts;
    const bool is_cut = dimension < parts.size();
    if (is_cut) type.parts[dimension] = count;
    for (std::size_t flag = 0; flag < type.flag_count(); ++flag) {
      // Mixed radix, from the last axis on.
      std::size_t rest = flag, stride = 1, from = 0;
      for (std::size_t d = parts.size(); d-- > 0;) {
        std::size_t index = rest % type.parts[d];
        rest /= type.parts[d];
        if (is_cut && d == dimension) index = (first + index) * parts[d] / type.axes[d].size;
        from += index * stride;
        stride *= parts[d];
      }
      flags_.push_back(from);
    }
  }

  Parameters parameters_;
  /// Bytes between the parts to copy, where the first one begins, and how long each is.
  std::size_t stride_ = 0, begin_ = 0, length_ = 0;
  /// Bytes of the input's elements, and its flags that go to the output.
  std::size_t data_size_ = 0;
  std::vector<std::size_t> flags_;
};

}  // namespace

KernelKind select_kernel() {
  return {.name = "select",
          .summary = "keeps a range of one axis, for example some beamlets or channels",
          .parameters = {{.name = "axis", .help = "name of the axis"},
                         {.name = "first",
                          .type = ParameterType::integer,
                          .fallback = "0",
                          .help = "first index kept",
                          .minimum = 0},
                         {.name = "count",
                          .type = ParameterType::integer,
                          .help = "number of indices kept",
                          .minimum = 1}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Select>(parameters);
          }};
}

}  // namespace takt::pipeline
