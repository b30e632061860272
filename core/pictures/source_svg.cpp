#include "core/pictures/source_svg.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/formats/json.hpp"
#include "core/pictures/graph_svg.hpp"

namespace takt {

Drawing svg_of_source(const nlohmann::ordered_json& view) {
  constexpr double letter = 7.2, line = 16;
  constexpr std::string_view font =
      " font-family=\"ui-monospace, monospace\" font-size=\"12\" xml:space=\"preserve\"";
  const Drawing graph = svg_of_graph(view["graph"]);
  // The text's extent is needed before it is drawn.
  std::size_t columns = 0, column = 0, lines = 1;
  for (const auto& part : view["parts"]["text"])
    for (const char each : part.get<std::string>()) {
      column = each == '\n' ? 0 : column + 1;
      columns = std::max(columns, column);
      lines += each == '\n' ? 1 : 0;
    }
  const double width = static_cast<double>(columns) * letter + 24;
  Picture picture(width + graph.width);
  double x = 4, y = line;
  for (std::size_t i = 0; i < view["parts"]["text"].size(); ++i) {
    const std::string text = view["parts"]["text"][i].get<std::string>();
    const int access = view["parts"]["access"][i].get<int>();
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view piece = std::string_view(text).substr(begin, end - begin);
      const double right = x + static_cast<double>(piece.size()) * letter;
      if (!piece.empty()) {
        picture.text(x, y, "start", piece, "ink", font);
        if (access > 0)
          picture.line(x, y + 3, right, y + 3, access == 1 ? "c0" : access == 4 ? "muted" : "c1");
      }
      x = right;
      if (end == text.size()) break;
      begin = end + 1;
      x = 4;
      y += line;
    }
  }
  picture.place(width, 0, graph);
  return std::move(picture).drawn(std::max(static_cast<double>(lines) * line + 8, graph.height));
}

}  // namespace takt
