#include "pipeline/kernels/select.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "pipeline/kernels/frame_shapes.hpp"

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
    const std::vector<std::size_t> chosen = chosen_of(*axis, type);
    inner_bytes_ = size_of(type.element);
    for (auto inner = axis + 1; inner != type.axes.end(); ++inner) inner_bytes_ *= inner->size;
    stride_ = axis->size * inner_bytes_;
    find_runs(chosen);

    data_size_ = type.data_size().count;
    const auto dimension = static_cast<std::size_t>(axis - type.axes.begin());
    select_flags(type, dimension, chosen);
    if (sensors::is_in_time(axis->name)) {
      select_times(inputs.front(), dimension, chosen, type);
    } else if (!axis->coordinates.empty()) {
      std::vector<double> coordinates;
      for (const std::size_t index : chosen) coordinates.push_back(axis->coordinates[index]);
      axis->coordinates = std::move(coordinates);
    }
    axis->size = chosen.size();
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const std::byte* const from = inputs.front().bytes.data();
    std::byte* to = output.bytes.data();
    for (std::size_t row = 0; row < data_size_; row += stride_)
      for (const Run& run : runs_) {
        std::memcpy(to, from + row + run.begin, run.length);
        to += run.length;
      }
    for (const std::size_t flag : flags_) *to++ = from[data_size_ + flag];
    lag_.shift(*output.header);
    return Outcome::produced;
  }

 private:
  /// The frame begins with the first selected sample, to which the other times are relative.
  void select_times(const FrameType& input, std::size_t dimension, const std::vector<std::size_t>& chosen,
                    FrameType& output) {
    const Axis& axis = input.axes[dimension];
    // Steps in a frame, including those of slower axes in time.
    double steps = 1;
    for (std::size_t d = 0; d <= dimension; ++d)
      if (sensors::is_in_time(input.axes[d].name)) steps *= static_cast<double>(input.axes[d].size);
    const double frame_s = input.rate_hz > 0 ? 1 / input.rate_hz : 0;
    const auto time_of = [&](std::size_t index) {
      return axis.coordinates.empty() ? static_cast<double>(index) / steps * frame_s
                                      : axis.coordinates[index] - axis.coordinates.front();
    };
    const double first_s = time_of(chosen.front());
    lag_ = Lag::of_time(input, -first_s, output);
    // If times are unknown, the rate is assumed to be one frame per second.
    if (!(frame_s > 0) && axis.coordinates.empty())
      output.start_s = input.start_s + static_cast<double>(chosen.front()) / steps;
    std::vector<double>& times = output.axes[dimension].coordinates;
    times.clear();
    if (frame_s > 0 || !axis.coordinates.empty())
      for (const std::size_t index : chosen) times.push_back(time_of(index) - first_s);
    output.has_gaps = input.has_gaps || !are_all_in_steps(chosen, axis.size);
  }

  /// Returns true if every n-th index is selected, so that the selection is regular across frames.
  [[nodiscard]] static bool are_all_in_steps(const std::vector<std::size_t>& chosen, std::size_t size) {
    if (size % chosen.size() != 0) return false;
    const std::size_t step = size / chosen.size();
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (chosen[i] != chosen.front() + i * step) return false;
    return true;
  }

  /// Bytes of a row that are copied together.
  struct Run {
    std::size_t begin, length;
  };

  /// Returns the selected indices in their order.
  [[nodiscard]] std::vector<std::size_t> chosen_of(const Axis& axis, const FrameType& type) const {
    const std::vector<std::int64_t> indices = parameters_.integers("indices");
    const auto first = static_cast<std::size_t>(parameters_.integer("first"));
    const auto count = static_cast<std::size_t>(parameters_.integer("count"));
    std::vector<std::size_t> chosen;
    if (indices.empty()) {
      if (count == 0) parameters_.refuse("count", "expected count or indices");
      if (first >= axis.size || count > axis.size - first)
        parameters_.refuse("count", fmt::format("{} from index {} exceed axis '{}' of {}", count, first,
                                                axis.name, type.to_string()));
      for (std::size_t i = 0; i < count; ++i) chosen.push_back(first + i);
      return chosen;
    }
    if (count > 0 || first > 0)
      parameters_.refuse("indices", "they define the selection: expected neither first nor count");
    for (const std::int64_t index : indices) {
      if (index < 0 || static_cast<std::size_t>(index) >= axis.size)
        parameters_.refuse("indices", fmt::format("{} is not an index of axis '{}' in {}: expected 0 to {}",
                                                  index, axis.name, type.to_string(), axis.size - 1));
      chosen.push_back(static_cast<std::size_t>(index));
    }
    return chosen;
  }

  /// Neighbouring indices are copied together.
  void find_runs(const std::vector<std::size_t>& chosen) {
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (i > 0 && chosen[i] == chosen[i - 1] + 1)
        runs_.back().length += inner_bytes_;
      else
        runs_.push_back({chosen[i] * inner_bytes_, inner_bytes_});
  }

  /// Determines the input flag of each output flag. Each index along the selected axis gets its own flag,
  /// because the selection may not divide into the same parts.
  void select_flags(FrameType& type, std::size_t dimension, const std::vector<std::size_t>& chosen) {
    const std::vector<std::size_t> parts = type.parts;
    const bool is_cut = dimension < parts.size();
    if (is_cut) type.parts[dimension] = chosen.size();
    for (std::size_t flag = 0; flag < type.flag_count(); ++flag) {
      // Mixed radix, from the last axis on.
      std::size_t rest = flag, stride = 1, from = 0;
      for (std::size_t d = parts.size(); d-- > 0;) {
        std::size_t index = rest % type.parts[d];
        rest /= type.parts[d];
        if (is_cut && d == dimension) index = chosen[index] * parts[d] / type.axes[d].size;
        from += index * stride;
        stride *= parts[d];
      }
      flags_.push_back(from);
    }
  }

  Parameters parameters_;
  /// Bytes of a row of the axis, and of an index in it.
  std::size_t stride_ = 0, inner_bytes_ = 0;
  std::vector<Run> runs_;
  /// Bytes of the input's elements, and its flags that go to the output.
  std::size_t data_size_ = 0;
  std::vector<std::size_t> flags_;
  Lag lag_;
};

}  // namespace

KernelKind select_kernel() {
  return {.name = "select",
          .summary = "keeps a range or a list of indices of one axis, for example some beamlets or channels",
          .stateless = true,
          .parameters = {{.name = "axis", .help = "name of the axis"},
                         {.name = "first",
                          .type = ParameterType::integer,
                          .fallback = "0",
                          .help = "first index kept",
                          .minimum = 0,
                          .may_change = true},
                         {.name = "count",
                          .type = ParameterType::integer,
                          .fallback = "0",
                          .help = "number of indices kept",
                          .minimum = 0},
                         {.name = "indices",
                          .type = ParameterType::integers,
                          .fallback = "",
                          .help = "indices kept, in this order, instead of a range",
                          .may_change = true}},
          .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
            return std::make_unique<Select>(parameters);
          }};
}

}  // namespace takt::pipeline
