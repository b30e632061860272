/// Graphs, operations and communication of CASCH's programs, against data made by hand from the paper.

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/graphs/generators.hpp"
#include "pipeline/frontend/communication/insertion.hpp"
#include "pipeline/frontend/weights/costs.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"
#include "tests/pipeline/frontend/programs.hpp"
#include "tests/support/program.hpp"

namespace takt::frontend {
namespace {

std::string text_of_file(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class GoldenGraph : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!has_clang()) GTEST_SKIP() << "clang is not installed";
    const std::filesystem::path file =
        test::test_data() / "casch" / "graphs" / (std::string(GetParam()) + ".json");
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "no test data";
    golden_ = nlohmann::json::parse(text_of_file(file));
    ProgramName name{.file = example(golden_["program"])};
    for (const char* parameter : {"PN", "SN"})
      name.parameters.emplace_back(parameter, golden_["defines"][parameter].dump());
    program_ = read_program(name);
  }

  nlohmann::json golden_;
  ReadProgram program_;
};

TEST_P(GoldenGraph, has_the_tasks_of_the_program_in_their_order) {
  std::vector<std::string> expected, found;
  for (const auto& task : golden_["tasks"]) {
    std::string text = std::string(task["procedure"]) + "(";
    for (std::size_t i = 0; i < task["arguments"].size(); ++i) {
      const auto& argument = task["arguments"][i];
      text += (i > 0 ? ", " : "") + (argument.is_string() ? std::string(argument) : argument.dump());
    }
    expected.push_back(text + ")");
  }
  for (const CallId call : ids<CallId>(program_.program.calls.size()))
    found.push_back(program_.program.text_of(call));
  EXPECT_EQ(found, expected);
}

TEST_P(GoldenGraph, has_an_edge_for_each_section_and_reader) {
  using Edge = std::tuple<std::size_t, std::size_t, std::string, std::uint64_t>;
  std::vector<Edge> expected, found;
  for (const auto& edge : golden_["edges"])
    expected.emplace_back(edge["from"], edge["to"], edge["section"], edge["bytes"]);
  for (const Flow& flow : program_.program.flows)
    for (const CallId reader : flow.to)
      found.emplace_back(flow.from.index(), reader.index(), flow.text, flow.size());
  std::ranges::sort(expected);
  std::ranges::sort(found);
  EXPECT_EQ(found, expected);
}

INSTANTIATE_TEST_SUITE_P(casch, GoldenGraph,
                         testing::Values("figure2-PN4-SN2", "figure2-PN8-SN4", "fft-PN4-SN2", "fft-PN8-SN4",
                                         "gauss-PN4-SN2", "gauss-PN5-SN3"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// Edges as tasks, with a number for each datum by its first edge.
using Edges = std::vector<std::tuple<std::size_t, std::size_t, std::size_t, std::uint64_t>>;

Edges edges_of(const TaskGraph& graph) {
  std::map<DatumId, std::size_t> numbers;
  Edges edges;
  for (const TaskId to : graph.tasks()) {
    std::vector<EdgeId> in(graph.in_edges(to).begin(), graph.in_edges(to).end());
    for (const EdgeId id : in) {
      const Edge& edge = graph.edge(id);
      const std::size_t number = numbers.try_emplace(edge.datum, numbers.size()).first->second;
      edges.emplace_back(edge.from.index(), to.index(), number, graph.datum_size(edge.datum).count);
    }
  }
  return edges;
}

TEST(CaschGenerators, make_the_graphs_of_the_programs) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  for (int depth = 1; depth <= 4; ++depth) {
    const WeightedProgram program =
        load_program(fmt::format("{}:PN={},SN=2", example("figure2.c"), 1 << depth));
    const std::uint64_t section = program.read.program.flows.front().size();
    EXPECT_EQ(edges_of(generate(fmt::format("casch_fft:depth={},data={}", depth, section))),
              edges_of(program.graph));
  }
  for (int blocks = 1; blocks <= 6; ++blocks) {
    const WeightedProgram program = load_program(fmt::format("{}:PN={},SN=2", example("gauss.c"), blocks));
    const std::uint64_t section = program.read.program.flows.front().size();
    EXPECT_EQ(edges_of(generate(fmt::format("casch_gauss:size={},data={}", blocks, section))),
              edges_of(program.graph));
  }
  for (int size = 1; size <= 4; ++size)
    for (int steps = 1; steps <= 3; ++steps)
      for (const auto& [generator, file] :
           {std::pair{"casch_laplace", "laplace_gauss_seidel.c"}, std::pair{"casch_nbody", "nbody.c"}}) {
        const WeightedProgram program =
            load_program(fmt::format("{}:PN={},SN=2,STEPS={}", example(file), size, steps));
        // Bodies and forces differ in size: one for each edge, in the order of the readers.
        std::string sizes;
        for (const TaskId task : program.graph.tasks())
          for (const EdgeId edge : program.graph.in_edges(task))
            sizes += fmt::format("{}{}", sizes.empty() ? "" : "/", program.graph.edge(edge).size.count);
        EXPECT_EQ(
            edges_of(generate(fmt::format("{}:size={},steps={},data={}", generator, size, steps, sizes))),
            edges_of(program.graph))
            << generator << ' ' << size << ' ' << steps;
      }
}

class GoldenOperations : public GoldenGraph {};

/// The sums, products, quotients and functions that the paper's estimator counts; procedures that print have
/// none.
TEST_P(GoldenOperations, are_those_of_the_formulas) {
  const std::vector<OperationCounts> counts = count_procedures(program_);
  for (std::size_t i = 0; i < program_.program.calls.size(); ++i) {
    const std::string name = golden_["tasks"][i]["procedure"];
    if (name == "Initiation" || golden_["tasks"][i]["operations"].is_null() || name == "IntraMult") continue;
    std::map<std::string, double> found =
        operations_of(program_, CallId(i), counts[program_.program.calls[i].procedure.index()]);
    std::erase_if(found, [](const auto& entry) {
      return entry.first == "memory" || entry.first == "integer" || entry.first == "iteration" ||
             entry.second == 0;
    });
    std::map<std::string, double> expected;
    for (const auto& [kind, count] : golden_["tasks"][i]["operations"].items()) expected[kind] = count;
    EXPECT_EQ(found, expected) << program_.program.text_of(CallId(i));
  }
}

INSTANTIATE_TEST_SUITE_P(casch, GoldenOperations,
                         testing::Values("fft-PN4-SN2", "fft-PN8-SN4", "gauss-PN4-SN2", "gauss-PN5-SN3"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

/// Figure 3: the schedule of the paper on a host and three processors.
TEST(Figure3, listings_of_communication_equal_the_golden_ones) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const std::filesystem::path folder = test::test_data() / "casch" / "figure3";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no test data";
  const ReadProgram read = read_program({.file = example("figure2.c")});
  const nlohmann::json schedule = nlohmann::json::parse(text_of_file(folder / "schedule.json"));
  const std::vector<std::string> names{"HOST", "P0", "P1", "P2"};
  Assignment assignment;
  for (const std::string& name : names) {
    std::vector<CallId>& calls = assignment.ranks.emplace_back();
    for (const auto& call : schedule[name]) calls.emplace_back(call.get<std::size_t>());
  }
  for (const bool packs : {false, true}) {
    const ParallelProgram parallel = insert_communication(read.program, assignment, {.packs = packs});
    EXPECT_EQ(listing(read.program, parallel, names),
              text_of_file(folder / (packs ? "packed.txt" : "unpacked.txt")));
  }
}

}  // namespace
}  // namespace takt::frontend
