#include "core/task_graph.hpp"

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

}  // namespace
}  // namespace takt
