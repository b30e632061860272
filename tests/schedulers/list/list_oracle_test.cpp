/// Do the list schedulers agree with a second, simple implementation of their definitions?
///
/// The oracle uses matrices only, tries every ready task on every processor at every step, and shares no code
/// with the library.

#include <functional>
#include <map>
#include <numeric>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "schedulers/heterogeneous/cpop.hpp"
#include "schedulers/heterogeneous/heft.hpp"
#include "schedulers/heterogeneous/peft.hpp"
#include "schedulers/list/dls.hpp"
#include "schedulers/list/etf.hpp"
#include "schedulers/list/hlfet.hpp"
#include "schedulers/list/last.hpp"
#include "schedulers/list/mcp.hpp"

namespace takt::schedulers {
namespace {

constexpr int no_edge = -1;

/// work[task][processor] and size[from][to]; edges lead to higher numbers.
struct Problem {
  std::vector<std::vector<int>> work;
  std::vector<std::vector<int>> size;

  [[nodiscard]] int tasks() const { return static_cast<int>(work.size()); }
  [[nodiscard]] int processors() const { return static_cast<int>(work[0].size()); }
  [[nodiscard]] bool edge(int a, int b) const { return size[a][b] != no_edge; }
  [[nodiscard]] int total_work(int t) const { return std::accumulate(work[t].begin(), work[t].end(), 0); }
  [[nodiscard]] double mean_work(int t) const { return static_cast<double>(total_work(t)) / processors(); }
};

/// Works are multiples of `unit`: with that of the number of processors means are integers.
Problem random_problem(int tasks, int processors, int unit, bool related, std::uint64_t seed) {
  Random draw(seed);
  Problem problem;
  const auto most_work = draw.between(3, 20), most_size = draw.between(1, 60);
  for (int t = 0; t < tasks; ++t) {
    const auto base = static_cast<int>(draw.between(1, most_work)) * unit;
    std::vector<int> row(processors, base);
    if (!related)
      for (int& w : row) w = static_cast<int>(draw.between(1, most_work)) * unit;
    problem.work.push_back(row);
    problem.size.emplace_back(tasks, no_edge);
  }
  for (int a = 0; a < tasks; ++a)
    for (int b = a + 1; b < std::min(tasks, a + 9); ++b)
      if (draw.below(4) == 0) problem.size[a][b] = static_cast<int>(draw.between(0, most_size));
  return problem;
}

TaskGraph graph_of(const Problem& problem) {
  TaskGraphBuilder builder;
  for (int t = 0; t < problem.tasks(); ++t) {
    const TaskId id = builder.add_task({fmt::format("t{}", t), Time(problem.work[t][0]), false});
    builder.set_work_table(id, {problem.work[t].begin(), problem.work[t].end()});
  }
  for (int a = 0; a < problem.tasks(); ++a)
    for (int b = 0; b < problem.tasks(); ++b)
      if (problem.edge(a, b))
        builder.add_edge(TaskId(a), TaskId(b), Bytes{static_cast<std::uint64_t>(problem.size[a][b])});
  return std::move(builder).build();
}

struct Placement {
  int processor = -1;
  int start = 0;
  int end = 0;
};

class Oracle {
 public:
  explicit Oracle(const Problem& problem) : problem_(problem), placed_(problem.tasks()) {}

  [[nodiscard]] std::vector<int> ready() const {
    std::vector<int> result;
    for (int t = 0; t < problem_.tasks(); ++t) {
      bool is_ready = placed_[t].processor < 0;
      for (int a = 0; a < t; ++a)
        if (problem_.edge(a, t) && placed_[a].processor < 0) is_ready = false;
      if (is_ready) result.push_back(t);
    }
    return result;
  }

  [[nodiscard]] int arrival(int t, int p) const {
    int latest = 0;
    for (int a = 0; a < t; ++a)
      if (problem_.edge(a, t))
        latest = std::max(latest, placed_[a].end + (placed_[a].processor == p ? 0 : problem_.size[a][t]));
    return latest;
  }

  [[nodiscard]] int appended(int t, int p) const {
    int start = arrival(t, p);
    for (const Placement& other : placed_)
      if (other.processor == p) start = std::max(start, other.end);
    return start;
  }

  /// The first time unit from which on the processor is idle for long enough.
  [[nodiscard]] int inserted(int t, int p) const {
    for (int start = arrival(t, p);; ++start) {
      bool free = true;
      for (const Placement& other : placed_)
        if (other.processor == p && other.start < start + problem_.work[t][p] && start < other.end)
          free = false;
      if (free) return start;
    }
  }

  void place(int t, int p, int start) { placed_[t] = {p, start, start + problem_.work[t][p]}; }
  [[nodiscard]] const std::vector<Placement>& placed() const { return placed_; }

