#pragma once
/// The front of frequency against latency against processors.

#include <functional>
#include <string>
#include <vector>

#include "core/graphs/task_graph.hpp"
#include "core/pictures/page.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// A schedule that no other one found beats in one of frequency, latency and processors without being worse
/// in another.
struct ParetoPoint {
  std::size_t processors = 0;
  Period period;
  Time latency{0};
  Schedule schedule;
};

struct ParetoProgress {
  std::size_t done = 0, total = 0;
  std::size_t processors = 0;
};

/// By processors, then from the highest frequency down. The points are those of the portfolio (portfolio.hpp)
/// on each of numbers_of_processors, and of the search for less latency (latency_search.hpp) at several
/// frequencies between the highest and the one of the shortest schedule. After each of these parts, `report`
/// is told how many of how many are done, and on how many processors the last one was.
[[nodiscard]] std::vector<ParetoPoint> pareto_front(
    const TaskGraph& graph, const logp::Machine& machine, const RateSchedulers& schedulers,
    const Options& options = {}, const std::function<void(const ParetoProgress&)>& report = {});

/// A table for people.
[[nodiscard]] std::string to_text(const std::vector<ParetoPoint>& front);
/// A list of objects: `processors period frequency latency replicas scheduler`.
[[nodiscard]] std::string to_json(const std::vector<ParetoPoint>& front);
/// A picture: frequency to the right, latency upwards, a stair for each number of processors.
[[nodiscard]] std::string to_svg(const std::vector<ParetoPoint>& front);

/// What to_json has written, as a page: frequency to the right, latency upwards, a line for each number of
/// processors. Throws ConfigError when it is no front.
[[nodiscard]] Page front_page(const std::string& name, const std::string& json);

}  // namespace takt::schedulers
