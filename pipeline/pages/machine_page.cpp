#include "pipeline/pages/machine_page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/levels_view.hpp"
#include "core/pictures/waterfall_view.hpp"
#include "pipeline/pages/calibration_page.hpp"

namespace takt::pipeline {

namespace {

/// Message size of the pictures' costs.
constexpr Bytes usual_size{1024};

std::string costs_text(const logp::LinkCosts& costs) {
  const auto both = [](Time a, Time b) {
    return a == b ? takt::to_string(a) : fmt::format("{} / {}", takt::to_string(a), takt::to_string(b));
  };
  return fmt::format("L {}, o {}, g {}", takt::to_string(costs.latency.at(usual_size)),
                     both(costs.send_overhead.at(usual_size), costs.receive_overhead.at(usual_size)),
                     both(costs.send_gap.at(usual_size), costs.receive_gap.at(usual_size)));
}

std::string speed_text(const Platform& platform, const std::vector<std::size_t>& processors) {
  double least = platform.speeds[processors.front()], most = least;
  for (const std::size_t p : processors) {
    least = std::min(least, platform.speeds[p]);
    most = std::max(most, platform.speeds[p]);
  }
  if (least == 1 && most == 1) return "";
  return least == most ? fmt::format(", speed {:.4g}", least)
                       : fmt::format(", speeds {:.4g} to {:.4g}", least, most);
}

/// logp::Machine, clusters, nodes.
class Levels {
 public:
  explicit Levels(const logp::Machine& machine) : machine_(machine), platform_(machine.platform()) {
    for (std::size_t p = 0; p < platform_.processor_count(); ++p)
      processors_[platform_.cluster_of_node[platform_.node_of[p]]][platform_.node_of[p]].push_back(p);
  }

  std::vector<LevelBox> boxes() && {
    std::optional<std::size_t> root;
    if (processors_.size() > 1) {
      root = 0;
      nodes_.push_back(
          {fmt::format("{} clusters, {} processors", processors_.size(), platform_.processor_count()),
           costs_text(machine_.costs(Level::wide)),
           {}});
    }
    for (const auto& [cluster, nodes] : processors_) add_cluster(cluster, nodes, root);
    return std::move(nodes_);
  }

 private:
  using Nodes = std::map<std::uint32_t, std::vector<std::size_t>>;

  void add_cluster(std::uint32_t cluster, const Nodes& nodes, std::optional<std::size_t> root) {
    std::vector<std::size_t> all;
    for (const auto& [node, processors] : nodes) all.insert(all.end(), processors.begin(), processors.end());
    const std::string name = cluster < platform_.cluster_names.size() ? platform_.cluster_names[cluster]
                             : processors_.size() > 1                 ? fmt::format("cluster {}", cluster)
                                                                      : "machine";
    const logp::LinkCosts& between = costs_within(cluster);
    const std::size_t at = nodes_.size();
    nodes_.push_back(
        {fmt::format("{}: {} node{}, {} processor{}{}", name, nodes.size(), nodes.size() == 1 ? "" : "s",
                     all.size(), all.size() == 1 ? "" : "s", speed_text(platform_, all)),
         nodes.size() > 1 ? costs_text(between) : "", root});
    // With many nodes, one represents all equal ones.
    constexpr std::size_t most_nodes = 16;
    if (nodes.size() <= most_nodes) {
      for (const auto& [node, processors] : nodes) add_nodes(1, processors, at);
      return;
    }
    std::map<std::pair<std::size_t, std::string>, std::vector<const std::vector<std::size_t>*>> alike;
    for (const auto& [node, processors] : nodes)
      alike[{processors.size(), speed_text(platform_, processors)}].push_back(&processors);
    for (const auto& [kind, members] : alike) {
      std::vector<std::size_t> processors;
      for (const std::vector<std::size_t>* each : members)
        processors.insert(processors.end(), each->begin(), each->end());
      std::ranges::sort(processors);
      add_nodes(members.size(), processors, at);
    }
  }

