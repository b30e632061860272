#include "bench/moldable/study.hpp"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/moldable/group_sizes.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::bench {

using namespace schedulers;

std::vector<StudyGraph> synthetic_graphs(std::size_t samples) {
  std::vector<StudyGraph> graphs;
  std::size_t seed = 0;
  for (const std::size_t tasks : {10U, 20U, 30U})
    for (const double width : {0.2, 0.5, 0.8})
      for (const double regularity : {0.2, 0.8})
        for (const double density : {0.2, 0.8})
          for (const int jump : {1, 2, 4})
            for (const char* complexity : {"linear", "log", "matrix", "mixed"})
              for (std::size_t sample = 0; sample < samples; ++sample)
                graphs.push_back({tasks, width,
                                  fmt::format("layered:tasks={},width={},regularity={},density={},jump={},"
                                              "complexity={},alpha=0..0.25,seed={}",
                                              tasks, width, regularity, density, jump, complexity, ++seed)});
  return graphs;
}

std::vector<StudyGraph> strassen_graphs() {
  std::vector<StudyGraph> graphs;
  for (int seed = 1; seed <= 10; ++seed)
    graphs.push_back(
        {0, 0, fmt::format("strassen:depth=1,complexity=matrix,alpha=0..0.25,alike=1,seed={}", seed)});
  return graphs;
}

std::vector<StudyGraph> fft_graphs() {
  std::vector<StudyGraph> graphs;
  for (int seed = 1; seed <= 10; ++seed)
    graphs.push_back(
        {0, 0,
         fmt::format("fft:depth={},complexity=linear,alpha=0..0.25,alike=1,seed={}", 2 + seed % 3, seed)});
  return graphs;
}

StudyResult study(const StudyGraph& which, const logp::Machine& machine, PtaskSimulator& simulator) {
  const TaskGraph graph = generate(which.text);
  const Clusters clusters(machine);
  const AllowedNumbers allowed(clusters.largest(), {});
  const TradeOff trade_off =
      best_trade_off(graph, allowed, clusters.processor_count(), TradeOffCost::activities);
  const auto mcgas_allotment = [&](double mu, LeftWork left_work) {
    return plan_mcgas(graph, clusters, trade_off, allowed, {mu, bound}, left_work).allotment;
  };
  StudyResult result;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    const auto& [name, scheduler, mapping, mu, left_work] = contenders[c];
    Evaluation made;
    if (mu > 0) {
      const GroupSizes sizes = exact_sizes(graph, clusters, mcgas_allotment(mu, left_work));
      made = judge(graph, machine, map_groups(graph, machine, clusters, sizes, mapping).schedule(scheduler));
    } else {
      Options options;
      options.moldable.mapping = mapping;
      made = evaluate(find_scheduler(scheduler), graph, machine, options);
    }
    if (!made.figures.valid)
      throw WorkError(
          fmt::format("{}: no valid schedule for {}: {}", name, which.text, made.findings.front().message));
    result.planned[c] = static_cast<double>(made.figures.makespan.count()) * 1e-9;
    result.simulated[c] = simulator.makespan(graph, made.schedule);
  }
  const auto of = [&](const Allotment& allotment) {
    const double path = critical_path(graph, allotment), work = total_work(graph, allotment);
    return StudyResult::OfAllotment{path, work,
                                    std::max(path, work / static_cast<double>(clusters.processor_count()))};
  };
  result.hcpa = of(allot_by_critical_path(graph, allowed, hcpa_rules(graph, clusters)));
  result.text = of(mcgas_allotment(0.66, LeftWork::stays));
  result.turned = of(mcgas_allotment(0.34, LeftWork::stays));
  result.takt = of(mcgas_allotment(0.66, LeftWork::is_used));
  return result;
}

std::vector<std::vector<double>> sweep(const std::vector<StudyGraph>& graphs, const logp::Machine& machine,
                                       const std::vector<double>& mus,
                                       const std::vector<std::size_t>& bounds) {
  std::vector<std::vector<double>> means(mus.size(), std::vector<double>(bounds.size(), 0));
  const Clusters clusters(machine);
  const AllowedNumbers allowed(clusters.largest(), {});
  for (const StudyGraph& which : graphs) {
    const TaskGraph graph = generate(which.text);
    const TradeOff best =
        best_trade_off(graph, allowed, clusters.processor_count(), TradeOffCost::activities);
    for (std::size_t i = 0; i < mus.size(); ++i) {
      const Allotment rounded = round_trade_off(graph, allowed, best, mus[i], TradeOffCost::activities);
      for (std::size_t j = 0; j < bounds.size(); ++j) {
        Allotment allotment = rounded;
        for (std::size_t& count : allotment) count = std::min(count, bounds[j]);
        const GroupTimeline mapped =
            map_groups(graph, machine, clusters, exact_sizes(graph, clusters, allotment), GroupMapping::eft);
        means[i][j] +=
            static_cast<double>(mapped.makespan().count()) * 1e-9 / static_cast<double>(graphs.size());
      }
    }
  }
  return means;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace takt::bench
