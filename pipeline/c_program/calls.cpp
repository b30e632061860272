#include "pipeline/c_program/calls.hpp"

#include <algorithm>

#include <dlfcn.h>
#include <fmt/format.h>

namespace takt::pipeline {

std::vector<ParameterSpec> call_parameters(const std::string& path, std::optional<std::string> fallback,
                                           std::vector<ParameterSpec> own) {
  own.push_back({.name = "call", .fallback = std::move(fallback), .help = "name of the call in the library"});
  own.push_back({.name = "library", .fallback = path, .help = "library of the calls; default: the plug-in"});
  return own;
}

const takt_call& call_of(const Parameters& parameters) {
  // The plug-in stays loaded.
  void* const library = ::dlopen(parameters.text("library").c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* const table = library == nullptr ? nullptr : ::dlsym(library, "takt_calls");
  if (table == nullptr)
    parameters.refuse("library", "no library of a C program: expected the plug-in, which is the default");
  const auto& program = *static_cast<const takt_program*>(table);
  const std::span calls(program.calls, program.count);
  const std::string name = parameters.text("call");
  const auto found = std::ranges::find_if(calls, [&](const takt_call& call) { return name == call.name; });
  if (found != calls.end()) return *found;
  std::vector<std::string_view> known;
  for (const takt_call& call : calls) known.emplace_back(call.name);
  parameters.refuse("call", unknown_name("call", name, known));
}

FrameType frame_of_bytes(std::size_t bytes) {
  FrameType type;
  type.axes = {{"byte", bytes, {}}};
  return type;
}

void check_inputs(const takt_call& call, std::span<const FrameType> inputs) {
  // A call without inputs begins with each frame of any type.
  if (call.inputs == 0) return;
  if (inputs.size() != call.inputs)
    throw InputError(fmt::format("{}: expected {} inputs, found {}", call.name, call.inputs, inputs.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].size().count != call.in_bytes[i])
      throw InputError(fmt::format("{}: expected frames of {} bytes, found {}", call.name, call.in_bytes[i],
                                   inputs[i].to_string()),
                       i);
}

}  // namespace takt::pipeline
