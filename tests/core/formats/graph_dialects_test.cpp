// Dialects of graph files that other programs write: SimGrid, Snakemake, dask, WfFormat before 1.5, Pegasus.

#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/formats/dot.hpp"
#include "core/formats/graph_source.hpp"
#include "core/formats/pegasus_dax.hpp"
#include "core/formats/stg.hpp"
#include "core/formats/wfcommons.hpp"
#include "tests/core/graphs/random_graph.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Returns `from>to:size` of each edge.
std::vector<std::string> edges_of(const TaskGraph& graph) {
  std::vector<std::string> edges;
  for (const EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    edges.push_back(
        fmt::format("{}>{}:{}", graph.task(edge.from).name, graph.task(edge.to).name, edge.size.count));
  }
  return edges;
}

std::int64_t work(const TaskGraph& graph, std::string_view name) {
  return graph.task(graph.find(name).value()).work.count();
}

TEST(GraphDialects, simgrids_dot_has_marks_without_work_and_edges_without_data) {
  const DotFile file = read_dot(R"(digraph G {
  a [size="1.5e10"]; b [size="12.5e3"]; c [size="7", performer="2"]
  root -> a [size="3e8"]
  root -> b [size="-1"]
  a -> c [size="2.5e6"]
  b -> c [size="-1."]
  c -> end
})",
                                "f");
  EXPECT_EQ(work(file.graph, "a"), 15'000'000'000);
  EXPECT_EQ(work(file.graph, "b"), 12'500);
  EXPECT_EQ(work(file.graph, "root") + work(file.graph, "end"), 0);
  EXPECT_THAT(edges_of(file.graph),
              ElementsAre("root>a:300000000", "root>b:0", "a>c:2500000", "b>c:0", "c>end:0"));
  EXPECT_THAT(file.notes, IsEmpty());
}

TEST(GraphDialects, fractions_in_dot_are_rounded_with_a_note) {
  const DotFile file =
      read_dot("digraph { a [size=0.75] b [size=1999.5] c [size=20] a -> b [size=2.25] }", "f.dot");
  EXPECT_EQ(work(file.graph, "a"), 1);
  EXPECT_EQ(work(file.graph, "b"), 2000);
  EXPECT_THAT(edges_of(file.graph), ElementsAre("a>b:2"));
  // 0.75 becomes 1: a third more.
  EXPECT_THAT(file.notes, ElementsAre("f.dot: 3 weights are rounded to whole numbers, by up to 33.3 %"));
  EXPECT_THAT(read_dot("digraph { a -> b [size=0.4] a [size=1] b [size=1] }", "f.dot").notes,
              ElementsAre("f.dot: 1 weights are rounded to whole numbers, by up to 100 %"));
}

TEST(GraphDialects, dot_without_weights_has_work_1_with_a_note) {
  const DotFile snakemake = read_dot(R"(digraph snakemake_dag {
    graph[bgcolor=white, margin=0];
    node[shape=box, style=rounded, fontname=sans, fontsize=10, penwidth=2];
    edge[penwidth=2, color=grey];
	0[label = "plot", color = "0.1 0.6 0.85", style="rounded"];
	1[label = "call\nsample: B", color = "0.4 0.6 0.85", style="rounded,dashed"];
	1 -> 0
	2 -> 1
})",
                                     "s.dot");
  EXPECT_EQ(snakemake.graph.total_work(), Time{3});
  EXPECT_THAT(edges_of(snakemake.graph), ElementsAre("1>0:1", "2>1:1"));
  EXPECT_THAT(snakemake.notes, ElementsAre(HasSubstr("s.dot: no node has a weight: each task gets work 1")));

  const DotFile dask = read_dot(R"(digraph {
	graph [rankdir=BT]
	node [fontname=helvetica]
	"-1724" [label=sum shape=circle]
	8 [label=<<b>x</b>> height=0.5 penwidth=1 shape=box width=0.5]
	8 -> "-1724"
})",
                                "d.dot");
  EXPECT_EQ(dask.graph.total_work(), Time{2});
  EXPECT_THAT(edges_of(dask.graph), ElementsAre("8>-1724:1"));
  // Follows the advice of the note.
  const DotFile advised = read_dot("digraph { node [Weight=40] a -> b }", "a.dot");
  EXPECT_EQ(advised.graph.total_work(), Time{80});
  EXPECT_THAT(advised.notes, IsEmpty());
}

