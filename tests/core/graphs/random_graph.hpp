#pragma once
/// Small random graphs with all features, for property tests.

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/graphs/task_graph.hpp"
#include "core/random.hpp"

namespace takt {

struct RandomGraphOptions {
  /// Names that need quoting, and some that look like numbers or YAML keywords.
  bool odd_names = true;
  bool stateless = true;
  bool work_table = true;
  /// Data with several consumers, or none.
  bool shared_data = true;
  bool unused_data = true;
};

/// Edges are in the order of their data, as the readers return them.
inline TaskGraph random_graph(std::uint64_t seed, const RandomGraphOptions& options = {}) {
  Random random(seed);
  const std::vector<std::string> odd{
      "a b", "null", "0x1", "1e3", "-5",  "007", "\"quoted\"", "x: y",        "#c",    "{}",
      "ü",   "",     "~",   "yes", "a,b", "'",   "- a",        "back\\slash", "tab\t", "line\nbreak"};
  const std::size_t count = random.below(9);
  const std::size_t columns = options.work_table && random.below(2) == 0 ? 1 + random.below(3) : 0;
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_odd = options.odd_names && random.below(2) == 0;
    Task task{is_odd ? odd[(seed + i) % odd.size()] : fmt::format("t{}", i), Time(random.between(0, 50))};
    task.stateless = options.stateless && random.below(2) == 0;
    const TaskId id = builder.add_task(std::move(task));
    if (columns == 0) continue;
    std::vector<Time> times;
    for (std::size_t k = 0; k < columns; ++k) times.push_back(Time(random.between(0, 1'000'000'000'000'000)));
    builder.set_work_table(id, std::move(times));
  }
  // Edges follow a random order of the tasks, so that ids are not a topological order.
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (std::size_t from = 0; from + 1 < count; ++from) {
    std::vector<std::size_t> later(order.begin() + static_cast<std::ptrdiff_t>(from) + 1, order.end());
    for (std::uint64_t datum = random.below(3); datum > 0 && !later.empty(); --datum) {
      const DatumId id = builder.add_datum(TaskId(order[from]), Bytes{random.below(1000)});
      std::size_t receivers = options.shared_data ? random.below(later.size() + 1) : 1;
      if (!options.unused_data) receivers = std::max<std::size_t>(receivers, 1);
      // Removes each chosen receiver, so that no pair of tasks has two edges.
      for (; receivers > 0; --receivers) {
        const auto chosen = later.begin() + static_cast<std::ptrdiff_t>(random.below(later.size()));
        builder.add_edge(id, TaskId(*chosen));
        later.erase(chosen);
      }
    }
  }
  return std::move(builder).build();
}

}  // namespace takt
