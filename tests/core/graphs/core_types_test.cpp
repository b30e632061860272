#include "core/graphs/core_types.hpp"

#include <gmock/gmock.h>

#include "core/formats/graph_yaml.hpp"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* chain =
    "tasks:\n"
    "  - {name: a, work: {big: 8, little: 16}}\n"
    "  - {name: b, work: {little: 30, big: 9}, stateless: true}\n"
    "edges:\n"
    "  - {from: a, to: b, size: 5}\n";

Platform platform_of(std::vector<std::string> names, std::vector<std::uint32_t> types) {
  Platform platform = Platform::uniform(types.size());
  platform.core_types = std::move(names);
  platform.type_of = std::move(types);
  return platform;
}

std::string refusal_of(const std::string& text) {
  try {
    (void)graph_from_yaml(text, "g.yaml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::vector<Time::rep> works_of(const TaskGraph& graph, TaskId task) {
  std::vector<Time::rep> works;
  for (const ProcessorId processor : ids<ProcessorId>(graph.work_table_columns()))
    works.push_back(graph.work_on(task, processor)->count());
  return works;
}

TEST(CoreTypes, work_by_type_becomes_work_by_processor) {
  const TaskGraph graph =
      with_core_types(graph_from_yaml(chain, "g.yaml"), platform_of({"little", "big"}, {0, 1, 0}));
  EXPECT_THAT(graph.core_types(), IsEmpty());
  EXPECT_THAT(works_of(graph, TaskId(0)), ElementsAre(16, 8, 16));
  EXPECT_THAT(works_of(graph, TaskId(1)), ElementsAre(30, 9, 30));
  EXPECT_TRUE(graph.task(TaskId(1)).stateless);
  ASSERT_EQ(graph.edge_count(), 1U);
  EXPECT_EQ(graph.edge(EdgeId(0)).size, Bytes{5});
}

TEST(CoreTypes, a_machine_may_lack_types_of_the_graph) {
  const TaskGraph graph = with_core_types(graph_from_yaml(chain, "g.yaml"), platform_of({"big"}, {0, 0}));
  EXPECT_THAT(works_of(graph, TaskId(0)), ElementsAre(8, 8));
}

TEST(CoreTypes, a_graph_without_types_stays_as_it_is) {
  const std::string text = "tasks:\n  - {name: a, work: [1, 2]}\n";
  const TaskGraph graph = graph_from_yaml(text, "g.yaml");
  EXPECT_EQ(with_core_types(graph, platform_of({"big"}, {0, 0})), graph);
}

TEST(CoreTypes, a_machine_without_types_or_with_an_unknown_one_is_refused) {
  const TaskGraph graph = graph_from_yaml(chain, "g.yaml");
  EXPECT_THROW((void)with_core_types(graph, Platform::uniform(2)), ConfigError);
  try {
    (void)with_core_types(graph, platform_of({"big", "litle"}, {0, 1}));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'litle'"));
    EXPECT_THAT(error.what(), HasSubstr("little"));
  }
}

TEST(CoreTypes, written_graphs_are_read_back) {
  const TaskGraph graph = graph_from_yaml(chain, "g.yaml");
  EXPECT_THAT(graph_to_yaml(graph), HasSubstr("work: {big: 8, little: 16}"));
  EXPECT_EQ(graph_from_yaml(graph_to_yaml(graph), "g.yaml"), graph);
}

TEST(CoreTypes, faults_in_works_are_refused_with_their_places) {
  EXPECT_THAT(refusal_of("tasks:\n  - {name: a, work: {big: 1}}\n  - {name: b, work: {bigg: 1}}\n"),
              HasSubstr("g.yaml:3:22"));
  EXPECT_THAT(refusal_of("tasks:\n  - {name: a, work: {big: 1, small: 2}}\n  - {name: b, work: {big: 1}}\n"),
              HasSubstr("on type 'small' is missing"));
  EXPECT_THAT(refusal_of("tasks:\n  - {name: a, work: 1}\n  - {name: b, work: {big: 1}}\n"),
              HasSubstr("g.yaml:3:"));
  EXPECT_THAT(refusal_of("tasks:\n  - {name: a, work: {big: 1}}\n  - {name: b, work: [1]}\n"),
              HasSubstr("for all"));
  EXPECT_THAT(refusal_of("tasks:\n  - {name: a, work: {}}\n"), HasSubstr("{big: 8, little: 16}"));
}

}  // namespace
}  // namespace takt