TEST(GraphDialects, stg_with_communication_costs_has_sizes) {
  const TaskGraph graph = graph_from_stg(R"(   2   # two tasks and the dummies
 0   0  0
 1  11  1
     0  6
 2  13  2
     0  4
     1  9
 3   0  1
     2  1
)",
                                         "f");
  EXPECT_EQ(graph.total_work(), Time{24});
  EXPECT_THAT(edges_of(graph), UnorderedElementsAre("0>1:6", "0>2:4", "1>2:9", "2>3:1"));
}

/// Random STG text of either variant, compared with counts taken while it is written.
TEST(GraphDialects, stg_variants_differ_in_sizes_only) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    const int tasks = 2 + static_cast<int>(random() % 20);
    std::string plain = fmt::format("{}\n", tasks - 2), costs = plain;
    std::vector<std::string> edges;
    for (int task = 0; task < tasks; ++task) {
      std::vector<int> predecessors;
      for (int other = 0; other < task; ++other)
        if (random() % 3 == 0) predecessors.push_back(other);
      const std::string head = fmt::format("{} {} {}", task, random() % 100, predecessors.size());
      plain += head, costs += head + "\n";
      for (const int other : predecessors) {
        const std::uint64_t cost = random() % 50;
        plain += fmt::format(" {}", other), costs += fmt::format("  {} {}\n", other, cost);
        edges.push_back(fmt::format("{}>{}:{}", other, task, cost));
      }
      plain += "\n";
    }
    const TaskGraph with = graph_from_stg(costs, "costs"), without = graph_from_stg(plain, "plain");
    EXPECT_THAT(edges_of(with), ::testing::UnorderedElementsAreArray(edges));
    EXPECT_EQ(with.edge_count(), without.edge_count());
    for (const TaskId id : with.tasks()) EXPECT_EQ(with.task(id), without.task(id));
  }
}

/// Converts a workflow of version 1.5 to an older version.
json older(const json& newest, const std::string& version) {
  const bool has_old_words = version < "1.4", has_ids = version >= "1.2";
  const json& specification = newest["workflow"]["specification"];
  std::map<std::string, json> sizes;
  for (const json& file : specification["files"]) sizes[file["id"]] = file["sizeInBytes"];
  std::map<std::string, json> runtimes;
  for (const json& run : newest["workflow"]["execution"]["tasks"])
    runtimes[run["id"]] = run["runtimeInSeconds"];
  json tasks = json::array();
  for (const json& task : specification["tasks"]) {
    json files = json::array();
    for (const auto& [list, link] : {std::pair("inputFiles", "input"), std::pair("outputFiles", "output")})
      for (const json& file : task[list])
        files.push_back(
            {{"name", file}, {"link", link}, {has_old_words ? "size" : "sizeInBytes", sizes[file]}});
    json entry{{"name", task["id"]},
               {"type", "compute"},
               {"parents", task["parents"]},
               {"files", files},
               {has_old_words ? "runtime" : "runtimeInSeconds", runtimes[task["id"]]}};
    if (has_ids) entry["id"] = task["id"];
    if (has_ids) entry["name"] = "name of " + task["id"].get<std::string>();
    if (version >= "1.3") entry["children"] = task["children"];
    tasks.push_back(std::move(entry));
  }
  return {{"name", "w"},
          {"schemaVersion", version},
          {"workflow",
           {{has_old_words ? "makespan" : "makespanInSeconds", 1},
            {version < "1.3" ? "jobs" : "tasks", std::move(tasks)}}}};
}

TEST(GraphDialects, wfformat_of_every_version_yields_the_same_graph) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::string text = graph_to_wfcommons(
        random_graph(seed, {.stateless = false, .work_table = false, .unused_data = false}));
    const TaskGraph graph = graph_from_wfcommons(text, "newest.json");
    for (const std::string version : {"1.0", "1.1", "1.2", "1.3", "1.4"}) {
      const GraphFile back = read_wfcommons(older(json::parse(text), version).dump(), "f.json");
      EXPECT_THAT(edges_of(back.graph), ::testing::UnorderedElementsAreArray(edges_of(graph)))
          << version << " seed " << seed;
      ASSERT_EQ(back.graph.task_count(), graph.task_count());
      for (const TaskId id : graph.tasks()) EXPECT_EQ(back.graph.task(id), graph.task(id)) << version;
      if (version < std::string("1.4") && back.graph.datum_count() > 0) {
        EXPECT_THAT(back.notes, ElementsAre(HasSubstr("sizes of files are read as bytes")));
      }
    }
  }
}

