#include "pipeline/kernel.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

/// Keys of a stage in a pipeline file, beside which its parameters stand.
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

void require_input(std::span<const FrameType> inputs, std::size_t input,
                   std::initializer_list<ElementType> elements,
                   std::initializer_list<std::string_view> axes) {
  const FrameType& type = inputs[input];
  const bool has_element = std::ranges::find(elements, type.element) != elements.end();
  if (has_element && std::ranges::equal(type.axes, axes, {}, &Axis::name)) return;
  std::string expected;
  for (ElementType element : elements)
    expected += fmt::format("{}{}", expected.empty() ? "" : "|", name_of(element));
  for (std::string_view axis : axes) expected += fmt::format("[{}]", axis);
  throw InputError(fmt::format("expected {}, got {}", expected, type.to_string()), input);
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
