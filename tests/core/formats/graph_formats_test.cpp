#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/formats/dot.hpp"
#include "core/formats/graph_source.hpp"
#include "core/formats/graph_yaml.hpp"
#include "core/formats/stg.hpp"
#include "core/formats/wfcommons.hpp"
#include "core/graphs/generators.hpp"
#include "core/graphs/levels.hpp"
#include "tests/core/graphs/random_graph.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

constexpr std::uint64_t graph_count = 300;

TEST(GraphFormats, yaml_keeps_everything) {
  for (std::uint64_t seed = 0; seed < graph_count; ++seed) {
    const TaskGraph graph = random_graph(seed);
    const std::string text = graph_to_yaml(graph);
    EXPECT_EQ(graph_from_yaml(text, "a.yaml"), graph) << "seed " << seed << "\n" << text;
  }
}

TEST(GraphFormats, dot_keeps_everything_but_unused_data) {
  for (std::uint64_t seed = 0; seed < graph_count; ++seed) {
    const TaskGraph graph = random_graph(seed, {.unused_data = false});
    const std::string text = graph_to_dot(graph);
    EXPECT_EQ(graph_from_dot(text, "a.dot"), graph) << "seed " << seed << "\n" << text;
  }
}

TEST(GraphFormats, wfcommons_keeps_names_times_sizes_and_sharing) {
  for (std::uint64_t seed = 0; seed < graph_count; ++seed) {
    const TaskGraph graph =
        random_graph(seed, {.stateless = false, .work_table = false, .unused_data = false});
    const std::string text = graph_to_wfcommons(graph);
    const TaskGraph back = graph_from_wfcommons(text, "a.json");
    // Data and edges return in the order of the producing tasks.
    EXPECT_EQ(back.datum_count(), graph.datum_count()) << "seed " << seed << "\n" << text;
    EXPECT_EQ(graph_from_wfcommons(graph_to_wfcommons(back), "b.json"), back) << "seed " << seed;
    ASSERT_EQ(back.task_count(), graph.task_count());
    for (TaskId id : graph.tasks()) {
      EXPECT_EQ(back.task(id), graph.task(id));
      const auto edges_of = [id](const TaskGraph& each) {
        std::vector<std::pair<TaskId, Bytes>> edges;
        for (EdgeId edge : each.out_edges(id)) edges.emplace_back(each.edge(edge).to, each.edge(edge).size);
        std::sort(edges.begin(), edges.end());
        return edges;
      };
      EXPECT_EQ(edges_of(back), edges_of(graph)) << "seed " << seed;
    }
  }
}

TEST(GraphFormats, stg_keeps_work_and_precedence_between_its_dummies) {
  for (std::uint64_t seed = 0; seed < graph_count; ++seed) {
    const TaskGraph graph = random_graph(seed);
    const std::string text = graph_to_stg(graph);
    const TaskGraph back = graph_from_stg(text, "a.stg");
    EXPECT_EQ(back.total_work(), graph.total_work()) << "seed " << seed;
    EXPECT_EQ(computation_critical_path(back), computation_critical_path(graph)) << "seed " << seed;
    EXPECT_EQ(graph_from_stg(graph_to_stg(back), "b.stg"), back) << "seed " << seed << "\n" << text;
    EXPECT_LE(back.task_count(), graph.task_count() + 2) << "seed " << seed;
  }
}

