#include "pipeline/kernel.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace takt::pipeline {

namespace {

/// Keys of a task in a pipeline file, beside which its parameters stand.
constexpr std::array<std::string_view, 3> task_keys{"kernel", "input", "inputs"};

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
  if (find(kind.name) != nullptr) throw ConfigError(fmt::format("there is a kernel '{}' already", kind.name));
  for (const ParameterSpec& parameter : kind.parameters)
    if (std::ranges::find(task_keys, parameter.name) != task_keys.end())
      throw ConfigError(fmt::format("kernel '{}' has a parameter named '{}', which is a key of every task",
                                    kind.name, parameter.name));
  kinds_.push_back(std::move(kind));
}

const KernelKind* KernelRegistry::find(std::string_view name) const {
  const auto found = std::ranges::find(kinds_, name, &KernelKind::name);
  return found == kinds_.end() ? nullptr : &*found;
}

}  // namespace takt::pipeline
