#include "pipeline/planning/places.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"

namespace takt::pipeline {

namespace {

using logp::HostProcessor;

bool is_named(const std::string& host, const std::string& name) {
  return host == name || host.substr(0, host.find('.')) == name;
}

class Finder {
 public:
  Finder(const Pipeline& pipeline, const std::vector<RankHost>& hosts) : pipeline_(pipeline), hosts_(hosts) {
    found_.ranks.resize(pipeline.stages.size());
    found_.processors.resize(hosts.size());
    const Pinning& pinning = pipeline.deployment.pinning;
    const std::size_t cores = pipeline.deployment.cores_per_rank.value_or(1);
    for (std::size_t rank = 0; is_listed() && rank < hosts.size(); ++rank)
      for (std::size_t i = rank * cores; i < (rank + 1) * cores; ++i)
        found_.processors[rank].push_back(pinning.processors.at(i));
  }

  RankPlaces find() {
    check_devices();
    std::vector<const Stage*> placed;
    for (const Stage& stage : pipeline_.stages)
      if (stage.place) placed.push_back(&stage);
    const auto all = [&](const auto& applies, auto&& work) {
      // Places with a rank come first: others take what is left.
      for (const bool has_rank : {true, false})
        for (const Stage* stage : placed)
          if (stage->place->rank.has_value() == has_rank && applies(*stage->place)) work(*stage);
    };
    all([](const Place& place) { return place.core.has_value(); },
        [&](const Stage& stage) { bind_to_core(stage); });
    all([](const Place& place) { return place.binds() && !place.core; },
        [&](const Stage& stage) { bind_to_part(stage); });
    if (found_.bind() && pipeline_.deployment.pinning.is_automatic && !is_listed()) share_remaining();
    for (const Stage* stage : placed) {
      std::vector<std::size_t>& ranks = found_.ranks[index_of(*stage)];
      ranks = ranks_of(*stage);
      if (ranks.size() == hosts_.size()) ranks.clear();
    }
    // The list in `pin` binds the ranks itself.
    if (is_listed()) found_.processors.assign(hosts_.size(), {});
    return std::move(found_);
  }

 private:
  /// A device that several tasks share is on one host.
  void check_devices() const {
    const bool is_one_host =
        std::ranges::all_of(hosts_, [&](const RankHost& host) { return host.node == hosts_.front().node; });
    for (const NamedDevice& device : pipeline_.deployment.devices)
      if (!is_one_host && device.tasks.size() > 1 && !device.rank && device.host.empty())
        throw ConfigError(device.where,
                          fmt::format("'deployment': device '{}': the ranks are on several hosts: "
                                      "expected its 'host' or 'rank'",
                                      device.name));
  }
  [[nodiscard]] bool is_listed() const { return !pipeline_.deployment.pinning.processors.empty(); }
  [[nodiscard]] std::size_t index_of(const Stage& stage) const {
    return static_cast<std::size_t>(&stage - pipeline_.stages.data());
  }
  [[noreturn]] void refuse(const Stage& stage, const std::string& why) const {
    throw ConfigError(
        stage.place->where,
        fmt::format("{} '{}': 'place': {}", stage.kind == StageKind::kernel ? "task" : name_of(stage.kind),
                    stage.name, why));
  }

  /// Returns the ranks with the number and the host of the place, at least one.
  [[nodiscard]] std::vector<std::size_t> candidates(const Stage& stage) const {
    const Place& place = *stage.place;
    if (place.rank && *place.rank >= hosts_.size())
      refuse(stage, fmt::format("there is no rank {}: expected 0 to {}", *place.rank, hosts_.size() - 1));
    std::vector<std::size_t> ranks;
    std::set<std::string> names;
    for (std::size_t rank = 0; rank < hosts_.size(); ++rank) {
      names.insert(hosts_[rank].name);
      if (!place.host.empty() && !is_named(hosts_[rank].name, place.host)) continue;
      if (!place.rank || *place.rank == rank) ranks.push_back(rank);
    }
    if (!ranks.empty()) return ranks;
    if (place.rank &&
        std::ranges::any_of(names, [&](const auto& name) { return is_named(name, place.host); }))
      refuse(stage, fmt::format("rank {} is on host '{}'", *place.rank, hosts_[*place.rank].name));
    refuse(stage,
           fmt::format("no rank is on host '{}': the ranks are on {}", place.host, fmt::join(names, ", ")));
  }