TEST(GraphFormats, yaml_reads_units_tables_and_shared_data) {
  const TaskGraph graph = graph_from_yaml(R"(
tasks:
  - {name: a, work: [14, 16, 9]}
  - name: b
    work: [1 us, 2us, 3000]
    stateless: true
  - {name: 7, work: [1, 1, 2]}
edges:
  - {from: a, to: [b, 7], size: 4 KiB}
  - {from: b, to: 7}
)",
                                          "a.yaml");
  ASSERT_EQ(graph.task_count(), 3U);
  // The mean of the table, to nearest: 39 / 3, 6000 / 3, 4 / 3.
  EXPECT_EQ(graph.task(TaskId(0)).work, Time{13});
  EXPECT_EQ(graph.task(TaskId(1)).work, Time{2000});
  EXPECT_EQ(graph.task(TaskId(2)).work, Time{1});
  EXPECT_EQ(graph.work_on(TaskId(1), ProcessorId(1)), Time{2000});
  EXPECT_FALSE(graph.work_on(TaskId(1), ProcessorId(3)).has_value());
  EXPECT_TRUE(graph.task(TaskId(1)).stateless);
  EXPECT_EQ(graph.edge_count(), 3U);
  EXPECT_EQ(graph.datum_count(), 2U);
  EXPECT_EQ(graph.edge(EdgeId(0)).datum, graph.edge(EdgeId(1)).datum);
  EXPECT_EQ(graph.edge(EdgeId(1)).size, Bytes{4096});
  EXPECT_EQ(graph.edge(EdgeId(2)).size, Bytes{1});
}

/// Long texts are read part by part; errors and their positions must be reported as for short ones.
TEST(GraphFormats, yaml_of_many_lines_is_read_as_that_of_few) {
  const TaskGraph graph = generate("wave:width=100,depth=310,cost=1..9,data=1..99,seed=3");
  const std::string text = graph_to_yaml(graph);
  ASSERT_GT(text.size(), std::size_t{1} << 22);
  EXPECT_EQ(graph_from_yaml(text, "long.yaml"), graph);
  const std::size_t edges = text.find("edges:");
  EXPECT_EQ(graph_from_yaml(text.substr(edges) + text.substr(0, edges), "long.yaml"), graph);
  const test::TemporaryFolder folder;
  for (const std::string& form : {text, "\xef\xbb\xbf" + text, text.substr(0, text.size() - 1), text + "\n"})
    EXPECT_EQ(load_graph(folder.file("long.yaml", form)), graph);
  EXPECT_THAT([&] { (void)load_graph(folder.file("long.yaml", text + "  - {from: 0, to: nobody}\n")); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("long.yaml:"), HasSubstr("unknown task 'nobody'"))));

  const auto lines = std::ranges::count(text, '\n');
  const auto refusal = [&](const std::string& last_line) -> std::string {
    try {
      (void)graph_from_yaml(text + last_line, "long.yaml");
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "none";
  };
  const std::string place = fmt::format("long.yaml:{}:", lines + 1);
  EXPECT_THAT(refusal("  - {from: 0, to: nobody}\n"),
              AllOf(StartsWith(place + "19: "), HasSubstr("unknown task 'nobody'")));
  EXPECT_THAT(refusal("  - {from: 31000, to: 0}\n"), AllOf(StartsWith(place), HasSubstr("cycle")));
  EXPECT_THAT(refusal("more: 3\n"), AllOf(StartsWith(place), HasSubstr("'more'")));
  EXPECT_THAT(refusal("edges:\n  - {from: 0, to: 100}\n"), AllOf(StartsWith(place), HasSubstr("already")));
}

TEST(GraphFormats, dot_is_read_as_by_graphviz) {
  const TaskGraph graph = graph_from_dot(R"(
/* a comment */ strict digraph "my \"graph\"" {
  rankdir=LR; label=<<b>bold</b>>
# preprocessor output
  node [Weight=3, shape="box"]; edge [Weight=2]
  a; "b c" [Weight=5]
  subgraph cluster_0 { style=filled; node [Weight=7]; d -> e -> a [color=red] }
  a -> "b" + " c" [weight=9; Weight="4"];  // attributes in quotes, texts joined
  a -> "b c"
  -1.5 [Weight=8.0]
}
)",
                                         "a.dot");
  const auto work = [&](std::string_view name) { return graph.task(graph.find(name).value()).work.count(); };
  EXPECT_EQ(graph.task_count(), 5U);
  EXPECT_EQ(work("a"), 3);
  EXPECT_EQ(work("b c"), 5);
  EXPECT_EQ(work("d"), 7);
  EXPECT_EQ(work("e"), 7);
  EXPECT_EQ(work("-1.5"), 8);
  // d -> e, e -> a, and a -> "b c" once, because the graph is strict.
  ASSERT_EQ(graph.edge_count(), 3U);
  EXPECT_EQ(graph.edge(EdgeId(0)).size, Bytes{2});
  EXPECT_EQ(graph.edge(EdgeId(2)).size, Bytes{4});
}