  void add_nodes(std::size_t count, const std::vector<std::size_t>& processors, std::size_t cluster) {
    const std::size_t each = processors.size() / count;
    std::string name = ranges_text(processors);
    constexpr std::size_t longest = 40;
    if (name.size() > longest) name = fmt::format("{} processors", processors.size());
    if (count > 1)
      name = fmt::format("{} nodes of {} processor{}: {}", count, each, each == 1 ? "" : "s", name);
    nodes_.push_back({name, each > 1 ? costs_text(machine_.costs(Level::node)) : "", cluster});
  }

  /// Returns the costs between the nodes of a cluster.
  [[nodiscard]] const logp::LinkCosts& costs_within(std::uint32_t cluster) {
    own_ = machine_.cluster_costs();
    const auto found = std::ranges::find_if(
        own_, [&](const logp::ClusterCosts& each) { return each.from == cluster && each.to == cluster; });
    return found == own_.end() ? machine_.costs(Level::cluster) : found->costs;
  }

  const logp::Machine& machine_;
  const Platform& platform_;
  std::map<std::uint32_t, Nodes> processors_;
  std::vector<logp::ClusterCosts> own_;
  std::vector<LevelBox> nodes_;
};

View cost_table(const logp::Machine& machine) {
  nlohmann::ordered_json table{
      {"kind", "table"},
      {"name", "Costs of messages"},
      {"says",
       "By kind of pair and size: L latency, o overhead at the ends, g gap between two messages of a "
       "processor."},
      {"columns", {"pairs", "how many", "size", "L", "o send", "o receive", "g send", "g receive"}},
      {"numbers", {0, 1, 4, 2, 2, 2, 2, 2}},
      {"rows", nlohmann::ordered_json::array()}};
  constexpr const char* levels[] = {"of one processor", "inside a node", "between nodes", "between clusters"};
  const std::span<const logp::CostKind> kinds = machine.kinds();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    if (kinds[kind].pairs <= 0) continue;
    const logp::LinkCosts& costs = kinds[kind].costs;
    std::set<std::string> seen;
    for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{1024}, std::uint64_t{1048576}}) {
      std::vector<std::string> row;
      for (const logp::Cost* cost : {&costs.latency, &costs.send_overhead, &costs.receive_overhead,
                                     &costs.send_gap, &costs.receive_gap})
        row.push_back(fmt::format("{}", cost->at(Bytes{bytes}).count()));
      // Rows that do not depend on the size appear once.
      if (!seen.insert(fmt::format("{}", fmt::join(row, " "))).second) continue;
      row.insert(row.begin(), {kind < level_count ? levels[kind] : "of their own",
                               fmt::format("{:.0f}", kinds[kind].pairs), fmt::format("{}", bytes)});
      table["rows"].push_back(row);
    }
  }
  return table.dump();
}

/// Returns a time between each pair of processors.
using TimeBetween = Time (*)(const logp::Machine&, ProcessorId from, ProcessorId to, Bytes size);

