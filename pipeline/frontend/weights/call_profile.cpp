#include "pipeline/frontend/weights/call_profile.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/yaml_parser.hpp"
#include "core/formats/yaml_text.hpp"
#include "core/formats/yaml_values.hpp"

namespace takt::frontend {

std::string call_profile_to_yaml(const Program& program, std::span<const Time> times) {
  std::string text = "# Times of a program's calls, measured by takt profile.\ncalls:\n";
  for (const CallId id : ids<CallId>(program.calls.size()))
    text += fmt::format("  - call: {}\n    time: {} ns\n", yaml_scalar(program.text_of(id)),
                        times[id.index()].count());
  return text;
}

std::vector<Time> call_profile_from_yaml(const std::string& text, const std::string& file,
                                         const Program& program) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(text, file, errors);
  constexpr std::array<std::string_view, 1> keys{"calls"};
  expect_mapping(tree.root(), "a profile of calls", keys);
  check_keys(tree.root(), "a profile of calls", keys, errors);
  std::vector<Time> times;
  const YamlNode calls = require(tree.root(), "a profile of calls", "calls");
  read_list(calls, "calls", errors, [&](const YamlNode& each) {
    const YamlNode call = require(each, "a call", "call");
    const std::string_view written = read_text(call, "call");
    if (times.size() >= program.calls.size() || written != program.text_of(CallId(times.size())))
      refuse(call, fmt::format("{} is not call {} of {}: profile the program with the same parameters",
                               written, times.size(), program.source.name()));
    times.push_back(std::max(Time{1}, read_time(require(each, "a call", "time"), "time")));
  });
  errors.throw_if_any();
  if (times.size() != program.calls.size())
    throw ConfigError(calls.where(),
                      fmt::format("{} calls, but {} makes {}: profile the program with the same parameters",
                                  times.size(), program.source.name(), program.calls.size()));
  return times;
}

}  // namespace takt::frontend