TEST(GraphFormats, dot_joins_all_nodes_of_subgraphs_and_ignores_ports) {
  const TaskGraph graph = graph_from_dot(R"(digraph {
  node [Weight=1];
  {a b} -> subgraph s { c; d -> e [Weight=5] } -> "f":out:sw [Weight=2]
})",
                                         "f");
  ASSERT_EQ(graph.task_count(), 6);
  // 2 x 3 edges into the subgraph, 3 from it to f, and its own.
  ASSERT_EQ(graph.edge_count(), 10);
  std::size_t of_size_2 = 0;
  for (EdgeId edge : graph.edges()) of_size_2 += graph.edge(edge).size == Bytes{2};
  EXPECT_EQ(of_size_2, 9);
  EXPECT_EQ(graph.in_edges(*graph.find("f")).size(), 3);
  EXPECT_EQ(graph.in_edges(*graph.find("e")).size(), 3) << "of a, b and d";
}

TEST(GraphFormats, dot_leads_undirected_edges_from_the_task_mentioned_first) {
  // A triangle: for any notation of its edges, they form no cycle.
  const TaskGraph graph =
      graph_from_dot("graph { node [Weight=1] a; b; c; b -- a [Weight=5]; b -- c -- a }", "t.dot");
  ASSERT_EQ(graph.edge_count(), 3U);
  for (EdgeId edge : graph.edges()) EXPECT_LT(graph.edge(edge).from, graph.edge(edge).to);
  EXPECT_EQ(graph.edge(EdgeId(0)).size, Bytes{5});
}

TEST(GraphFormats, edges_without_a_direction_are_written_and_read_back) {
  const TaskGraph graph =
      graph_from_dot("graph { node [Weight=1] a; b; c; b -- a [Weight=5]; b -- c -- a }", "t.dot");
  EXPECT_TRUE(graph.is_undirected());
  EXPECT_EQ(graph_from_dot(graph_to_dot(graph), "t.dot"), graph);
  EXPECT_EQ(graph_from_yaml(graph_to_yaml(graph), "t.yaml"), graph);
  const TaskGraph circle = graph_from_yaml(
      "undirected: true\n"
      "tasks: [{name: a, work: 1}, {name: b, work: 1}, {name: c, work: 1}]\n"
      "edges: [{from: c, to: [a, b], size: 3}, {from: a, to: b, size: 4}]\n",
      "t.yaml");
  EXPECT_TRUE(circle.is_undirected());
  ASSERT_EQ(circle.edge_count(), 3U);
  for (EdgeId edge : circle.edges()) EXPECT_LT(circle.edge(edge).from, circle.edge(edge).to);
  EXPECT_FALSE(graph_from_dot("digraph { a [Weight=1] }", "d.dot").is_undirected());
}

TEST(GraphFormats, dot_reads_the_names_of_weights_that_other_tools_use) {
  const TaskGraph graph = graph_from_dot(
      "digraph G { 1 [size=\"500\", alpha=\"0.1\"] 2 [weight=3] 1 -> 2 [size =\"7\"] }", "daggen.dot");
  EXPECT_EQ(graph.task(TaskId(0)).work, Time{500});
  EXPECT_EQ(graph.task(TaskId(1)).work, Time{3});
  EXPECT_EQ(graph.edge(EdgeId(0)).size, Bytes{7});
}

