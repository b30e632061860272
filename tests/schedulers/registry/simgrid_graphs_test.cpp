/// Does SimGrid's own reader find the same tasks and messages in DAX files? (Its reader of DOT needs
/// Graphviz, which Debian's SimGrid lacks.)

#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simgrid/s4u.hpp>

#include "core/formats/pegasus_dax.hpp"
#include "core/graphs/generators.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

namespace sg = simgrid::s4u;

/// SimGrid's view of a file: work of the tasks by name, data by the names of both ends.
struct SeenGraph {
  std::map<std::string, double> work;
  std::map<std::pair<std::string, std::string>, double> data;
};

SeenGraph seen_by_simgrid(const std::vector<sg::ActivityPtr>& activities) {
  SeenGraph seen;
  for (const sg::ActivityPtr& activity : activities) {
    if (const auto* task = dynamic_cast<const sg::Exec*>(activity.get()); task != nullptr) {
      seen.work[task->get_name()] = task->get_remaining();
      for (const sg::ActivityPtr& next : task->get_successors())
        if (dynamic_cast<const sg::Exec*>(next.get()) != nullptr)
          seen.data[{task->get_name(), next->get_name()}] = 0;
    } else if (const auto* message = dynamic_cast<const sg::Comm*>(activity.get()); message != nullptr) {
      for (const sg::ActivityPtr& from : message->get_dependencies())
        for (const sg::ActivityPtr& to : message->get_successors())
          seen.data[{from->get_name(), to->get_name()}] += message->get_remaining();
    }
  }
  return seen;
}

/// SimGrid's readers need an engine, of which a process can have one.
void start_engine() {
  static int count = 1;
  static std::string program = "takt";
  static char* arguments[]{program.data(), nullptr};
  static sg::Engine engine(&count, arguments);
}

std::map<std::pair<std::string, std::string>, double> data_of(const TaskGraph& graph) {
  std::map<std::pair<std::string, std::string>, double> data;
  for (const EdgeId id : graph.edges()) {
    const Edge edge = graph.edge(id);
    data[{graph.task(edge.from).name, graph.task(edge.to).name}] = static_cast<double>(edge.size.count);
  }
  return data;
}

TEST(SimGrid, reads_dax_files_of_takt) {
  start_engine();
  const TemporaryFolder folder;
  /// Speed, in operations per second, of the processors on which DAX files were measured, by SimGrid.
  constexpr double operations_per_second = 4.2e9;
  // Its reader keeps the files of earlier graphs: one per process.
  const TaskGraph graph = generate("layered:tasks=40,jump=3,cost=1000000..90000000,data=1..9000,seed=6");
  const std::string file = folder.file("g.dax", graph_to_dax(graph));
  const SeenGraph seen = seen_by_simgrid(sg::create_DAG_from_DAX(file));
  for (const TaskId id : graph.tasks()) {
    // SimGrid's name of a job is ID@name.
    const std::string name = fmt::format("{0}@{0}", graph.task(id).name);
    ASSERT_TRUE(seen.work.contains(name)) << name;
    const double seconds = static_cast<double>(graph.task(id).work.count()) / 1e9;
    EXPECT_NEAR(seen.work.at(name), seconds * operations_per_second, 1);
  }
  for (const auto& [ends, size] : data_of(graph)) {
    const std::pair<std::string, std::string> names{fmt::format("{0}@{0}", ends.first),
                                                    fmt::format("{0}@{0}", ends.second)};
    ASSERT_TRUE(seen.data.contains(names)) << names.first << " " << names.second;
    EXPECT_EQ(seen.data.at(names), size);
  }
}

}  // namespace
}  // namespace takt::test
