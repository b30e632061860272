#include "pipeline/kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

#include "core/pictures/figure_text.hpp"
#include "sensors/frames/frame_time.hpp"

namespace takt::pipeline {

namespace {

/// Keys of a stage in a pipeline file that are not parameters.
constexpr std::array<std::string_view, 3> task_keys{"kernel", "input", "inputs"};
constexpr std::array<std::string_view, 3> source_keys{"type", "delay", "backlog"};
constexpr std::array<std::string_view, 4> sink_keys{"type", "input", "backlog", "transient"};

template <class Kinds>
auto find_kind(const Kinds& kinds, std::string_view name) {
  const auto found =
      std::ranges::find(kinds, name, [](const auto& kind) { return std::string_view(kind.name); });
  return found == kinds.end() ? nullptr : &*found;
}

template <class Kind, class Keys>
void add_kind(std::vector<Kind>& kinds, Kind kind, const Keys& keys, const char* noun, const char* owner) {
  if (find_kind(kinds, kind.name) != nullptr)
    throw ConfigError(fmt::format("there is a {} '{}' already", noun, kind.name));
  for (const ParameterSpec& parameter : kind.parameters)
    if (std::ranges::find(keys, parameter.name) != keys.end())
      throw ConfigError(fmt::format("{} '{}' has a parameter named '{}', which is a key of every {}", noun,
                                    kind.name, parameter.name, owner));
  kinds.push_back(std::move(kind));
}

}  // namespace

Outcome AsynchronousKernel::process(std::span<const FrameView>, const FrameBuffer&) {
  throw std::logic_error("an asynchronous kernel has no 'process'");
}

std::string advice_to_unpack(const FrameType& type) {
  if (type.element == ElementType::float32 || type.element == ElementType::complex_float32) return {};
  const bool has_packets = type.find_axis("packet") != nullptr;
  return fmt::format(": put {{kernel: {}}} in front of it", has_packets ? "lofar_unpack" : "unpack");
}

void require_input(std::span<const FrameType> inputs, std::size_t input,
                   std::initializer_list<ElementType> elements,
                   std::initializer_list<std::string_view> axes) {
  const FrameType& type = inputs[input];
  const bool has_element = std::ranges::find(elements, type.element) != elements.end();
  if (has_element && std::ranges::equal(type.axes, axes, {}, &Axis::name)) return;
  const bool wants_floats = std::ranges::any_of(elements, [](ElementType element) {
    return element == ElementType::float32 || element == ElementType::complex_float32;
  });
  std::string expected;
  for (ElementType element : elements)
    expected += fmt::format("{}{}", expected.empty() ? "" : "|", name_of(element));
  for (std::string_view axis : axes) expected += fmt::format("[{}]", axis);
  throw InputError(fmt::format("expected {}, got {}{}", expected, type.to_string(),
                               has_element || !wants_floats ? "" : advice_to_unpack(type)),
                   input);
}

namespace {

/// Difference between times, in samples, that exceeds rounding.
constexpr double part_of_a_sample = 1e-3;
/// Relative difference between sample rates that counts as rounding.
constexpr double same_rate = 1e-6;

std::string difference(const UnlikeTimes::Side& a, const UnlikeTimes::Side& b, std::string_view a_name,
                       std::string_view b_name) {
  if (std::abs(a.sample_hz - b.sample_hz) > same_rate * b.sample_hz)
    return fmt::format("the samples of '{}' are {} apart, those of '{}' {}", a_name,
                       time_text(1e9 / a.sample_hz), b_name, time_text(1e9 / b.sample_hz));
  const bool a_is_early = a.start_s < b.start_s;
  const std::string_view early = a_is_early ? a_name : b_name, late = a_is_early ? b_name : a_name;
  const double apart_s = std::abs(a.start_s - b.start_s), samples = apart_s * b.sample_hz;
  const bool is_whole = std::abs(samples - std::round(samples)) < part_of_a_sample;
  return fmt::format(
      "'{}' begins {:.6g} sample{} ({}) earlier than '{}': {}", early, samples, samples == 1 ? "" : "s",
      time_text(apart_s * 1e9), late,
      is_whole ? fmt::format("expected {{kernel: align, input: {}, samples: {:.0f}}} between '{}' and it",
                             late, samples, late)
               : std::string("expected a whole number of samples, which {kernel: align} can delay the other "
                             "input by, or the same filters before both"));
}

}  // namespace

UnlikeTimes::UnlikeTimes(const Side& side, const Side& than)
    : InputError(difference(side, than, fmt::format("input {}", side.input + 1),
                            fmt::format("input {}", than.input + 1)),
                 side.input),
      side_(side),
      other_(than) {}

std::string UnlikeTimes::describe(std::string_view input, std::string_view other) const {
  return difference(side_, other_, input, other);
}

void require_one_time(std::span<const FrameType> inputs) {
  const auto rows = [&](std::size_t i) {
    const Axis* const time = inputs[i].find_axis("time");
    return time != nullptr ? time->size : 1;
  };
  const auto side = [&](std::size_t i) {
    const FrameType& type = inputs[i];
    double hertz = rows(i) > 1 ? sensors::sample_rate(type) : type.rate_hz;
    // The same convention as start_s.
    if (!(hertz > 0)) hertz = static_cast<double>(rows(i));
    return UnlikeTimes::Side{i, type.start_s, hertz};
  };
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    UnlikeTimes::Side first = side(0), own = side(i);
    // Whole frames, or parts of different size, have no common samples: only the start times are compared.
    if (rows(i) != rows(0)) first.sample_hz = own.sample_hz = std::max(first.sample_hz, own.sample_hz);
    if (std::abs(own.sample_hz - first.sample_hz) > same_rate * first.sample_hz ||
        std::abs(own.start_s - first.start_s) * first.sample_hz > part_of_a_sample)
      throw UnlikeTimes(own, first);
  }
}

