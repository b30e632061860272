#include "core/graphs/task_graph.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(TaskGraph, names_the_tasks_of_a_cycle) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({"a", Time{1}});
  const TaskId b = builder.add_task({"b", Time{1}});
  const TaskId c = builder.add_task({"c", Time{1}});
  builder.add_edge(a, b, Bytes{1});
  builder.add_edge(b, c, Bytes{1});
  builder.add_edge(c, b, Bytes{1});
  EXPECT_THAT([&] { (void)std::move(builder).build(); },
              ThrowsMessage<ConfigError>(HasSubstr("c -> b -> c")));
}

// If each edge has its own datum, in order, the graph keeps no lists of data: for any order of adding edges,
// and until one shares a datum.
TEST(TaskGraph, returns_data_of_edges_with_and_without_lists) {
  const auto graph = [](auto add_edges) {
    TaskGraphBuilder builder;
    const TaskId a = builder.add_task({"a", Time{1}}), b = builder.add_task({"b", Time{1}}),
                 c = builder.add_task({"c", Time{1}});
    add_edges(builder, a, b, c);
    return std::move(builder).build();
  };
  const TaskGraph own = graph([](TaskGraphBuilder& builder, TaskId a, TaskId b, TaskId c) {
    builder.add_edge(a, b, Bytes{2});
    builder.add_edge(b, c, Bytes{3});
  });
  const TaskGraph listed = graph([](TaskGraphBuilder& builder, TaskId a, TaskId b, TaskId c) {
    builder.add_edge(a, b, Bytes{2});
    builder.add_edge(builder.add_datum(b, Bytes{3}), c);
  });
  EXPECT_TRUE(own.has_one_datum_an_edge());
  EXPECT_EQ(own, listed);
  const TaskGraph other_order = graph([](TaskGraphBuilder& builder, TaskId a, TaskId b, TaskId c) {
    const DatumId of_b = builder.add_datum(b, Bytes{3}), of_a = builder.add_datum(a, Bytes{2});
    builder.add_edge(of_a, b);
    builder.add_edge(of_b, c);
  });
  EXPECT_NE(own, other_order);
  const TaskGraph shared = graph([](TaskGraphBuilder& builder, TaskId a, TaskId b, TaskId c) {
    builder.add_edge(b, c, Bytes{3});
    const DatumId of_a = builder.add_datum(a, Bytes{2});
    builder.add_edge(of_a, b);
    builder.add_edge(of_a, c);
  });
  EXPECT_FALSE(shared.has_one_datum_an_edge() || other_order.has_one_datum_an_edge());
  EXPECT_EQ(shared.datum_count(), 2U);
  for (const TaskGraph* each : {&own, &listed, &other_order, &shared})
    for (const EdgeId id : each->edges()) {
      const Edge edge = each->edge(id);
      EXPECT_EQ(each->datum_task(edge.datum), edge.from);
      EXPECT_EQ(each->datum_size(edge.datum), edge.size);
    }
}

}  // namespace
}  // namespace takt
