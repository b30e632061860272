#pragma once
/// Values from the command line that replace parts of a YAML document.

#include <string>
#include <string_view>

#include "core/formats/yaml_parser.hpp"

namespace takt {

/// Sets the value at a path of keys with dots between them (`sources.station.ports`) to what the YAML `value`
/// says. Keys of the first level, and a last one, are added where there are none. Everything in it stands at
/// `where`, the name of an option, and so do the errors. What aliases repeat elsewhere stays as it is.
void set_value(YamlTree& tree, std::string_view path, const std::string& value, const std::string& where,
               ErrorList& errors, const YamlLimits& limits = {});

/// Where the document has `key: text` on the first level, makes `key: {name: text}` of it, so that more can
/// be said beside the name.
void expand_name(YamlTree& tree, std::string_view key);

}  // namespace takt
