#include "pipeline/pages/mesh_page.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/meshes/partition.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/mesh_view.hpp"

namespace takt::pipeline {

namespace {

std::vector<Partition> checked_partitions(const Mesh& mesh, std::size_t processors) {
  if (processors < 1 || processors > mesh.cell_count())
    throw ConfigError(fmt::format("--processors {}: expected 1 to {}, the number of cells of the mesh",
                                  processors, mesh.cell_count()));
  return partitions_of(mesh, processors);
}

View figures_view(const Mesh& mesh, const std::vector<Partition>& partitions, std::size_t processors) {
  nlohmann::ordered_json view{
      {"kind", "table"},
      {"name", "Partitions"},
      {"says", "A step in which each cell needs its neighbours' values. A value goes to a processor once."},
      {"columns",
       {"partition", "largest load", "over the mean", "cut sides", "values sent", "messages",
        "most partners"}},
      {"numbers", nlohmann::ordered_json::array()},
      {"rows", nlohmann::ordered_json::array()}};
  for (std::size_t i = 0; i < view["columns"].size(); ++i)
    view["numbers"].push_back(static_cast<int>(i == 0 ? ColumnKind::text : ColumnKind::number));
  for (const Partition& each : partitions) {
    const PartitionFigures figures = figures_of(mesh, each.owner, processors);
    const std::size_t partners = std::ranges::max(figures.processors, {}, &PartFigures::partners).partners;
    view["rows"].push_back({each.name, fmt::format("{}", figures.largest_load()),
                            fmt::format("{:.3f}", figures.imbalance()), fmt::format("{}", figures.cut_sides),
                            fmt::format("{}", figures.sent), fmt::format("{}", figures.messages),
                            fmt::format("{}", partners)});
  }
  return view.dump();
}

}  // namespace

Page mesh_page(const std::string& title, const Mesh& mesh, std::size_t processors) {
  const std::vector<Partition> partitions = checked_partitions(mesh, processors);
  const std::string kind =
      mesh.is_structured() ? fmt::format("{} x {}", mesh.rows, mesh.columns) : "unstructured";
  return {
      .title = title,
      .says = "A mesh, and its partitions onto processors.",
      .facts = {{"cells", fmt::format("{}", mesh.cell_count()), kind},
                {"common sides", fmt::format("{}", mesh.sides.size()), "of two cells, which are neighbours"},
                {"processors", fmt::format("{}", processors), "--processors"}},
      .views = {mesh_view(mesh, partitions, processors), figures_view(mesh, partitions, processors)}};
}

std::string mesh_to_csv(const Mesh& mesh, std::size_t processors) {
  const std::vector<Partition> partitions = checked_partitions(mesh, processors);
  std::string text = "cell,x,y";
  for (const Partition& each : partitions) text += "," + each.name;
  const auto out = std::back_inserter(text);
  for (std::size_t cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto [x, y] = mesh.centre_of(cell);
    fmt::format_to(out, "\n{},{},{}", cell, x, y);
    for (const Partition& each : partitions) fmt::format_to(out, ",{}", each.owner[cell]);
  }
  return text + "\n";
}

}  // namespace takt::pipeline
