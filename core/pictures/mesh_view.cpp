#include "core/pictures/mesh_view.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/formats/json.hpp"

namespace takt {

namespace {

using MeshJson = nlohmann::ordered_json;

/// Draws one mesh, as wide or high as given, once for each partition.
class MeshPicture {
 public:
  MeshPicture(const MeshJson& view, double size) : sides_(view["sides"]) {
    const auto x = view["corners"]["x"].get<std::vector<double>>();
    const auto y = view["corners"]["y"].get<std::vector<double>>();
    const auto [left, right] = std::ranges::minmax(x);
    const auto [bottom, top] = std::ranges::minmax(y);
    const double scale = size / std::max(right - left, top - bottom);
    height_ = scale * (top - bottom);
    const double margin = (size - scale * (right - left)) / 2;
    for (std::size_t i = 0; i < x.size(); ++i)
      corners_.push_back({margin + scale * (x[i] - left), scale * (top - y[i])});
    std::size_t at = 0;
    for (const MeshJson& count : view["cells"]["count"]) {
      Cell& cell = cells_.emplace_back();
      for (std::size_t i = count.get<std::size_t>(); i > 0; --i)
        cell.corners.push_back(view["cells"]["corners"][at++].get<std::size_t>());
      place(cell);
    }
  }

  [[nodiscard]] double height() const { return height_; }

  void draw(Picture& picture, const MeshJson& partition, double left, double top) const {
    const auto owner = partition["owner"].get<std::vector<std::size_t>>();
    std::vector<std::string> areas(partition["load"].size());
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      char command = 'M';
      for (const std::size_t corner : cells_[i].corners) {
        areas[owner[i]] += at(command, corner, left, top);
        command = 'L';
      }
      areas[owner[i]] += 'Z';
    }
    for (std::size_t p = 0; p < areas.size(); ++p) {
      picture.begin_group(fmt::format("P{}: {} cells", p, partition["load"][p].get<std::size_t>()));
      picture.raw(
          fmt::format("<path d=\"{}\" class=\"f-{}\" stroke=\"none\"/>\n", areas[p], pale_colour_of(p)));
      picture.end_group();
    }
    std::string cut;
    for (std::size_t i = 0; i < sides_["a"].size(); ++i)
      if (owner[sides_["a"][i].get<std::size_t>()] != owner[sides_["b"][i].get<std::size_t>()])
        cut += at('M', sides_["from"][i].get<std::size_t>(), left, top) +
               at('L', sides_["to"][i].get<std::size_t>(), left, top);
    if (!cut.empty()) picture.path(cut, "ink", " stroke-width=\"1.5\"");
    write_names(picture, owner, areas.size(), left, top);
  }

 private:
  struct Cell {
    std::vector<std::size_t> corners;
    MeshPoint centre;
    /// The smaller one of width and height.
    double size = 0;
  };

  void place(Cell& cell) const {
    double left = corners_[cell.corners[0]].x, right = left, top = corners_[cell.corners[0]].y, bottom = top;
    for (const std::size_t corner : cell.corners) {
      const auto [x, y] = corners_[corner];
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = std::max(bottom, y);
      cell.centre.x += x / static_cast<double>(cell.corners.size());
      cell.centre.y += y / static_cast<double>(cell.corners.size());
    }
    cell.size = std::min(right - left, bottom - top);
  }
  [[nodiscard]] std::string at(char command, std::size_t corner, double left, double top) const {
    return fmt::format("{}{:.1f} {:.1f}", command, left + corners_[corner].x, top + corners_[corner].y);
  }

