#include "tests/schedulers/frequency/thesis_scores.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/graphs/generators.hpp"
#include "core/schedule.hpp"
#include "logp/timing.hpp"
#include "schedulers/frequency/basic_fo.hpp"
#include "schedulers/frequency/brent.hpp"
#include "schedulers/frequency/greedy.hpp"

namespace takt::schedulers::thesis {

namespace {

constexpr std::string_view free_machine = "logp:P=3", constant = "logp:P=3,L=1,o=1,g=2",
                           linear = "loglinear:P=3,L=1+1,o=1+1,g=2+2";

const std::vector<ScoreTable> without_sizes{{"6.5, send tree, w = 1..100",
                                             "send_tree:cost=1..100",
                                             free_machine,
                                             {{"depth=1", {6.8376, 8.7191, 10}},
                                              {"depth=2", {6.2984, 8.1742, 9.9824}},
                                              {"depth=3", {6.7985, 8.7190, 9.9636}},
                                              {"depth=4", {7.8015, 9.1460, 9.9518}}}},
                                            {"6.6, FFT, w = 1..100",
                                             "fft:cost=1..100",
                                             free_machine,
                                             {{"depth=1", {7.0898, 7.0898, 10}},
                                              {"depth=2", {7.0953, 9.2482, 9.9148}},
                                              {"depth=3", {7.5534, 9.8434, 9.9373}},
                                              {"depth=4", {8.0839, 9.9718, 9.9441}},
                                              {"depth=5", {8.5525, 9.9950, 9.9799}}}},
                                            {"6.7, diamond, w = 1..100",
                                             "diamond:cost=1..100",
                                             free_machine,
                                             {{"depth=1", {5.7946, 5.7946, 10}},
                                              {"depth=2", {4.8243, 4.8243, 10}},
                                              {"depth=3", {5.0008, 5.0008, 10}},
                                              {"depth=4", {4.7244, 4.7244, 10}}}},
                                            {"6.8, wave of width 6, w = 1..100",
                                             "wave:width=6,cost=1..100",
                                             free_machine,
                                             {{"depth=0", {7.9215, 10, 10}},
                                              {"depth=1", {7.3986, 9.7821, 9.5844}},
                                              {"depth=2", {8.1792, 9.8348, 9.9525}},
                                              {"depth=3", {7.6183, 9.4466, 9.9477}},
                                              {"depth=4", {7.4143, 9.4099, 10}}}},
                                            {"6.9, wave of depth 3, w = 1..100",
                                             "wave:depth=3,cost=1..100",
                                             free_machine,
                                             {{"width=6", {7.6183, 9.4466, 9.9477}},
                                              {"width=7", {7.0125, 9.7198, 9.9964}},
                                              {"width=8", {7.8221, 9.8341, 9.8842}},
                                              {"width=9", {8.1856, 9.8797, 9.9241}},
                                              {"width=10", {8.1346, 9.8204, 9.8947}},
                                              {"width=11", {7.9101, 9.9516, 9.8911}}}},
                                            {"6.10, send tree, w = 1..1000",
                                             "send_tree:cost=1..1000",
                                             free_machine,
                                             {{"depth=1", {6.2865, 6.7141, 10}},
                                              {"depth=2", {7.2518, 8.8329, 9.8678}},
                                              {"depth=3", {7.1490, 8.5486, 9.9664}},
                                              {"depth=4", {7.7390, 8.8888, 10}}}},
                                            {"6.11, FFT, w = 1..1000",
                                             "fft:cost=1..1000",
                                             free_machine,
                                             {{"depth=1", {6.9080, 6.9080, 10}},
                                              {"depth=2", {7.1312, 8.6438, 10}},
                                              {"depth=3", {7.4357, 9.8815, 9.8954}},
                                              {"depth=4", {8.1692, 9.9975, 9.8885}},
                                              {"depth=5", {8.8423, 9.9939, 9.9763}}}},
                                            {"6.12, diamond, w = 1..1000",
                                             "diamond:cost=1..1000",
                                             free_machine,
                                             {{"depth=1", {4.9480, 4.9480, 10}},
                                              {"depth=2", {4.8263, 4.8263, 10}},
                                              {"depth=3", {4.6277, 4.6277, 10}},
                                              {"depth=4", {4.4681, 4.4681, 10}}}},
                                            {"6.13, wave of width 6, w = 1..1000",
                                             "wave:width=6,cost=1..1000",
                                             free_machine,
                                             {{"depth=0", {8.6586, 10, 9.0426}},
                                              {"depth=1", {7.8485, 9.7399, 9.6666}},
                                              {"depth=2", {8.2251, 9.6805, 9.7701}},
                                              {"depth=3", {8.0515, 9.6030, 9.9796}},
                                              {"depth=4", {7.8870, 9.7176, 9.9902}}}},
                                            {"6.14, send tree, w = 1..100, L = 1, o = 1, g = 2",
                                             "send_tree:cost=1..100",
                                             constant,
                                             {{"depth=1", {7.5238, 8.4183, 9.9863}},
                                              {"depth=2", {6.9159, 8.9770, 9.7841}},
                                              {"depth=3", {6.9735, 8.3448, 10}},
                                              {"depth=4", {7.6491, 8.8744, 10}}}},
                                            {"6.15, FFT, w = 1..100, L = 1, o = 1, g = 2",
                                             "fft:cost=1..100",
                                             constant,
                                             {{"depth=1", {6.1692, 6.3026, 10}},
                                              {"depth=2", {6.9614, 8.5413, 10}},
                                              {"depth=3", {7.6023, 9.5509, 9.9585}},
                                              {"depth=4", {7.9270, 9.6864, 10}}}},
                                            {"6.16, diamond, w = 1..100, L = 1, o = 1, g = 2",
                                             "diamond:cost=1..100",
                                             constant,
                                             {{"depth=1", {5.0486, 5.1549, 10}},
                                              {"depth=2", {4.5097, 4.6078, 10}},
                                              {"depth=3", {4.6345, 4.7366, 10}},
                                              {"depth=4", {4.4236, 4.5277, 10}}}},
                                            {"6.17, wave of width 6, w = 1..100, L = 1, o = 1, g = 2",
                                             "wave:width=6,cost=1..100",
                                             constant,
                                             {{"depth=0", {7.6558, 10, 8.7338}},
                                              {"depth=1", {8.2627, 9.6355, 9.8771}},
                                              {"depth=2", {7.9207, 9.4535, 9.9676}},
                                              {"depth=3", {7.7910, 9.3457, 10}},
                                              {"depth=4", {7.6631, 9.0584, 10}}}}};

const std::vector<ScoreTable> linear_tables{
    {"6.18, send tree, w = 1..100, L = 1 + s, o = 1 + s, g = 2 + 2 s",
     "send_tree:data=10,cost=1..100",
     linear,
     {{"depth=1", {7.3300, 9.0350, 9.7321}},
      {"depth=2", {6.1099, 8.1978, 9.8292}},
      {"depth=3", {6.5239, 7.5132, 10}},
      {"depth=4", {6.6562, 7.5468, 10}}}},
    {"6.19, FFT, w = 1..100, L = 1 + s, o = 1 + s, g = 2 + 2 s",
     "fft:data=10,cost=1..100",
     linear,
     {{"depth=1", {6.9741, 8.0070, 10}},
      {"depth=2", {6.3581, 7.4630, 9.9119}},
      {"depth=3", {6.0780, 5.9608, 10}},
      {"depth=4", {5.6559, 5.1730, 10}}}},
    {"6.20, diamond, w = 1..100, L = 1 + s, o = 1 + s, g = 2 + 2 s",
     "diamond:data=10,cost=1..100",
     linear,
     {{"depth=1", {4.6801, 5.3143, 10}},
      {"depth=2", {3.3658, 3.9963, 10}},
      {"depth=3", {2.9976, 3.6143, 10}},
      {"depth=4", {2.7861, 3.3261, 10}}}},
    {"6.21, wave of width 6, w = 1..100, L = 1 + s, o = 1 + s, g = 2 + 2 s",
     "wave:width=6,data=10,cost=1..100",
     linear,
     {{"depth=0", {7.9985, 10, 8.5073}},
      {"depth=1", {9.5190, 8.3896, 9.6649}},
      {"depth=2", {8.5352, 7.5688, 10}},
      {"depth=3", {7.4191, 6.3544, 10}},
      {"depth=4", {6.4307, 5.3553, 10}}}},
};

/// Returns the same graph with one datum for all edges of a task: the thesis' tasks have one result each.
TaskGraph with_one_datum_a_task(const TaskGraph& graph) {
  TaskGraphBuilder builder;
  for (TaskId task : graph.tasks()) builder.add_task(graph.task(task));
  for (TaskId task : graph.tasks()) {
    const auto edges = graph.out_edges(task);
    if (edges.empty()) continue;
    const DatumId datum = builder.add_datum(task, graph.edge(edges.front()).size);
    for (EdgeId edge : edges) builder.add_edge(datum, graph.edge(edge).to);
  }
  return std::move(builder).build();
}

/// Returns the frequencies of one instance. In the generated graph each edge has a datum of its own.
Row frequencies(const TaskGraph& generated, const logp::Machine& machine, Reading reading) {
  const TaskGraph graph = with_one_datum_a_task(generated);
  const auto frequency = [](const Schedule& schedule) { return measure(schedule).frequency(); };
  const double of_basic_fo = frequency(basic_fo(graph, machine, {}));
  if (reading == Reading::needed_data)
    return {frequency(brent(graph, machine, {})), frequency(greedy(graph, machine, {})), of_basic_fo};
  const Bytes size = generated.edge_count() > 0 ? generated.edge(EdgeId(0)).size : Bytes{0};
  return {frequency(brent_with_messages(graph, machine, {.all_to_all_size = size})),
          frequency(greedy_with_messages(generated, machine, {.aggregate = false})), of_basic_fo};
}

}  // namespace

const std::vector<ScoreTable>& score_tables() {
  return without_sizes;
}

const std::vector<ScoreTable>& linear_score_tables() {
  return linear_tables;
}

Scores scores(const ScoreTable& table, std::string_view parameter, Reading reading, int instances) {
  const logp::Machine machine = logp::parse_machine(table.machine);
  Row sum{}, squares{};
  for (int seed = 1; seed <= instances; ++seed) {
    const TaskGraph graph = generate(fmt::format("{},{},seed={}", table.graph, parameter, seed));
    const Row row = frequencies(graph, machine, reading);
    const double best = std::ranges::max(row);
    for (std::size_t s = 0; s < methods; ++s) {
      const double score = 10 * row[s] / best;
      sum[s] += score;
      squares[s] += score * score;
    }
  }
  Scores result;
  for (std::size_t s = 0; s < methods; ++s) {
    result.mean[s] = sum[s] / instances;
    result.deviation[s] = std::sqrt(std::max(0.0, squares[s] / instances - result.mean[s] * result.mean[s]));
  }
  return result;
}

double lead_of_basic_fo(const Row& scores) {
  return scores[2] - std::max(scores[0], scores[1]);
}

Agreement agreement(const std::vector<ScoreTable>& tables, Reading reading, int instances) {
  Agreement result;
  double squares = 0;
  for (const ScoreTable& table : tables)
    for (const auto& [parameter, printed] : table.printed) {
      const Row ours = scores(table, parameter, reading, instances).mean;
      ++result.rows;
      if ((printed[0] < printed[1]) == (ours[0] < ours[1])) ++result.in_order;
      for (std::size_t s = 0; s < methods; ++s) squares += (printed[s] - ours[s]) * (printed[s] - ours[s]);
    }
  result.root_mean_square = std::sqrt(squares / (static_cast<double>(methods) * result.rows));
  return result;
}

}  // namespace takt::schedulers::thesis
