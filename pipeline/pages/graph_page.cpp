#include "pipeline/pages/graph_page.hpp"

#include <fmt/format.h>

#include "core/pictures/figure_text.hpp"
#include "core/pictures/graph_view.hpp"

namespace takt::pipeline {

Page graph_page(const std::string& title, const TaskGraph& graph, std::string_view unit) {
  Page page{.title = title,
            .says = "What is done to one frame.",
            .facts = {{"tasks", fmt::format("{}", graph.task_count()), ""},
                      {"edges", fmt::format("{}", graph.edge_count()), ""}},
            .views = {}};
  if (!graph.is_undirected()) page.views.push_back(graph_view(graph, {}, unit));
  // The work of an unmeasured pipeline is unknown.
  if (const std::int64_t work = graph.total_work().count(); work > 0)
    page.facts.push_back({"work",
                          unit == "ns" ? time_text(static_cast<double>(work))
                                       : number_text(static_cast<double>(work)) + " ticks",
                          "of all tasks"});
  if (graph.is_undirected() || graph.task_count() <= most_interactions)
    page.views.push_back(interaction_view(graph, {}, unit));
  return page;
}

}  // namespace takt::pipeline
