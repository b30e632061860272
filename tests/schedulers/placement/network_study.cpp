#include "tests/schedulers/placement/network_study.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "core/graphs/generators.hpp"
#include "logp/machine.hpp"
#include "schedulers/frequency/single.hpp"

namespace takt::schedulers {

namespace {

void count(NetworkFigures& figures, Time makespan, Time best, Time alone) {
  const double ratio = static_cast<double>(makespan.count()) / static_cast<double>(best.count());
  figures.mean += ratio;
  figures.largest = std::max(figures.largest, ratio);
  if (makespan > alone) ++figures.longer_than_one;
}

}  // namespace

bool is_for_makespans(const Scheduler& scheduler) {
  return scheduler.traits.made_for == Objective::makespan && !scheduler.traits.proves;
}

NetworkStudy network_study(std::span<const std::string_view> graphs,
                           std::span<const std::string_view> machines,
                           const std::function<void(std::string_view)>& begins) {
  NetworkStudy study;
  for (const Scheduler& scheduler : all_schedulers())
    if (is_for_makespans(scheduler)) study.rows.push_back({.scheduler = &scheduler});
  for (std::string_view machine_text : machines)
    for (std::string_view shape : graphs) {
      if (begins) begins(std::string(shape) + " on " + std::string(machine_text));
      const TaskGraph graph = generate(shape);
      const logp::Machine machine = logp::parse_machine(machine_text);
      const auto makespan = [&](const NetworkRow& row, NetworkMapping mapping) {
        return measure(row.scheduler->schedule(graph, machine, {.mapping = mapping})).makespan;
      };
      const Time alone = measure(single(graph, machine, {})).makespan;
      Time best = Time::max();
      std::vector<std::pair<Time, Time>> made;
      for (const NetworkRow& row : study.rows) {
        made.emplace_back(makespan(row, NetworkMapping::none), makespan(row, NetworkMapping::best));
        if (row.scheduler->family == "network") best = std::min(best, made.back().second);
      }
      for (std::size_t i = 0; i < made.size(); ++i) {
        count(study.rows[i].decided, made[i].first, best, alone);
        count(study.rows[i].mapped, made[i].second, best, alone);
      }
      ++study.cases;
    }
  for (NetworkRow& row : study.rows)
    for (NetworkFigures* figures : {&row.decided, &row.mapped})
      figures->mean /= static_cast<double>(study.cases);
  return study;
}

}  // namespace takt::schedulers
