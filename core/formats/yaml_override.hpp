#pragma once
/// Overrides of values in a YAML document from the command line.

#include <string>
#include <string_view>

#include "core/formats/yaml_parser.hpp"

namespace takt {

/// Sets the value at a dotted path of keys (`sources.station.ports`) to the YAML in `value`. Adds a missing
/// key of the first level, and a missing last key. The new values and the errors have the position `where`,
/// the name of an option. Aliases elsewhere are not affected.
void set_value(YamlTree& tree, std::string_view path, const std::string& value, const std::string& where,
               ErrorList& errors, const YamlLimits& limits = {});

/// Replaces `key: text` on the first level by `key: {name: text}`, so that options can be
/// added.
void expand_name(YamlTree& tree, std::string_view key);

}  // namespace takt
