#include "core/pictures/decisions_view.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/graphs/levels.hpp"

namespace takt {

namespace {

using Json = nlohmann::ordered_json;

/// Clusters precede processors, as they are decided first.
using PlaceKey = std::pair<bool, std::uint32_t>;
PlaceKey key_of(const Decision& decision) {
  return {!decision.is_cluster, decision.place};
}

/// Returns, for each decision, the one that supersedes it: the task's next one of the same kind; the number
/// of decisions if there is none.
std::vector<std::size_t> successors(std::span<const Decision> decisions, std::size_t task_count) {
  std::vector<std::size_t> next(decisions.size(), decisions.size());
  std::vector<std::size_t> seen[2];
  for (std::vector<std::size_t>& each : seen) each.resize(task_count, decisions.size());
  for (std::size_t i = decisions.size(); i-- > 0;)
    next[i] = std::exchange(seen[decisions[i].is_cluster ? 1 : 0][decisions[i].task.index()], i);
  return next;
}

Json tasks_of(const TaskGraph& graph) {
  const std::vector<std::size_t> layers = layers_of(graph);
  Json tasks{{"name", Json::array()}, {"layer", layers}, {"stream", std::vector<int>(graph.task_count(), 0)}};
  for (const TaskId task : graph.tasks()) tasks["name"].push_back(graph.task(task).name);
  return tasks;
}

}  // namespace

View decisions_view(std::span<const Decision> decisions, const TaskGraph& graph, std::string_view unit) {
  std::map<PlaceKey, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < decisions.size(); ++i) places[key_of(decisions[i])].push_back(i);
  const bool has_clusters = !places.empty() && !places.begin()->first.first;
  const bool has_processors = !places.empty() && places.rbegin()->first.first;
  Json rows{{"name", Json::array()}, {"group", Json::array()}, {"boxes", Json::array()}};
  Json box{{"gap", Json::array()},
           {"len", Json::array()},
           {"kind", Json::array()},
           {"subject", Json::array()},
           {"instance", Json::array()}};
  Json steps{{"from", Json::array()}, {"to", Json::array()}, {"says", Json::array()}};
  const std::vector<std::size_t> next = successors(decisions, graph.task_count());
  for (auto& [place, list] : places) {
    rows["name"].push_back(fmt::format("{}{}", place.first ? 'P' : 'C', place.second));
    rows["group"].push_back(has_clusters && place.first ? 1 : 0);
    rows["boxes"].push_back(list.size());
    std::ranges::sort(list, {}, [&](std::size_t i) { return std::tuple(decisions[i].start, i); });
    Time last{0};
    for (const std::size_t i : list) {
      const Decision& decision = decisions[i];
      box["gap"].push_back((decision.start - last).count());
      box["len"].push_back((decision.end - decision.start).count());
      box["kind"].push_back(0);
      box["subject"].push_back(decision.task.index());
      box["instance"].push_back(0);
      steps["from"].push_back(i);
      steps["to"].push_back(next[i]);
      last = decision.end;
    }
  }
  for (const Decision& decision : decisions) steps["says"].push_back(decision.reason);
  Json groups{{"name", Json::array()}, {"repetition", Json::array()}, {"replicas", Json::array()}};
  for (const auto& [is_there, name] : {std::pair(has_clusters, "clusters"), {has_processors, "processors"}}) {
    if (!is_there) continue;
    groups["name"].push_back(name);
    groups["repetition"].push_back(0);
    groups["replicas"].push_back(1);
  }
  const Json view{{"kind", "gantt"},
                  {"name", "Placement"},
                  {"says", "The scheduler's decisions, step by step, with the times of its own model."},
                  {"unit", unit},
                  {"groups", groups},
                  {"rows", rows},
                  {"tasks", tasks_of(graph)},
                  {"streams", {""}},
                  {"box", box},
                  {"messages",
                   {{"send", Json::array()},
                    {"receive", Json::array()},
                    {"bytes", Json::array()},
                    {"name", Json::array()},
                    {"id", Json::array()}}},
                  {"steps", steps}};
  return view.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace takt
