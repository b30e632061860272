#include "core/pictures/table_svg.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"

namespace takt {

namespace {

using TableJson = nlohmann::ordered_json;

constexpr double table_row = 19, widest_cell = 260;

std::string and_more(std::size_t all, std::size_t shown) {
  return fmt::format("and {} more, in the page", all - shown);
}

}  // namespace

Drawing svg_of_table(const TableJson& view) {
  constexpr std::size_t most_rows = 40;
  const TableJson &columns = view["columns"], &rows = view["rows"];
  const std::size_t shown = std::min(most_rows, rows.size());
  std::vector<double> widths;
  double width = 8;
  std::vector<std::vector<std::string>> texts(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto kind = static_cast<ColumnKind>(view["numbers"][c].get<int>());
    for (std::size_t r = 0; r < rows.size(); ++r)
      texts[c].push_back(cell_text(kind, rows[r][c].get<std::string>()));
    if (kind != ColumnKind::text) texts[c] = aligned(std::move(texts[c]));
  }
  const auto shown_text = [&](std::size_t row, std::size_t column) { return texts[column][row]; };
  for (std::size_t c = 0; c < columns.size(); ++c) {
    double widest = width_of(columns[c].get<std::string>());
    for (std::size_t r = 0; r < shown; ++r) widest = std::max(widest, width_of(shown_text(r, c)));
    widths.push_back(std::min(widest_cell, widest) + 2 * Picture::gap);
    width += widths.back();
  }
  Picture picture(std::max(width, chart_width));
  // Long cells have several lines.
  constexpr double line_height = 15;
  const auto draw_row = [&](double y, const auto& cell, std::string_view colour) {
    double x = 4, last = y;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const bool is_number = view["numbers"][c] != 0;
      double at = y - line_height;
      for (const std::string& line : lines_in(cell(c), widths[c] - Picture::gap))
        picture.text(is_number ? x + widths[c] - Picture::gap : x + Picture::gap, at += line_height,
                     is_number ? "end" : "start", line, colour);
      last = std::max(last, at);
      x += widths[c];
    }
    picture.line(4, last + 5, 4 + width - 8, last + 5, "grid");
    return last;
  };
  double y = draw_row(
      14, [&](std::size_t c) { return columns[c].get<std::string>(); }, "muted");
  for (std::size_t r = 0; r < shown; ++r)
    y = draw_row(
        y + table_row, [&](std::size_t c) { return shown_text(r, c); }, "ink");
  if (shown < rows.size())
    picture.text(4 + Picture::gap, y += table_row, "start", and_more(rows.size(), shown), "muted");
  return std::move(picture).drawn(y + 12);
}

Drawing svg_of_partitions(const TableJson& view) {
  constexpr std::size_t most_rows = 60;
  constexpr double strip_width = 720, strip_height = 18, row_height = 24;
  const TableJson& parts = view["parts"];
  const std::size_t count = parts["task"].size(), shown = std::min(most_rows, count);
  const bool has_frames =
      std::ranges::any_of(parts["frame"], [](const TableJson& each) { return each != 0; });
  double left = 60;
  std::vector<std::string> names;
  for (std::size_t r = 0; r < shown; ++r) {
    std::string name = parts["task"][r].get<std::string>();
    if (has_frames) name = fmt::format("{}.{}", parts["frame"][r].dump(), name);
    names.push_back(shortened_to(name, 160));
    left = std::max(left, width_of(names.back()) + 2 * Picture::gap);
  }
  Picture picture(left + strip_width + 140);
  double y = 6;
  for (std::size_t r = 0; r < shown; ++r, y += row_height) {
    picture.text(left - Picture::gap, y + 13, "end", names[r]);
    const TableJson& group = parts["group"][r];
    const double wide = strip_width / static_cast<double>(group.size());
    for (std::size_t block = 0; block < group.size(); ++block) {
      const auto processor = group[block].get<std::size_t>();
      const double x = left + wide * static_cast<double>(block);
      picture.begin_group(
          fmt::format("{}: block {} of {} is on P{}", names[r], block + 1, group.size(), processor));
      picture.box(x, y, wide > 4 ? wide - 1 : wide, strip_height, pale_colour_of(processor));
      if (const std::string label = fmt::format("P{}", processor); width_of(label) + 2 <= wide)
        picture.text(x + wide / 2, y + 13, "middle", label, "ink", " font-size=\"11\"");
      picture.end_group();
    }
    picture.text(left + strip_width + 6, y + 13, "start",
                 view.value("unit", "ticks") == "ns"
                     ? bytes_text(parts["bytes"][r].get<double>())
                     : number_text(parts["bytes"][r].get<double>()) + " units",
                 "muted");
  }
  if (shown < count) {
    picture.text(left, y + 13, "start", and_more(count, shown), "muted");
    y += row_height;
  }
  return std::move(picture).drawn(y + 4);
}

}  // namespace takt
