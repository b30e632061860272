#include "core/pictures/graph_svg.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/pictures/graph_drawing.hpp"
#include "core/pictures/palette.hpp"
#include "core/pictures/picture.hpp"

namespace takt {

namespace {

constexpr double graph_margin = 20;
/// With more edges their sizes are a carpet.
constexpr std::size_t most_sizes = 120;

class GraphPicture {
 public:
  GraphPicture(const TaskGraph& graph, std::span<const ProcessorId> processors)
      : graph_(graph),
        processors_(processors),
        drawing_(draw(graph)),
        picture_(drawing_.layout.width + 2 * graph_margin) {}

  std::string draw_all() && {
    for (const EdgeId edge : graph_.edges()) draw_edge(edge);
    for (const TaskId task : graph_.tasks()) draw_task(task);
    const double bottom = drawing_.layout.height + 2 * graph_margin;
    ChartLegend legend;
    for (const ProcessorId processor : processors_)
      while (legend.size() <= std::min(processor.index(), series_colours - 1))
        legend.push_back(fmt::format("P{}", legend.size()));
    return std::move(picture_).finished(picture_.legend(legend, bottom - graph_margin / 2) + 4);
  }

 private:
  [[nodiscard]] PicturePoint place(TaskId task) const {
    const PicturePoint& node = drawing_.layout.nodes[task.index()];
    return {node.x + graph_margin, node.y + graph_margin / 2};
  }

  void draw_edge(EdgeId id) {
    const Edge& edge = graph_.edge(id);
    PicturePoint last = place(edge.from);
    last.y += GraphDrawing::node_height / 2;
    std::string commands = fmt::format("M{:.1f} {:.1f}", last.x, last.y);
    const auto curve_to = [&](PicturePoint next) {
      const double half = (last.y + next.y) / 2;
      commands += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", last.x, half, next.x, half,
                              next.x, next.y);
      last = next;
    };
    for (const PicturePoint& bend : drawing_.layout.bends_of(id.index()))
      curve_to({bend.x + graph_margin, bend.y + graph_margin / 2});
    PicturePoint end = place(edge.to);
    end.y -= GraphDrawing::node_height / 2;
    const PicturePoint before = last;
    curve_to(end);
    const bool is_critical = drawing_.critical_edges[id.index()];
    const std::string_view colour = is_critical ? "ink" : "muted";
    picture_.begin_group(
        fmt::format("{} -> {}: {}", graph_.task(edge.from).name, graph_.task(edge.to).name, edge.size.count));
    picture_.path(commands, colour, is_critical ? " stroke-width=\"2.5\"" : " stroke-opacity=\"0.7\"");
    // The head of the arrow.
    picture_.path(fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}", end.x - 3.5, end.y - 7, end.x,
                              end.y, end.x + 3.5, end.y - 7),
                  colour);
    if (graph_.edge_count() <= most_sizes && edge.size.count > 0)
      // A third of the way down: in the middle edges cross.
      picture_.text(before.x + 0.28 * (end.x - before.x) + 3, before.y + 0.38 * (end.y - before.y) + 4,
                    "start", fmt::format("{}", edge.size.count), "muted", " font-size=\"10\"");
    picture_.end_group();
  }

  void draw_task(TaskId id) {
    const Task& task = graph_.task(id);
    const PicturePoint at = place(id);
    const double width = drawing_.widths[id.index()], height = GraphDrawing::node_height;
    const double left = at.x - width / 2, top = at.y - height / 2;
    const bool has_processor = !processors_.empty();
    std::string title = fmt::format("{}: work {}", task.name, task.work.count());
    if (has_processor) title += fmt::format(", on P{}", processors_[id.index()].index());
    picture_.begin_group(title);
    picture_.box(left, top, width, height, "card");
    if (has_processor)
      picture_.box(left, top, width, height, colour_of(processors_[id.index()].index()),
                   " fill-opacity=\"0.35\"");
    picture_.path(
        fmt::format("M{0:.1f} {1:.1f}H{2:.1f}V{3:.1f}H{0:.1f}Z", left, top, left + width, top + height),
        drawing_.critical_tasks[id.index()] ? "ink" : "muted",
        drawing_.critical_tasks[id.index()] ? " stroke-width=\"2.5\"" : "");
    const bool has_work = task.work > Time{0};
    picture_.text(at.x, at.y + (has_work ? -2 : 4), "middle", drawing_.labels[id.index()]);
    std::string second = has_work ? fmt::format("{}", task.work.count()) : "";
    if (has_processor && has_work) second += fmt::format(" P{}", processors_[id.index()].index());
    if (has_work) picture_.text(at.x, at.y + 12, "middle", second, "muted", " font-size=\"10\"");
    picture_.end_group();
  }

  const TaskGraph& graph_;
  std::span<const ProcessorId> processors_;
  GraphDrawing drawing_;
  Picture picture_;
};

}  // namespace

std::string graph_to_svg(const TaskGraph& graph, std::span<const ProcessorId> processors) {
  return picture_file(GraphPicture(graph, processors).draw_all());
}

std::vector<ProcessorId> processors_of(const Schedule& schedule, const TaskGraph& graph) {
  std::vector<ProcessorId> processors(graph.task_count());
  for (std::size_t p = schedule.processors.size(); p-- > 0;)
    for (const Operation& operation : schedule.processors[p])
      if (operation.kind == OperationKind::compute) processors[operation.subject] = ProcessorId(p);
  return processors;
}

}  // namespace takt
