#pragma once
/// Pages of figures in JSON or YAML documents of other programs.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/formats/yaml_tree.hpp"
#include "core/pictures/page.hpp"

namespace takt {

/// Returns a page. Single values become facts, named by their path (`frames ingested`); a list of objects
/// becomes a sortable table with the objects' members as columns; a list of 8 numbers or more becomes a
/// curve. Omits empty values only.
[[nodiscard]] Page document_page(const std::string& title, std::string says,
                                 const nlohmann::ordered_json& document);

/// Converts texts that are numbers to numbers.
[[nodiscard]] nlohmann::ordered_json json_of(const YamlNode& node);

/// Bars, a group for each name; stacked, they are parts of a whole.
struct BarSeries {
  std::string name;
  std::vector<double> values;
};
[[nodiscard]] View bar_view(const std::string& name, const std::string& says, const std::string& x,
                            const std::string& y, const std::vector<std::string>& names,
                            const std::vector<BarSeries>& series, bool is_stacked = false);

}  // namespace takt
