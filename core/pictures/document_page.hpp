#pragma once
/// Figures that a program has written as JSON or YAML, as a page.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/formats/yaml_tree.hpp"
#include "core/pictures/page.hpp"

namespace takt {

/// Single values are facts, by the way to them (`frames ingested`); a list of objects is a table that sorts,
/// an object's objects columns of it; a list of 8 numbers or more is a curve. Nothing is left out but what is
/// empty.
[[nodiscard]] Page document_page(const std::string& title, std::string says,
                                 const nlohmann::ordered_json& document);

/// Texts that are numbers as numbers.
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