/// Returns a matrix of clusters or, if pairs differ or with `is_of_processors`, of processors.
std::vector<View> matrix(const logp::Machine& machine, const std::string& name, const std::string& what,
                         TimeBetween time, Bytes size, bool is_of_processors = false) {
  const Platform& platform = machine.platform();
  const bool has_pairs = is_of_processors || !machine.pair_costs().empty();
  if (!has_pairs && machine.cluster_costs().empty()) return {};
  // One processor of each cluster, or all of them; clusters of one processor have no inner pairs.
  std::vector<std::pair<ProcessorId, ProcessorId>> ends;
  if (has_pairs)
    for (const ProcessorId p : machine.processors()) ends.emplace_back(p, p);
  else
    for (std::uint32_t cluster = 0; cluster < platform.cluster_count(); ++cluster) {
      std::vector<ProcessorId> own;
      for (const ProcessorId p : machine.processors())
        if (platform.cluster(p) == cluster &&
            (own.empty() || platform.node_of[own.front().index()] != platform.node_of[p.index()]))
          own.push_back(p);
      if (!own.empty()) ends.emplace_back(own.front(), own.back());
    }
  std::string names;
  for (std::size_t i = 0; !has_pairs && i < platform.cluster_names.size(); ++i)
    names += fmt::format("{}{} {}", i == 0 ? "; " : ", ", i, platform.cluster_names[i]);
  constexpr std::size_t most_ends = 512;
  if (ends.size() > most_ends) return {};
  WaterfallPicture picture{
      .name = name,
      .says = fmt::format("{} of {} from each {} to each{}.", what, takt::to_string(size),
                          has_pairs ? "processor" : "cluster", names),
      .x = has_pairs ? "to processor" : "to cluster",
      .y = has_pairs ? "from processor" : "from cluster",
      .unit = "us",
      .rows = ends.size(),
      .columns = ends.size(),
      .values = {},
      .first_x = -0.5,
      .last_x = static_cast<double>(ends.size()) - 0.5,
      .first_y = -0.5,
      .last_y = static_cast<double>(ends.size()) - 0.5};
  for (const auto& [from, from_other] : ends)
    for (const auto& [to, to_other] : ends) {
      const ProcessorId end = from == to ? to_other : to;
      picture.values.push_back(
          from == end ? std::nan("") : static_cast<double>(time(machine, from, end, size).count()) / 1e3);
    }
  return {waterfall_view(std::move(picture))};
}

std::vector<View> message_matrices(const logp::Machine& machine) {
  if (std::ranges::count_if(machine.kinds(), [](const logp::CostKind& kind) { return kind.pairs > 0; }) < 2)
    return {};
  const auto lone = [](const logp::Machine& of, ProcessorId from, ProcessorId to, Bytes size) {
    return of.send_overhead(from, to, size) + of.latency(from, to, size) +
           of.receive_overhead(from, to, size);
  };
  std::vector<View> views;
  for (const Bytes size : {usual_size, Bytes{1 << 20}})
    for (View& each : matrix(machine, "Messages of " + takt::to_string(size), "o + L + o", lone, size, true))
      views.push_back(std::move(each));
  return views;
}

}  // namespace

Network picture_of(const logp::Machine& machine) {
  const Platform& platform = machine.platform();
  return platform.network.empty() ? complete_network(platform.cluster_of_node.size()) : platform.network;
}

Page machine_page(const std::string& name, const logp::Machine& machine) {
  const Platform& platform = machine.platform();
  const std::size_t nodes = platform.cluster_of_node.size();
  Page page{.title = name,
            .says = "A machine under the LogP model.",
            .facts = {{"processors", fmt::format("{}", platform.processor_count()), ""},
                      {"nodes", fmt::format("{}", nodes), ""},
                      {"clusters", fmt::format("{}", platform.cluster_count()), ""}},
            .views = {}};
  constexpr std::size_t most_nodes = 64;
  if (!platform.network.empty() || (nodes > 1 && nodes <= most_nodes && platform.cluster_count() == 1))
    page.views.push_back(network_view(picture_of(machine)));
  page.views.push_back(levels_view(
      "Levels",
      fmt::format("Clusters, nodes and processors; each box shows L, o and g of a message of {} within it.",
                  takt::to_string(usual_size)),
      Levels(machine).boxes()));
  const auto latency = [](const logp::Machine& of, ProcessorId from, ProcessorId to, Bytes size) {
    return of.latency(from, to, size);
  };
  for (View& each : matrix(machine, "Latencies", "L", latency, usual_size))
    page.views.push_back(std::move(each));
  page.views.push_back(cost_table(machine));
  return page;
}

Page measured_machine_page(const std::string& name, const logp::Machine& machine,
                           const nlohmann::ordered_json& calibration) {
  Page page = machine_page(name, machine);
  CalibrationPage measured = calibration_page(calibration);
  for (View& matrix : message_matrices(machine)) measured.views.push_back(std::move(matrix));
  page.says = measured.says;
  page.facts.insert(page.facts.end(), measured.facts.begin(), measured.facts.end());
  page.views.insert(page.views.begin(), measured.views.begin(), measured.views.end());
  return page;
}

}  // namespace takt::pipeline
