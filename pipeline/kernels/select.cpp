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
    for (std::size_t row = 0; row < from.size(); row += stride_)
      to = std::ranges::copy(from.subspan(row + begin_, length_), to).out;
    return Outcome::produced;
  }

 private:
  Parameters parameters_;
  /// Bytes between the parts to copy, where the first one begins, and how long each is.
  std::size_t stride_ = 0, begin_ = 0, length_ = 0;
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