  [[nodiscard]] bool has(std::size_t rank, const auto& is_wanted) const {
    return std::ranges::any_of(hosts_[rank].processors, is_wanted);
  }
  [[nodiscard]] bool is_taken(std::size_t rank, std::size_t processor) const {
    for (std::size_t other = 0; other < hosts_.size(); ++other)
      if (hosts_[other].node == hosts_[rank].node &&
          std::ranges::count(found_.processors[other], processor) > 0)
        return true;
    return false;
  }
  [[nodiscard]] std::string numbers(std::size_t rank, std::size_t HostProcessor::*field) const {
    std::set<std::size_t> all;
    for (const HostProcessor& processor : hosts_[rank].processors) all.insert(processor.*field);
    return fmt::format("{}", fmt::join(all, ", "));
  }
  void expect_one_core_per_rank(const Stage& stage) const {
    if (pipeline_.deployment.cores_per_rank == std::size_t{1}) return;
    refuse(stage,
           "with 'cores_per_rank' above 1 or auto, a core, a type of cores or a NUMA node needs a list of "
           "processors in 'pin'");
  }

  void bind_to_core(const Stage& stage) {
    const std::size_t core = *stage.place->core;
    std::vector<std::size_t> ranks = candidates(stage);
    const std::size_t first = ranks.front();
    std::erase_if(ranks, [&](std::size_t rank) {
      return !has(rank, [&](const HostProcessor& each) { return each.number == core; });
    });
    if (ranks.empty())
      refuse(stage, fmt::format("host '{}' has no processor {} available to takt: it has {}",
                                hosts_[first].name, core, numbers(first, &HostProcessor::number)));
    const auto is_bound = [&](std::size_t rank) {
      return std::ranges::count(found_.processors[rank], core) > 0;
    };
    if (std::ranges::any_of(ranks, is_bound)) return;
    if (is_listed()) refuse(stage, fmt::format("'pin' binds no such rank to processor {}", core));
    expect_one_core_per_rank(stage);
    for (const std::size_t rank : ranks)
      if (found_.processors[rank].empty() && !is_taken(rank, core)) {
        found_.processors[rank] = {core};
        return;
      }
    refuse(stage,
           fmt::format("no rank is left for processor {}: other places take it, or the ranks of '{}' that "
                       "may run the stage",
                       core, hosts_[ranks.front()].name));
  }

  /// A part of a host: its processors of a NUMA node, and of a type.
  struct Part {
    std::optional<std::size_t> node;
    std::string type;
    [[nodiscard]] bool has(const HostProcessor& processor) const {
      return (!node || processor.numa == *node) && (type.empty() || processor.type == type);
    }
    [[nodiscard]] std::string to_string() const {
      const std::string cores = type.empty() ? "" : fmt::format("cores of type {}", type);
      return !node ? cores : fmt::format("NUMA node {}{}{}", *node, cores.empty() ? "" : ", ", cores);
    }
  };

  /// Returns what a host has instead of a part.
  [[nodiscard]] std::string parts_of_host(std::size_t rank, const Part& part) const {
    std::set<std::string> types;
    for (const HostProcessor& processor : hosts_[rank].processors) types.insert(processor.type);
    const std::string nodes = part.node ? numbers(rank, &HostProcessor::numa) : "";
    if (part.type.empty()) return nodes;
    return fmt::format("{}{}{}", nodes, part.node ? ", and " : "",
                       types.contains("") ? "cores of one type"
                                          : fmt::format("cores of type {}", fmt::join(types, " and of ")));
  }

  /// Returns nothing if the place binds to no part, or its NUMA node is unknown.
  [[nodiscard]] std::optional<Part> part_of(const Stage& stage) const {
    const Place& place = *stage.place;
    std::optional<std::size_t> node = place.numa;
    if (place.is_at_interface) node = hosts_[candidates(stage).front()].interface_nodes.at(index_of(stage));
    if (!node && place.type.empty()) return std::nullopt;
    return Part{node, place.type};
  }

