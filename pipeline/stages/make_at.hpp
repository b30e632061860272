#pragma once
/// Reports invalid options of a source at their place in the pipeline file.

#include <memory>
#include <string_view>
#include <utility>

#include "pipeline/parameters.hpp"
#include "sensors/option_error.hpp"
#include "sensors/source.hpp"

namespace takt::pipeline {

/// Runs an action and adds the place of the option, or that of the stage, to an OptionError.
template <class Action>
auto at_place(const Parameters& parameters, Action&& action) {
  try {
    return std::forward<Action>(action)();
  } catch (const sensors::OptionError& error) {
    // Errors of lanes refer to the list of ports or files.
    for (const std::string_view name : {std::string_view(error.option()), std::string_view("ports"),
                                        std::string_view("files"), std::string_view("file")})
      if (parameters.has(name)) parameters.refuse(name, error.what());
    parameters.refuse(error.what());
  } catch (const ConfigError& error) {
    if (!error.where().file.empty()) throw;
    parameters.refuse(error.what());
  }
}

/// Makes a source; errors about its options get their place.
template <class AnySource, class Options>
std::unique_ptr<sensors::Source> make_at(const Parameters& parameters, Options options) {
  return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
    return std::make_unique<AnySource>(std::move(options));
  });
}

}  // namespace takt::pipeline