TEST(GraphFormats, wfcommons_has_one_edge_per_parent_and_child) {
  const TaskGraph graph = graph_from_wfcommons(R"({
    "name": "w", "schemaVersion": "1.5",
    "workflow": {
      "specification": {
        "tasks": [
          {"name": "p", "id": "p", "parents": [], "children": ["c", "d", "e"], "outputFiles": ["x", "y", "z"]},
          {"name": "c", "id": "c", "parents": ["p"], "children": [], "inputFiles": ["x", "y"]},
          {"name": "d", "id": "d", "parents": ["p"], "children": [], "inputFiles": ["y", "x"]},
          {"name": "e", "id": "e", "parents": [], "children": ["f"], "inputFiles": ["z"]},
          {"name": "f", "id": "f", "parents": [], "children": []}
        ],
        "files": [{"id": "x", "sizeInBytes": 10}, {"id": "y", "sizeInBytes": 5}, {"id": "z", "sizeInBytes": 1}]
      },
      "execution": {"makespanInSeconds": 3, "executedAt": "2023-01-01T00:00:00Z", "tasks": [
        {"id": "p", "runtimeInSeconds": 1.5}, {"id": "c", "runtimeInSeconds": 0.000000001},
        {"id": "d", "runtimeInSeconds": 2}, {"id": "e", "runtimeInSeconds": 2}, {"id": "f", "runtimeInSeconds": 0}]}
    }})",
                                               "w.json");
  EXPECT_EQ(graph.task(TaskId(0)).work, Time{1'500'000'000});
  EXPECT_EQ(graph.task(TaskId(1)).work, Time{1});
  ASSERT_EQ(graph.edge_count(), 4U);
  // c and d read the same two files of p: one datum of 15 bytes. e reads another one, and f nothing of e.
  EXPECT_EQ(graph.edge(EdgeId(0)).size, Bytes{15});
  EXPECT_EQ(graph.edge(EdgeId(0)).datum, graph.edge(EdgeId(1)).datum);
  EXPECT_EQ(graph.edge(EdgeId(2)).size, Bytes{1});
  EXPECT_EQ(graph.edge(EdgeId(3)).size, Bytes{0});
}

TEST(GraphFormats, stg_reads_files_with_and_without_dummies) {
  EXPECT_EQ(graph_from_stg("2\n0 0 0\n1 5 1 0\n2 7 1 1\n3 0 1 2\n# end\n", "a.stg").task_count(), 4U);
  EXPECT_EQ(graph_from_stg("2 9\n1 5 0\n2 7 1 1\n3 0 1 2", "no entry.stg").task_count(), 3U);
  EXPECT_EQ(graph_from_stg("4\n0 0 0\n1 5 1 0\n2 7 1 1\n3 0 1 2", "all counted.stg").task_count(), 4U);
  EXPECT_EQ(graph_from_stg("2\n0 5 0\n1 7 1 0\n", "no dummies.stg").task_count(), 2U);
  EXPECT_EQ(graph_from_stg("2\r\n0 5 1 1\r\n1 7 0\r\n", "later predecessor.stg").edge(EdgeId(0)).from,
            TaskId(1));
}

TEST(GraphFormats, accept_byte_order_marks_and_crlf) {
  const TaskGraph graph = generate("diamond:depth=2,cost=1..9");
  const test::TemporaryFolder folder;
  for (const GraphFormat& format : all_graph_formats()) {
    std::string text = "\xef\xbb\xbf";
    for (const char c : format.write(graph)) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    const std::string file = folder.file("graph" + std::string(format.extension), text);
    EXPECT_EQ(load_graph(file), format.read(format.write(graph), "written")) << format.name;
  }
}

TEST(GraphFormats, are_chosen_by_name_and_extension) {
  EXPECT_EQ(find_graph_format("stg").extension, ".stg");
  EXPECT_THAT([] { (void)find_graph_format("dott"); },
              ThrowsMessage<ConfigError>(HasSubstr("unknown graph format 'dott'; did you mean 'dot'?")));
  EXPECT_EQ(load_graph("diamond:depth=2"), generate("diamond:depth=2"));
  EXPECT_THAT([] { (void)load_graph("none.yaml"); },
              ThrowsMessage<ConfigError>(HasSubstr("none.yaml: cannot read")));
  EXPECT_THAT([] { (void)load_graph("dimond"); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("neither a file with one of the endings .yaml .dot .stg .json .dax")));
  EXPECT_THAT([] { (void)load_graph("dimond:depth=3"); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'diamond'?")));
}

}  // namespace
}  // namespace takt