  void bind_to_part(const Stage& stage) {
    const std::optional<Part> part = part_of(stage);
    if (stage.place->is_at_interface && (!part || !part->node))
      found_.unmet.push_back(
          fmt::format("source '{}': 'numa: interface': the system names no NUMA node of its network "
                      "interface, so that any "
                      "rank may run it: name the node ('numa: 0') if the computer has several",
                      stage.name));
    if (!part) return;
    std::vector<std::size_t> ranks = candidates(stage);
    const std::size_t first = ranks.front();
    const auto is_in = [&](const HostProcessor& each) { return part->has(each); };
    std::erase_if(ranks, [&](std::size_t rank) { return !has(rank, is_in); });
    if (ranks.empty())
      refuse(stage, fmt::format("host '{}' has no {} available to takt: it has {}", hosts_[first].name,
                                part->to_string(), parts_of_host(first, *part)));
    if (std::ranges::any_of(ranks, [&](std::size_t rank) { return is_within(rank, *part); })) return;
    if (is_listed())
      refuse(stage, fmt::format("'pin' binds no such rank to processors of {}", part->to_string()));
    expect_one_core_per_rank(stage);
    for (const std::size_t rank : ranks) {
      if (!found_.processors[rank].empty()) continue;
      std::vector<std::size_t> all, free;
      for (const HostProcessor& each : hosts_[rank].processors) {
        if (!is_in(each)) continue;
        all.push_back(each.number);
        if (!is_taken(rank, each.number)) free.push_back(each.number);
      }
      // One of its own with `pin: auto`, otherwise any of the part.
      const bool is_own = pipeline_.deployment.pinning.is_automatic && !free.empty();
      found_.processors[rank] = is_own ? std::vector{free.front()} : all;
      return;
    }
    refuse(stage, fmt::format("no rank is left for {}: other places take the ranks of '{}' that may run "
                              "the stage",
                              part->to_string(), hosts_[ranks.front()].name));
  }

  /// Returns true if the rank is bound to processors of this part.
  [[nodiscard]] bool is_within(std::size_t rank, const Part& part) const {
    const std::vector<std::size_t>& own = found_.processors[rank];
    return !own.empty() && std::ranges::all_of(own, [&](std::size_t number) {
      return has(rank, [&](const HostProcessor& each) { return each.number == number && part.has(each); });
    });
  }

  /// Gives each rank that no place binds a processor of its own, on hosts that have enough.
  void share_remaining() {
    std::set<int> nodes;
    for (const RankHost& host : hosts_) nodes.insert(host.node);
    for (const int node : nodes) {
      std::vector<std::size_t> waiting;
      for (std::size_t rank = 0; rank < hosts_.size(); ++rank)
        if (hosts_[rank].node == node && found_.processors[rank].empty()) waiting.push_back(rank);
      if (waiting.empty()) continue;
      std::vector<std::size_t> free;
      for (const HostProcessor& each : hosts_[waiting.front()].processors)
        if (!is_taken(waiting.front(), each.number)) free.push_back(each.number);
      if (free.size() < waiting.size()) continue;
      for (std::size_t i = 0; i < waiting.size(); ++i) found_.processors[waiting[i]] = {free[i]};
    }
  }

  [[nodiscard]] std::vector<std::size_t> ranks_of(const Stage& stage) const {
    std::vector<std::size_t> ranks = candidates(stage);
    const Place& place = *stage.place;
    if (place.core)
      std::erase_if(ranks, [&](std::size_t rank) {
        return std::ranges::count(found_.processors[rank], *place.core) == 0;
      });
    if (const std::optional<Part> part = part_of(stage))
      std::erase_if(ranks, [&](std::size_t rank) { return !is_within(rank, *part); });
    return ranks;
  }

  const Pipeline& pipeline_;
  const std::vector<RankHost>& hosts_;
  RankPlaces found_;
};

}  // namespace

bool has_places(const Pipeline& pipeline) {
  return std::ranges::any_of(pipeline.stages, [](const Stage& stage) { return stage.place.has_value(); });
}

bool RankPlaces::bind() const {
  return std::ranges::any_of(processors, [](const auto& each) { return !each.empty(); });
}

RankPlaces find_places(const Pipeline& pipeline, const std::vector<RankHost>& hosts) {
  return Finder(pipeline, hosts).find();
}

void check_places(const Pipeline& pipeline, const RankPlaces& places, const RunPlan& plan) {
  for (std::size_t i = 0; i < places.ranks.size(); ++i) {
    if (places.ranks[i].empty()) continue;
    for (const std::size_t rank : plan.stages.at(i).ranks)
      if (std::ranges::count(places.ranks[i], rank) == 0)
        throw ConfigError(pipeline.stages[i].place->where,
                          fmt::format("'place' ({}): the plan has '{}' on rank {}: expected rank {}",
                                      pipeline.stages[i].place->to_string(), pipeline.stages[i].name, rank,
                                      fmt::join(places.ranks[i], " or ")));
  }
}

void note_places(const Pipeline& pipeline, const RankPlaces& places, RunPlan& plan) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    if (const std::optional<Place>& place = pipeline.stages[i].place)
      plan.stages[i].place = place->to_string();
    plan.stages[i].may_run_on = places.ranks[i];
  }
  for (const std::string& text : places.unmet)
    if (std::ranges::find(plan.notes, text) == plan.notes.end()) plan.notes.push_back(text);
}

}  // namespace takt::pipeline
