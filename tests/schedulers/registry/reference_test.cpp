/// Do clustering, network and hole-filling schedulers agree with a second implementation?
///
/// `reference/*.py` implement the papers' definitions directly, with the ties of the schedulers' headers;
/// names of clusters, which these leave open, are not compared.

#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/random.hpp"
#include "schedulers/clustering/dcp.hpp"
#include "schedulers/clustering/dsc.hpp"
#include "schedulers/clustering/ez.hpp"
#include "schedulers/clustering/lc.hpp"
#include "schedulers/clustering/md.hpp"
#include "schedulers/list/ish.hpp"
#include "schedulers/network/bsa.hpp"
#include "schedulers/network/bu.hpp"
#include "schedulers/network/dls_apn.hpp"
#include "schedulers/network/mh.hpp"
#include "tests/support/program.hpp"

namespace takt::schedulers {
namespace registry_reference_test {

using nlohmann::json;

struct Problem {
  TaskGraph graph;
  logp::Machine machine;

  [[nodiscard]] std::string to_json() const {
    json problem{{"works", json::array()},
                 {"edges", json::array()},
                 {"links", json::array()},
                 {"processors", machine.processor_count()}};
    for (TaskId task : graph.tasks()) problem["works"].push_back(graph.task(task).work.count());
    for (EdgeId id : graph.edges()) {
      const Edge edge = graph.edge(id);
      problem["edges"].push_back({edge.from.index(), edge.to.index(), edge.size.count});
    }
    for (const Link& link : machine.platform().network.links)
      problem["links"].push_back({link.from.index(), link.to.index()});
    return problem.dump();
  }
};

/// Ids not in topological order; with many equal works and sizes.
TaskGraph random_graph(Random& draw, std::int64_t least) {
  const auto tasks = static_cast<std::size_t>(draw.between(1, 16));
  const std::int64_t most_work = draw.between(1, 20), most_size = draw.between(1, 40);
  const auto one_in = static_cast<std::uint64_t>(draw.between(2, 5));
  std::vector<std::size_t> id(tasks);
  std::iota(id.begin(), id.end(), std::size_t{0});
  for (std::size_t i = tasks; i > 1; --i) std::swap(id[i - 1], id[draw.below(i)]);
  TaskGraphBuilder builder;
  for (std::size_t i = 0; i < tasks; ++i)
    builder.add_task({fmt::format("t{}", i), Time(draw.between(least, most_work)), false});
  for (std::size_t a = 0; a < tasks; ++a)
    for (std::size_t b = a + 1; b < std::min(tasks, a + 7); ++b)
      if (draw.below(one_in) == 0)
        builder.add_edge(TaskId(id[a]), TaskId(id[b]),
                         Bytes{static_cast<std::uint64_t>(draw.between(least, most_size))});
  return std::move(builder).build();
}

constexpr std::string_view networks[] = {"ring:4", "mesh:2x3", "hypercube:3", "star:5", "complete:4"};

/// No work and no size is below `least`.
std::vector<Problem> random_problems(std::int64_t least) {
  constexpr std::size_t count = 300;
  std::vector<Problem> problems;
  Random draw(20);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view network = networks[i % std::size(networks)];
    const std::size_t processors = parse_network(network).node_count;
    problems.push_back({random_graph(draw, least),
                        logp::parse_machine(fmt::format("delay:P={},network={}", processors, network))});
  }
  return problems;
}

/// Returns the answer of the reference for each problem: a list of [processor or cluster, start].
std::vector<json> ask_reference(std::string_view algorithm, const std::vector<Problem>& problems) {
  const test::TemporaryFolder folder;
  std::string lines;
  for (const Problem& problem : problems) lines += problem.to_json() + '\n';
  const test::Result result =
      test::Program({"python3", TAKT_SOURCE_DIR "/tests/schedulers/registry/reference/decide.py",
                     std::string(algorithm), folder.file("problems", lines)})
          .wait(std::chrono::seconds{300});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<json> answers;
  std::istringstream out(result.out);
  for (std::string line; std::getline(out, line);) answers.push_back(json::parse(line));
  return answers;
}

using Decide = std::function<Timetable(const Problem&)>;

/// For an algorithm that decides for an unbounded number of clusters.
Decide clusters(Clustering (*decide)(const DelayModel&, const Options&)) {
  return [=](const Problem& problem) {
    return decide(DelayModel(problem.graph, problem.machine), {}).timetable;
  };
}

Decide network(RoutedTimetable (*decide)(const DelayModel&, const logp::Machine&, const Options&)) {
  return [=](const Problem& problem) -> Timetable {
    return decide(DelayModel(problem.graph, problem.machine), problem.machine, {});
  };
}

Decide list(Timetable (*decide)(const DelayModel&, const Options&)) {
  return [=](const Problem& problem) { return decide(DelayModel(problem.graph, problem.machine), {}); };
}

struct Algorithm {
  std::string_view name;
  Decide decide;
  /// Whether names of processors matter: those of clusters do not.
  bool named_places = true;
  /// Whether messages share links: no definition decides whether one of size 0 fits between adjacent ones.
  bool shares_links = false;
};

class Reference : public ::testing::TestWithParam<Algorithm> {};

TEST_P(Reference, agrees_task_by_task) {
  const Algorithm& algorithm = GetParam();
  const std::vector<Problem> problems = random_problems(algorithm.shares_links ? 1 : 0);
  const std::vector<json> answers = ask_reference(algorithm.name, problems);
  ASSERT_EQ(answers.size(), problems.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Timetable decided = algorithm.decide(problems[i]);
    std::map<std::size_t, std::size_t> place_of;
    for (std::size_t t = 0; t < decided.start.size(); ++t) {
      const std::size_t place = answers[i][t][0], decided_place = decided.processor[t].index();
      ASSERT_EQ(decided.start[t].count(), answers[i][t][1].get<std::int64_t>())
          << "task " << t << " of " << problems[i].to_json();
      const std::size_t expected =
          algorithm.named_places ? place : place_of.try_emplace(place, decided_place).first->second;
      ASSERT_EQ(decided_place, expected) << "task " << t << " of " << problems[i].to_json();
    }
    // Two clusters of the reference that are one here would have the same place.
    std::map<std::size_t, std::size_t> back;
    for (const auto& [place, decided_place] : place_of)
      ASSERT_TRUE(back.try_emplace(decided_place, place).second) << problems[i].to_json();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, Reference,
    ::testing::Values(Algorithm{"ez", clusters(ez), false}, Algorithm{"lc", clusters(lc), false},
                      Algorithm{"dsc", clusters(dsc), false}, Algorithm{"md", clusters(md), false},
                      Algorithm{"dcp", clusters(dcp), false}, Algorithm{"ish", list(ish)},
                      Algorithm{"bu", network(bu), true, true}, Algorithm{"mh", network(mh), true, true},
                      Algorithm{"dls_apn", network(dls_apn), true, true},
                      Algorithm{"bsa", network(bsa), true, true}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace registry_reference_test
}  // namespace takt::schedulers
