#include "core/pictures/heat_map.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/pictures/picture.hpp"

namespace takt {

std::string to_svg(const HeatMap& map) {
  constexpr double cell_height = 22, least_width = 26, slant = 0.7, gap = Picture::gap;
  double label = 0, heading = 0, cell_width = least_width;
  for (const std::string& row : map.rows) label = std::max(label, width_of(row));
  for (const std::string& column : map.columns) heading = std::max(heading, width_of(column));
  for (const auto& row : map.cells)
    for (const HeatMap::Cell& cell : row) cell_width = std::max(cell_width, width_of(cell.text) + gap);
  const double left = label + 2 * gap, top = slant * heading + 2 * gap;
  const double bottom = top + cell_height * static_cast<double>(map.rows.size());
  Picture picture(left + cell_width * static_cast<double>(map.columns.size()) + slant * heading + gap);

  for (std::size_t j = 0; j < map.columns.size(); ++j)
    picture.turned_text(left + cell_width * (static_cast<double>(j) + 0.5) + 2, top - gap, -45, "start",
                        map.columns[j]);
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const double y = top + cell_height * static_cast<double>(i);
    picture.text(left - gap, y + cell_height / 2 + 4, "end", map.rows[i]);
    for (std::size_t j = 0; j < map.cells[i].size(); ++j) {
      const HeatMap::Cell& cell = map.cells[i][j];
      const double x = left + cell_width * static_cast<double>(j);
      const auto [colour, opacity] =
          !cell.strength   ? std::pair{"grid", 0.5}
          : cell.is_marked ? std::pair{"good", 0.3}
                           :  // Text on it has a contrast of 4.5 on light and on dark screens.
              std::pair{"heat", 0.04 + 0.46 * std::clamp(*cell.strength, 0.0, 1.0)};
      picture.begin_group(cell.title);
      picture.box(x + 1, y + 1, cell_width - 2, cell_height - 2, colour,
                  fmt::format(" rx=\"2\" fill-opacity=\"{:.2f}\"", opacity));
      picture.text(x + cell_width / 2, y + cell_height / 2 + 4, "middle", cell.text, "ink",
                   cell.is_marked ? " font-weight=\"600\" font-size=\"11\"" : " font-size=\"11\"");
      picture.end_group();
    }
  }
  return std::move(picture).finished(bottom + gap);
}

}  // namespace takt
