#include "sensors/frames/frame.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

struct ElementInfo {
  std::string_view name;
  std::size_t size;
};

/// In the order of ElementType.
constexpr std::array<ElementInfo, 12> elements{{{"int8", 1},
                                                {"uint8", 1},
                                                {"int16", 2},
                                                {"int32", 4},
                                                {"float32", 4},
                                                {"float64", 8},
                                                {"complex_int8", 2},
                                                {"complex_int16", 4},
                                                {"complex_float32", 8},
                                                {"uint16", 2},
                                                {"complex_uint8", 2},
                                                {"complex_uint16", 4}}};

}  // namespace

std::size_t size_of(ElementType type) {
  return elements[static_cast<std::size_t>(type)].size;
}
std::string_view name_of(ElementType type) {
  return elements[static_cast<std::size_t>(type)].name;
}

bool is_complex(ElementType type) {
  return name_of(type).starts_with("complex_");
}
bool is_unsigned(ElementType type) {
  return name_of(type).find("uint") != std::string_view::npos;
}
double zero_of(ElementType type) {
  return type == ElementType::complex_uint8 ? 128 : type == ElementType::complex_uint16 ? 32768 : 0;
}
bool is_floating(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float64 || type == ElementType::complex_float32;
}

std::optional<ElementType> find_element(std::string_view name) {
  const auto found = std::ranges::find(elements, name, &ElementInfo::name);
  if (found == elements.end()) return {};
  return static_cast<ElementType>(found - elements.begin());
}

std::string uneven_frequencies(const Axis& axis) {
  /// Tolerance of steps, relative (coordinates are sums of doubles).
  constexpr double uneven = 1e-3;
  const std::vector<double>& hz = axis.coordinates;
  if (hz.size() < 2) return {};
  const double mean = (hz.back() - hz.front()) / static_cast<double>(hz.size() - 1), first = hz[1] - hz[0];
  bool is_even = mean != 0;
  std::size_t furthest = 0;
  for (std::size_t i = 0; i + 1 < hz.size(); ++i) {
    const double step = hz[i + 1] - hz[i];
    is_even = is_even && std::abs(step - mean) <= uneven * std::abs(mean);
    if (std::abs(step - first) > std::abs(hz[furthest + 1] - hz[furthest] - first)) furthest = i;
  }
  if (is_even) return {};
  if (furthest == 0)
    return fmt::format("all its {}s have the same frequency, {:.9g} MHz", axis.name, hz.front() / 1e6);
  return fmt::format(
      "its {}s are not evenly spaced in frequency: from {} to {} ({:.9g} to {:.9g} MHz) it is {:.6g} MHz, "
      "from 0 to 1 {:.6g} MHz",
      axis.name, furthest, furthest + 1, hz[furthest] / 1e6, hz[furthest + 1] / 1e6,
      (hz[furthest + 1] - hz[furthest]) / 1e6, first / 1e6);
}

std::size_t FrameType::element_count() const {
  std::size_t count = 1;
  for (const Axis& axis : axes) count *= axis.size;
  return count;
}

std::size_t FrameType::flag_count() const {
  if (parts.empty()) return 0;
  std::size_t count = 1;
  for (const std::size_t part : parts) count *= part;
  return count;
}

const Axis* FrameType::find_axis(std::string_view name) const {
  auto found = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == name; });
  return found == axes.end() ? nullptr : &*found;
}

std::size_t add_side(FrameType& type, const std::string& name, const std::string& unit) {
  const auto found = std::ranges::find(type.side, name, &SideField::name);
  const auto index = static_cast<std::size_t>(found - type.side.begin());
  if (found != type.side.end()) return index;
  if (index == FrameHeader::most_side)
    throw ConfigError(
        fmt::format("its frames already carry {} values next to their elements: no room for '{}'",
                    FrameHeader::most_side, name));
  type.side.push_back({name, unit});
  return index;
}

std::string FrameType::to_string() const {
  std::string text(name_of(element));
  for (const Axis& axis : axes) text += fmt::format("[{}={}]", axis.name, axis.size);
  return text;
}

}  // namespace takt::sensors
