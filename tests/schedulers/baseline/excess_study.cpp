#include "tests/schedulers/baseline/excess_study.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/formats/dot.hpp"
#include "core/system/text_file.hpp"

namespace takt::schedulers {

std::vector<KnownOptimum> known_optima(const std::filesystem::path& folder) {
  std::vector<KnownOptimum> known;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".dot") continue;
    DotFile file = read_dot(read_text_file(entry.path()), entry.path().string());
    if (file.schedule)
      known.push_back({std::move(file.graph), file.schedule->processor_count, file.schedule->length});
  }
  return known;
}

std::string excess_line(const Scheduler& scheduler, std::span<const KnownOptimum> known) {
  double sum = 0, largest = 0;
  int optimal = 0, below = 0;
  for (const KnownOptimum& each : known) {
    const Time length =
        measure(scheduler.schedule(each.graph, logp::Machine::delay(each.processors), {})).makespan;
    const double excess = static_cast<double>(length.count()) / static_cast<double>(each.optimum.count()) - 1;
    sum += excess;
    largest = std::max(largest, excess);
    if (length == each.optimum) ++optimal;
    if (length < each.optimum) ++below;
  }
  return fmt::format("| {} | {} | {:.1f} % | {:.1f} % | {} | {} |", scheduler.name, scheduler.family,
                     100 * sum / static_cast<double>(known.size()), 100 * largest, optimal, below);
}

}  // namespace takt::schedulers
