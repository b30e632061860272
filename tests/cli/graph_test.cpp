#include <cstdlib>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/formats/graph_source.hpp"
#include "core/graphs/generators.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

using test::takt;
using ::testing::HasSubstr;

bool graphviz_is_there() {
  return std::system("dot -V >/dev/null 2>&1") == 0;
}

TEST(Graph, converts_between_all_formats) {
  const test::TemporaryFolder folder;
  const TaskGraph graph = generate("fft:depth=2,cost=1..9,data=1..9");
  std::string last = folder / "start.yaml";
  EXPECT_EQ(takt({"graph", "fft:depth=2,cost=1..9,data=1..9", "--output", last}).exit_code, 0);
  for (const char* name : {"a.dot", "b.json", "c.yaml", "d.yml"}) {
    const std::string next = folder / name;
    EXPECT_EQ(takt({"graph", last, "--output", next}).exit_code, 0);
    EXPECT_EQ(load_graph(next), graph) << name;
    last = next;
  }
  EXPECT_EQ(takt({"graph", last, "--format", "stg"}).out, find_graph_format("stg").write(graph));
}

TEST(Graph, prints_its_figures) {
  // A wave of 5 layers of 3 tasks, with 7 edges between layers; an edge counts 2 in the delay model.
  const test::Result result = takt({"graph", "wave:depth=4,width=3,cost=10,data=2", "--info"});
  EXPECT_EQ(result.exit_code, 0);
  const std::vector<std::pair<std::string, std::string>> figures{
      {"tasks", "15"}, {"edges", "28"},        {"size", "56"},          {"layers", "5"},    {"width", "3"},
      {"work", "150"}, {"largest_work", "10"}, {"critical_path", "50"}, {"with_data", "58"}};
  for (const auto& [name, value] : figures)
    EXPECT_THAT(result.out, ::testing::ContainsRegex("(^|\n)" + name + " +" + value));
}

TEST(Graph, is_drawn_without_other_programs) {
  test::Program program(
      {"/usr/bin/env", "PATH=/nonexistent", TAKT_PROGRAM, "graph", "diamond:depth=1", "--format", "svg"});
  const test::Result result = program.wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("</svg>"));
}

TEST(Graph, writes_dot_that_graphviz_reads) {
  if (!graphviz_is_there()) GTEST_SKIP() << "Graphviz' program dot is not installed";
  const test::TemporaryFolder folder;
  const std::string dot =
      folder.file("g.dot", takt({"graph", "gauss:size=5,cost=1..9", "--format", "dot"}).out);
  test::Program program({"dot", "-Tplain", dot});
  const test::Result result = program.wait();
  // One line for each of the 14 tasks and the 19 edges.
  const auto count = [&](const std::string& word) {
    std::size_t lines = 0;
    for (std::size_t at = result.out.find("\n" + word); at != std::string::npos;
         at = result.out.find("\n" + word, at + 1))
      ++lines;
    return lines;
  };
  EXPECT_EQ(count("node "), 14U);
  EXPECT_EQ(count("edge "), 19U);
}

TEST(Graph, interaction_graphs_keep_their_kind) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file(
      "t.dot", "graph { a [Weight=4] b [Weight=4] c [Weight=2]; a -- b [Weight=1]; b -- c [Weight=9] }");
  EXPECT_THAT(takt({"graph", file}).out, HasSubstr("undirected: true"));
  EXPECT_THAT(takt({"graph", file, "--format", "dot"}).out, HasSubstr("\"a\" -- \"b\""));
  for (const char* format : {"stg", "json", "dax"}) {
    const test::Result result = takt({"graph", file, "--format", format});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("expected yaml, dot or svg"));
  }
  EXPECT_EQ(takt({"view", file, "--format", "svg"}).exit_code, 0);
  // By hand: a alone has 4 + 1, b and c have 6 + 1.
  const test::Result plan = takt({"plan", file, "--machine", "delay:P=2,network=ring:2", "--format", "json"});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  const nlohmann::json json = nlohmann::json::parse(plan.out);
  EXPECT_EQ(json["period"], 7);
  EXPECT_EQ(json["mapping"]["total_load"], 12);
  EXPECT_EQ(json["busiest_link"]["busy"], 1);
  const test::Result heft = takt({"plan", file, "--machine", "delay:P=2", "--scheduler", "heft"});
  EXPECT_EQ(heft.exit_code, 2);
  EXPECT_THAT(heft.err, HasSubstr("a scheduler of the family mapping"));
}

TEST(Graph, reader_notes_are_printed_by_every_command_that_reads_graphs) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("drawing.dot", "digraph { a -> b }");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"graph", file, "--info"}, {"plan", file, "--machine", "delay:P=2"}}) {
    const test::Result result = takt(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("takt: note: " + file + ": no node has a weight"));
  }
}

}  // namespace
}  // namespace takt