  /// Names each processor in its largest cell, of equal ones in that nearest to the middle of all, unless
  /// another name is there.
  void write_names(Picture& picture, const std::vector<std::size_t>& owner, std::size_t processors,
                   double left, double top) const {
    std::vector<MeshPoint> middle(processors);
    std::vector<double> count(processors);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      middle[owner[i]].x += cells_[i].centre.x;
      middle[owner[i]].y += cells_[i].centre.y;
      ++count[owner[i]];
    }
    const auto rank = [&](std::size_t i) {
      const auto [x, y] = middle[owner[i]];
      const double cells = count[owner[i]];
      return std::pair(-std::round(cells_[i].size),
                       std::hypot(cells_[i].centre.x - x / cells, cells_[i].centre.y - y / cells));
    };
    std::vector<std::optional<std::size_t>> best(processors);
    for (std::size_t i = 0; i < cells_.size(); ++i)
      if (auto& own = best[owner[i]]; !own || rank(i) < rank(*own)) own = i;
    constexpr double wide = 28, high = 14;
    std::vector<MeshPoint> named;
    for (std::size_t p = 0; p < processors; ++p) {
      if (!best[p]) continue;
      const auto [x, y] = cells_[*best[p]].centre;
      if (std::ranges::any_of(named, [x = x, y = y](const MeshPoint& other) {
            return std::abs(x - other.x) < wide && std::abs(y - other.y) < high;
          }))
        continue;
      named.push_back({x, y});
      picture.text(left + x, top + y + 4, "middle", fmt::format("P{}", p));
    }
  }

  std::vector<MeshPoint> corners_;
  std::vector<Cell> cells_;
  const MeshJson& sides_;
  double height_ = 0;
};

}  // namespace

View mesh_view(const Mesh& mesh, std::span<const Partition> partitions, std::size_t processors) {
  MeshJson view{
      {"kind", "mesh"},
      {"name", "Mesh"},
      {"says", fmt::format("The cells of each of {} processors; thick lines are sides between two of them.",
                           processors)}};
  const auto columns = [&](const char* name, std::initializer_list<const char*> keys) -> MeshJson& {
    for (const char* key : keys) view[name][key] = MeshJson::array();
    return view[name];
  };
  MeshJson& corners = columns("corners", {"x", "y"});
  for (const MeshPoint& each : mesh.corners) {
    corners["x"].push_back(each.x);
    corners["y"].push_back(each.y);
  }
  MeshJson& cells = columns("cells", {"count"});
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell)
    cells["count"].push_back(mesh.corners_of(cell).size());
  cells["corners"] = mesh.cell_corners;
  MeshJson& sides = columns("sides", {"a", "b", "from", "to"});
  for (const MeshSide& side : mesh.sides) {
    sides["a"].push_back(side.a);
    sides["b"].push_back(side.b);
    sides["from"].push_back(side.from);
    sides["to"].push_back(side.to);
  }
  view["columns"] = mesh.columns;
  view["partitions"] = MeshJson::array();
  for (const Partition& partition : partitions) {
    MeshJson entry{{"name", partition.name}, {"says", partition.says}, {"owner", partition.owner}};
    for (const char* key : {"load", "cut", "sent", "partners"}) entry[key] = MeshJson::array();
    for (const PartFigures& each : figures_of(mesh, partition.owner, processors).processors) {
      entry["load"].push_back(each.cells);
      entry["cut"].push_back(each.cut_sides);
      entry["sent"].push_back(each.sent);
      entry["partners"].push_back(each.partners);
    }
    view["partitions"].push_back(std::move(entry));
  }
  return view.dump(-1, ' ', false, MeshJson::error_handler_t::replace);
}

Drawing svg_of_mesh(const MeshJson& view) {
  constexpr double width = 300, gap = 24, heading = 22;
  constexpr std::size_t in_a_row = 3;
  const MeshPicture mesh(view, width);
  const MeshJson& partitions = view["partitions"];
  const std::size_t across = std::min(in_a_row, partitions.size());
  const std::size_t down = (partitions.size() + across - 1) / across;
  const double step = mesh.height() + heading + gap;
  Picture picture(static_cast<double>(across) * (width + gap));
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const double left = gap / 2 + static_cast<double>(i % across) * (width + gap);
    const double top = static_cast<double>(i / across) * step;
    picture.text(left, top + 14, "start", partitions[i]["name"].get<std::string>(), "ink",
                 " font-weight=\"600\"");
    mesh.draw(picture, partitions[i], left, top + heading);
  }
  return std::move(picture).drawn(static_cast<double>(down) * step);
}

}  // namespace takt
