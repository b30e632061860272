#include "core/meshes/mesh_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/meshes/gmsh.hpp"
#include "core/system/text_file.hpp"

namespace takt {

namespace {

constexpr std::string_view grid_name = "grid";

Mesh grid_from(std::string_view text) {
  struct Parameter {
    std::string_view name;
    std::size_t value;
    bool is_set = false;
  };
  std::array parameters{Parameter{"rows", 16}, Parameter{"columns", 24}};
  std::string_view rest = text.substr(std::min(text.size(), grid_name.size() + 1));
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    const auto found = std::ranges::find(parameters, name, &Parameter::name);
    if (found == parameters.end())
      throw ConfigError(fmt::format("{}: {}", text, unknown_name("parameter", name, {"rows", "columns"})));
    if (found->is_set) throw ConfigError(fmt::format("{}: parameter {} is given twice", text, name));
    found->is_set = true;
    const std::string_view value = part.substr(std::min(part.size(), equals + 1));
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), found->value);
    if (error != std::errc{} || end != value.data() + value.size() || found->value < 1 ||
        found->value > most_cells)
      throw ConfigError(fmt::format("{}: {}: expected a whole number from 1 to {}, found '{}'", text, name,
                                    most_cells, value));
  }
  const auto [rows, columns] = std::pair(parameters[0].value, parameters[1].value);
  if (rows * columns > most_cells)
    throw ConfigError(
        fmt::format("{}: {} cells are too many: expected at most {}", text, rows * columns, most_cells));
  return grid_mesh(rows, columns);
}

}  // namespace

bool names_mesh(std::string_view text) {
  return text == grid_name || text.starts_with("grid:") || text.ends_with(".msh");
}

Mesh load_mesh(const std::string& text) {
  return text.ends_with(".msh") ? mesh_from_gmsh(read_text_file(text), text) : grid_from(text);
}

}  // namespace takt