namespace {

/// Returns the tolerance for the coordinates of an axis: the rounding of file headers. `hertz`: sample rate,
/// for a beamlet without a neighbour.
double same_coordinate(const Axis& axis, double hertz) {
  constexpr double part_of_a_step = 1e-2, part_of_a_value = 1e-9;
  const std::vector<double>& all = axis.coordinates;
  double step = axis.name == "beamlet" && hertz > 0 ? hertz : std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < all.size(); ++i)
    if (const double own = std::abs(all[i] - all[i - 1]); own > 0) step = std::min(step, own);
  return std::isfinite(step) ? part_of_a_step * step : part_of_a_value * std::abs(all.front());
}

std::string coordinate_text(const Axis& axis, double value) {
  return axis.name == "channel" || axis.name == "beamlet" ? fmt::format("{:.9g} MHz", value / 1e6)
                                                          : fmt::format("{:.9g}", value);
}

}  // namespace

void require_same_axes(std::span<const FrameType> inputs, std::string_view except) {
  for (std::size_t i = 1; i < inputs.size(); ++i)
    for (std::size_t d = 0; d < inputs[i].axes.size(); ++d) {
      const Axis &first = inputs.front().axes[d], &own = inputs[i].axes[d];
      if (sensors::is_in_time(own.name) || own.name == except || own.coordinates.empty() ||
          own.coordinates.size() != first.coordinates.size())
        continue;
      const double same = same_coordinate(first, sensors::sample_rate(inputs.front()));
      const auto differs = std::ranges::mismatch(own.coordinates, first.coordinates,
                                                 [&](double a, double b) { return std::abs(a - b) <= same; });
      if (differs.in1 == own.coordinates.end()) continue;
      throw InputError(
          fmt::format("its {} {} is {}, that of the first input {}: expected the same of all inputs",
                      own.name, differs.in1 - own.coordinates.begin(), coordinate_text(own, *differs.in1),
                      coordinate_text(first, *differs.in2)),
          i);
    }
}

void check_saves_nothing(const KernelKind& kind, const Kernel& kernel) {
  if (!kind.stateless && !kernel.is_stateless()) return;
  const std::optional<std::vector<std::byte>> state = kernel.save();
  if (!state) return;
  throw ConfigError(
      kind.stateless ? fmt::format("kernel '{}' is registered as stateless, but saves a state of {} bytes: "
                                   "set '.stateless = false' in its KernelKind, or do not override 'save'",
                                   kind.name, state->size())
                     : fmt::format("kernel '{}' is stateless as configured ('is_stateless'), but saves a "
                                   "state of {} bytes: return an empty state from 'save'",
                                   kind.name, state->size()));
}

void KernelRegistry::add(KernelKind kind) {
  add_kind(kinds_, std::move(kind), task_keys, "kernel", "task");
}
void KernelRegistry::add_source(SourceKind kind) {
  add_kind(sources_, std::move(kind), source_keys, "source", "source");
}
void KernelRegistry::add_sink(SinkKind kind) {
  add_kind(sinks_, std::move(kind), sink_keys, "sink", "sink");
}

const KernelKind* KernelRegistry::find(std::string_view name) const {
  return find_kind(kinds_, name);
}
const SourceKind* KernelRegistry::find_source(std::string_view name) const {
  return find_kind(sources_, name);
}
const SinkKind* KernelRegistry::find_sink(std::string_view name) const {
  return find_kind(sinks_, name);
}

}  // namespace takt::pipeline