 private:
  const Problem& problem_;
  std::vector<Placement> placed_;
};

/// Longest path to an exit by mean works; edges count `edge_share` of their sizes.
std::vector<double> levels(const Problem& problem, double edge_share) {
  std::vector<double> level(problem.tasks(), 0);
  for (int t = problem.tasks(); t-- > 0;) {
    for (int b = 0; b < problem.tasks(); ++b)
      if (problem.edge(t, b)) level[t] = std::max(level[t], edge_share * problem.size[t][b] + level[b]);
    level[t] += problem.mean_work(t);
  }
  return level;
}

/// Longest path to an exit with edges, times the number of processors: integers.
std::vector<double> summed_levels(const Problem& problem) {
  std::vector<double> level(problem.tasks(), 0);
  for (int t = problem.tasks(); t-- > 0;) {
    for (int b = 0; b < problem.tasks(); ++b)
      if (problem.edge(t, b))
        level[t] = std::max(level[t], problem.processors() * problem.size[t][b] + level[b]);
    level[t] += problem.total_work(t);
  }
  return level;
}

using Start = int (Oracle::*)(int, int) const;

/// At each step the ready task of the highest priority, on the processor of the least value(task, processor,
/// start).
std::vector<Placement> by_priority(const Problem& problem, Start start_of,
                                   const std::function<bool(int, int)>& before,
                                   const std::function<double(int, int, int)>& value) {
  Oracle oracle(problem);
  for (int step = 0; step < problem.tasks(); ++step) {
    const std::vector<int> ready = oracle.ready();
    int task = ready[0];
    for (int t : ready)
      if (before(t, task)) task = t;
    int best = 0;
    double least = 0;
    for (int p = 0; p < problem.processors(); ++p) {
      const double its = value(task, p, (oracle.*start_of)(task, p));
      if (p > 0 && its >= least) continue;
      best = p;
      least = its;
    }
    oracle.place(task, best, (oracle.*start_of)(task, best));
  }
  return oracle.placed();
}

std::function<bool(int, int)> higher(const std::vector<double>& level) {
  return [&level](int a, int b) { return level[a] > level[b]; };
}

double the_start(int, int, int start) {
  return start;
}

std::vector<Placement> oracle_hlfet(const Problem& problem) {
  const std::vector<double> level = levels(problem, 0);
  return by_priority(problem, &Oracle::appended, higher(level), the_start);
}

std::vector<Placement> oracle_last(const Problem& problem) {
  const std::vector<double> level = levels(problem, 0);
  std::vector<double> share(problem.tasks(), 0);
  for (int t = 0; t < problem.tasks(); ++t) {
    double in = 0, out = 0;
    for (int u = 0; u < problem.tasks(); ++u) {
      if (problem.edge(u, t)) in += problem.size[u][t];
      if (problem.edge(t, u)) out += problem.size[t][u];
    }
    if (in + out > 0) share[t] = in / (in + out);
  }
  auto before = [&](int a, int b) {
    return share[a] != share[b] ? share[a] > share[b] : level[a] > level[b];
  };
  return by_priority(problem, &Oracle::appended, before, the_start);
}

std::vector<Placement> oracle_mcp(const Problem& problem) {
  const std::vector<double> level = levels(problem, 1);
  std::vector<std::vector<double>> lists;
  const double length = *std::max_element(level.begin(), level.end());
  for (int t = 0; t < problem.tasks(); ++t) {
    std::vector<double> children;
    for (int b = 0; b < problem.tasks(); ++b)
      if (problem.edge(t, b)) children.push_back(length - level[b]);
    std::sort(children.rbegin(), children.rend());
    children.insert(children.begin(), length - level[t]);
    lists.push_back(children);
  }
  return by_priority(
      problem, &Oracle::inserted, [&](int a, int b) { return lists[a] < lists[b]; }, the_start);
}

std::vector<Placement> oracle_heft(const Problem& problem) {
  const std::vector<double> rank = summed_levels(problem);
  return by_priority(problem, &Oracle::inserted, higher(rank),
                     [&](int t, int p, int start) { return start + problem.work[t][p]; });
}

std::vector<Placement> oracle_cpop(const Problem& problem) {
  const std::vector<double> up = summed_levels(problem);
  std::vector<double> priority(problem.tasks(), 0);
  for (int t = 0; t < problem.tasks(); ++t)
    for (int a = 0; a < t; ++a)
      if (problem.edge(a, t))
        priority[t] = std::max(
            priority[t], priority[a] + problem.total_work(a) + problem.processors() * problem.size[a][t]);
  for (int t = 0; t < problem.tasks(); ++t) priority[t] += up[t];
  std::vector<bool> critical(problem.tasks(), false);
  int at = static_cast<int>(std::max_element(up.begin(), up.end()) - up.begin());
  while (at >= 0) {
    critical[at] = true;
    int next = -1;
    for (int b = 0; b < problem.tasks(); ++b)
      if (problem.edge(at, b) &&
          (next < 0 ||
           problem.processors() * (problem.size[at][b] - problem.size[at][next]) + up[b] > up[next]))
        next = b;
    at = next;
  }
  int path_processor = 0, least = 0;
  for (int p = 0; p < problem.processors(); ++p) {
    int sum = 0;
    for (int t = 0; t < problem.tasks(); ++t)
      if (critical[t]) sum += problem.work[t][p];
    if (p > 0 && sum >= least) continue;
    path_processor = p;
    least = sum;
  }
  return by_priority(problem, &Oracle::inserted, higher(priority), [&](int t, int p, int start) {
    if (critical[t]) return p == path_processor ? 0.0 : 1.0;
    return static_cast<double>(start + problem.work[t][p]);
  });
}

std::vector<Placement> oracle_peft(const Problem& problem) {
  const int processors = problem.processors();
  std::vector<std::vector<double>> cost(problem.tasks(), std::vector<double>(processors, 0));
  std::vector<double> rank(problem.tasks(), 0);
  for (int t = problem.tasks(); t-- > 0;)
    for (int p = 0; p < processors; ++p) {
      for (int b = 0; b < problem.tasks(); ++b) {
        if (!problem.edge(t, b)) continue;
        double least = 1e18;
        for (int q = 0; q < processors; ++q)
          least = std::min(least, cost[b][q] + problem.work[b][q] + (p == q ? 0 : problem.size[t][b]));
        cost[t][p] = std::max(cost[t][p], least);
      }
      rank[t] += cost[t][p];
    }
  return by_priority(problem, &Oracle::inserted, higher(rank),
                     [&](int t, int p, int start) { return start + problem.work[t][p] + cost[t][p]; });
}

/// At each step the pair of a ready task and a processor with the least value(task, processor, start), of
/// equal ones the first by the tie, the task and the processor.
std::vector<Placement> by_pair(const Problem& problem, const std::function<double(int, int, int)>& value,
                               const std::function<double(int)>& tie) {
  Oracle oracle(problem);
  for (int step = 0; step < problem.tasks(); ++step) {
    int task = -1, processor = -1;
    for (int t : oracle.ready())
      for (int p = 0; p < problem.processors(); ++p) {
        const double its = value(t, p, oracle.appended(t, p));
        const double best = task < 0 ? 0 : value(task, processor, oracle.appended(task, processor));
        if (task < 0 || its < best || (its == best && tie(t) < tie(task))) {
          task = t;
          processor = p;
        }
      }
    oracle.place(task, processor, oracle.appended(task, processor));
  }
  return oracle.placed();
}

std::vector<Placement> oracle_etf(const Problem& problem) {
  const std::vector<double> level = levels(problem, 0);
  return by_pair(problem, the_start, [&](int t) { return -level[t]; });
}

std::vector<Placement> oracle_dls(const Problem& problem) {
  const std::vector<double> level = levels(problem, 0);
  return by_pair(
      problem,
      [&](int t, int p, int start) { return start - level[t] - problem.mean_work(t) + problem.work[t][p]; },
      [](int) { return 0.0; });
}

struct Algorithm {
  std::string_view name;
  Timetable (*decide)(const DelayModel&, const Options&);
  std::vector<Placement> (*oracle)(const Problem&);
  /// Whether it uses fractional means without rounding.
  bool exact_means = false;
};

void expect_agreement(const Algorithm& algorithm, const Problem& problem) {
  const TaskGraph graph = graph_of(problem);
  const logp::Machine machine = logp::Machine::delay(static_cast<std::size_t>(problem.processors()));
  const Timetable decided = algorithm.decide(DelayModel(graph, machine), {});
  const std::vector<Placement> expected = algorithm.oracle(problem);
  for (int t = 0; t < problem.tasks(); ++t) {
    ASSERT_EQ(decided.start[t].count(), expected[t].start) << "task " << t;
    ASSERT_EQ(decided.processor[t].index(), static_cast<std::size_t>(expected[t].processor)) << "task " << t;
  }
}

class ListOracle : public ::testing::TestWithParam<Algorithm> {};

TEST_P(ListOracle, agrees_task_by_task) {
  const Algorithm& algorithm = GetParam();
  std::uint64_t seed = 0;
  for (int tasks : {5, 12, 30})
    for (int processors : {2, 3, 4, 7})
      for (bool related : {true, false})
        for (int unit : {processors, 1})
          for (int repeat = 0; repeat < 20; ++repeat) {
            if (unit == 1 && !algorithm.exact_means) continue;
            SCOPED_TRACE(++seed);
            expect_agreement(algorithm, random_problem(tasks, processors, unit, related, seed));
          }
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, ListOracle,
    ::testing::Values(Algorithm{"hlfet", hlfet, oracle_hlfet}, Algorithm{"mcp", mcp, oracle_mcp},
                      Algorithm{"etf", etf, oracle_etf}, Algorithm{"dls", dls, oracle_dls},
                      Algorithm{"last", last, oracle_last}, Algorithm{"heft", heft, oracle_heft, true},
                      Algorithm{"cpop", cpop, oracle_cpop, true}, Algorithm{"peft", peft, oracle_peft, true}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace takt::schedulers