TEST(GraphDialects, wfformat_tasks_without_parents_depend_on_the_writers_of_their_files) {
  const GraphFile file = read_wfcommons(R"({"schemaVersion": "1.4", "workflow": {"tasks": [
    {"name": "a", "runtimeInSeconds": 1, "parents": [], "files": [
      {"name": "x", "path": "/data/", "sizeInBytes": 5, "link": "output"}]},
    {"name": "b", "runtimeInSeconds": 2, "parents": [], "files": [
      {"name": "x", "path": "/data/", "sizeInBytes": 6, "link": "input"}, {"name": "x", "sizeInBytes": 9, "link": "input"}]},
    {"name": "c", "runtimeInSeconds": 0.5, "parents": ["b"], "files": [
      {"name": "x", "path": "/data/", "sizeInBytes": 5, "link": "input"}]}]}})",
                                        "f.json");
  EXPECT_THAT(edges_of(file.graph), ElementsAre("a>b:5", "b>c:0"));
  EXPECT_THAT(file.notes,
              ElementsAre("f.json: 1 entries contradict the file size in an earlier one, which is used"));
}

TEST(GraphDialects, dax_is_read_with_its_files_and_dependencies) {
  const GraphFile file = read_dax(R"(<?xml version="1.0"?>
<!-- generated -->
<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.6" name="w" jobCount="4">
  <file name="in"><pfn url="file:///in" site="local"/></file>
  <job id="ID0" name="split" runtime="13.59">
    <argument>-i <file name="in"/> <![CDATA[a > b </job>]]></argument>
    <uses name="in" link="input" size="7"/><uses name="l" link="output" size="100"/>
    <uses name="r" link="output" size="23"/><uses name="split" link="none"/>
  </job>
  <job id="ID1" runtime="0.000000001"><uses file="l" link="input" size="100"/></job>
  <job id="ID2" runtime="2"><uses file="r" link="input" size="23"/><uses file="l" link="input" size="101"/></job>
  <job id="ID3" runtime="0"><uses file="r" link="inout" size="23"/></job>
  <child ref="ID1"><parent ref="ID0"/></child>
  <child ref="ID3"><parent ref="ID1"/><parent ref="ID1"/></child>
</adag>)",
                                  "f.dax");
  EXPECT_EQ(work(file.graph, "ID0"), 13'590'000'000);
  EXPECT_EQ(work(file.graph, "ID1"), 1);
  // ID3 also writes r: ID2 reads it, but no <child> element lists it.
  EXPECT_THAT(edges_of(file.graph),
              UnorderedElementsAre("ID0>ID1:100", "ID0>ID2:123", "ID0>ID3:23", "ID1>ID3:0", "ID3>ID2:23"));
  EXPECT_THAT(file.notes,
              ElementsAre("f.dax: 1 <uses> contradict the size in an earlier one, which is used"));
}

TEST(GraphDialects, dax_without_runtimes_has_work_1_with_a_note) {
  const GraphFile file =
      read_dax("<adag><job id='a'/><job id='b'/><child ref='b'><parent ref='a'/></child></adag>", "f.dax");
  EXPECT_EQ(file.graph.total_work(), Time{2});
  EXPECT_THAT(file.notes, ElementsAre("f.dax: no job has a runtime: each task gets work 1"));
}

TEST(GraphDialects, dax_keeps_names_times_sizes_and_sharing) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const TaskGraph graph =
        random_graph(seed, {.stateless = false, .work_table = false, .unused_data = false});
    const std::string text = graph_to_dax(graph);
    const TaskGraph back = read_dax(text, "a.dax").graph;
    EXPECT_EQ(back.datum_count(), graph.datum_count()) << "seed " << seed << "\n" << text;
    EXPECT_THAT(edges_of(back), ::testing::UnorderedElementsAreArray(edges_of(graph))) << "seed " << seed;
    ASSERT_EQ(back.task_count(), graph.task_count());
    for (const TaskId id : graph.tasks()) EXPECT_EQ(back.task(id), graph.task(id));
  }
}

TEST(GraphDialects, are_recognised_on_standard_input_and_by_other_endings) {
  const test::TemporaryFolder folder;
  const std::string text = "<adag><job id='a' runtime='1'/></adag>";
  EXPECT_EQ(load_graph(folder.file("workflow.xml", text)).total_work(), Time{1'000'000'000});
  EXPECT_EQ(load_graph(folder.file("workflow.dax", text)).total_work(), Time{1'000'000'000});
}

}  // namespace
}  // namespace takt
