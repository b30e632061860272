/// Do BasicFO, GreedyMethod and Brent agree with a second implementation of the thesis?

#include <array>
#include <chrono>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "core/schedule.hpp"
#include "logp/machine.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/frequency/brent.hpp"
#include "schedulers/frequency/greedy.hpp"
#include "tests/schedulers/frequency/oracle.hpp"
#include "tests/support/program.hpp"

namespace takt::schedulers {
namespace frequency_thesis_methods_test {

using nlohmann::json;

/// LogPLinear: a constant plus a cost per unit.
struct Costs {
  std::size_t processors = 1;
  std::array<std::int64_t, 2> latency{}, overhead{}, gap{};

  [[nodiscard]] logp::Machine machine() const {
    return logp::parse_machine(fmt::format("loglinear:P={},L={}+{},o={}+{},g={}+{}", processors, latency[0],
                                           latency[1], overhead[0], overhead[1], gap[0], gap[1]));
  }
};

/// Random costs without a limit of messages in the network
/// for a processor, as the thesis has no other limit.
Costs random_costs(Random& draw, bool is_linear) {
  Costs costs;
  costs.processors = static_cast<std::size_t>(draw.between(1, 6));
  const auto both = [&](std::int64_t most) {
    return std::array{draw.between(0, most), is_linear ? draw.between(0, 2) : 0};
  };
  costs.latency = both(9);
  costs.overhead = both(5);
  if (draw.below(2) == 0) return costs;
  costs.gap = {draw.between(1, 8), is_linear ? draw.between(0, 2) : 0};
  costs.latency[0] += 50 * costs.gap[0];
  costs.latency[1] += 50 * costs.gap[1];
  return costs;
}

json problem(const TaskGraph& graph, const Costs& costs, const logp::LayerMessageOptions& of_brent,
             const logp::LayerMessageOptions& of_greedy) {
  json result{{"works", json::array()},         {"data", json::array()},
              {"processors", costs.processors}, {"latency", costs.latency},
              {"overhead", costs.overhead},     {"gap", costs.gap},
              {"fixed_size", nullptr},          {"each_datum", !of_greedy.aggregate}};
  if (of_brent.all_to_all_size) result["fixed_size"] = of_brent.all_to_all_size->count;
  for (TaskId task : graph.tasks()) result["works"].push_back(graph.task(task).work.count());
  std::vector<json> receivers(graph.datum_count(), json::array());
  for (EdgeId edge : graph.edges())
    receivers[graph.edge(edge).datum.index()].push_back(graph.edge(edge).to.index());
  for (DatumId datum : ids<DatumId>(graph.datum_count()))
    result["data"].push_back(
        {graph.datum_task(datum).index(), graph.datum_size(datum).count, receivers[datum.index()]});
  return result;
}

/// Returns Brent's, GreedyMethod's and BasicFO's period for each problem.
std::vector<json> ask_reference(const std::string& lines) {
  const test::TemporaryFolder folder;
  const test::Result result =
      test::Program({"python3", TAKT_SOURCE_DIR "/tests/schedulers/frequency/reference/thesis_methods.py",
                     folder.file("problems", lines)})
          .wait(std::chrono::seconds{60});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::vector<json> answers;
  std::istringstream out(result.out);
  for (std::string line; std::getline(out, line);) answers.push_back(json::parse(line));
  return answers;
}

TEST(ThesisMethods, have_the_periods_of_a_second_implementation) {
  Random draw(37);
  std::string lines;
  std::vector<std::array<std::int64_t, 3>> periods;
  for (int i = 0; i < 600; ++i) {
    const TaskGraph graph =
        oracle::random_graph(draw, 1 + draw.below(16), static_cast<std::uint64_t>(draw.between(5, 50)),
                             i % 3 == 0 ? 4 : 40, 9, i % 2);
    const Costs costs = random_costs(draw, i % 2 == 0);
    const logp::Machine machine = costs.machine();
    const auto period = [](const Schedule& schedule) { return measure(schedule).repetition.count(); };
    // Both interpretations of the messages, thesis_scores.hpp.
    logp::LayerMessageOptions of_brent, of_greedy;
    if (i % 4 < 2) {
      of_brent.all_to_all_size = Bytes{static_cast<std::uint64_t>(draw.between(0, 12))};
      of_greedy.aggregate = false;
    }
    periods.push_back({period(brent_with_messages(graph, machine, of_brent)),
                       period(greedy_with_messages(graph, machine, of_greedy)),
                       period(basic_fo(graph, machine, {}))});
    lines += problem(graph, costs, of_brent, of_greedy).dump() + '\n';
  }
  const std::vector<json> answers = ask_reference(lines);
  ASSERT_EQ(answers.size(), periods.size());
  std::istringstream problems(lines);
  std::string text;
  for (std::size_t i = 0; i < periods.size(); ++i) {
    std::getline(problems, text);
    EXPECT_EQ(answers[i], json(periods[i])) << text;
  }
}

/// The reference itself, by the occupancies behind tables 6.22 and 6.23: L, o, g = k for k = 0..9.
TEST(ThesisMethods, have_the_printed_periods_in_the_second_implementation) {
  std::string lines;
  for (std::int64_t k = 0; k < 10; ++k)
    lines += problem(generate("send_tree:depth=2,cost=2"), {3, {k, 0}, {k, 0}, {k, 0}}, {}, {}).dump() + '\n';
  const std::vector<json> answers = ask_reference(lines);
  ASSERT_EQ(answers.size(), 10U);
  constexpr std::array greedy{6, 8, 10, 13, 16, 19, 22, 25, 28, 31},
      basic_fo{6, 7, 8, 10, 12, 14, 16, 18, 20, 22};
  for (std::size_t k = 0; k < answers.size(); ++k) {
    EXPECT_EQ(answers[k][1], greedy[k]) << k;
    EXPECT_EQ(answers[k][2], basic_fo[k]) << k;
  }
}

}  // namespace frequency_thesis_methods_test
}  // namespace takt::schedulers
