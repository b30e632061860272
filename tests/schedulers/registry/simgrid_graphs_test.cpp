/// Does SimGrid, which has readers of its own, see the same tasks and messages in DOT and DAX files?

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simgrid/s4u.hpp>

#include "core/formats/dot.hpp"
#include "core/formats/pegasus_dax.hpp"
#include "core/generators.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

namespace sg = simgrid::s4u;

/// What SimGrid makes of a file: work of the tasks by name, data by the names of both ends.
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

TEST(SimGrid, reads_its_dot_files_as_takt_does) {
  start_engine();
  std::mt19937_64 random(5);
  const TemporaryFolder folder;
  for (int round = 0; round < 20; ++round) {
    const int tasks = 2 + static_cast<int>(random() % 8);
    std::string text = "digraph G {\n";
    for (int task = 0; task < tasks; ++task)
      text += fmt::format("  t{} [size=\"{}e{}\"];\n", task, 1.25 * static_cast<double>(1 + random() % 9),
                          3 + random() % 6);
    for (int from = 0; from < tasks; ++from)
      for (int to = from + 1; to < tasks; ++to) switch (random() % 5) {
          case 0:
            text += fmt::format("  t{}->t{} [size=\"{}e4\"];\n", from, to, 1 + random() % 99);
            break;
          case 1:
            text += fmt::format("  t{}->t{} [size=\"-1.\"];\n", from, to);
            break;
          case 2:
            text += fmt::format("  t{}->t{} [size=\"0.0\"];\n", from, to);
            break;
          default:
            break;
        }
    text += "  root->t0 [size=\"2e8\"];\n}\n";
    const std::string file = folder.file(fmt::format("g{}.dot", round), text);
    const SeenGraph seen = seen_by_simgrid(sg::create_DAG_from_dot(file));
    const TaskGraph graph = graph_from_dot(text, "g.dot");
    for (const TaskId id : graph.tasks()) {
      ASSERT_TRUE(seen.work.contains(graph.task(id).name)) << text;
      EXPECT_NEAR(static_cast<double>(graph.task(id).work.count()), seen.work.at(graph.task(id).name), 0.5);
    }
    for (const auto& [ends, size] : data_of(graph)) {
      ASSERT_TRUE(seen.data.contains(ends)) << ends.first << " " << ends.second << "\n" << text;
      EXPECT_NEAR(size, seen.data.at(ends), 0.5) << ends.first << " " << ends.second << "\n" << text;
    }
    EXPECT_EQ(graph.edge_count(), seen.data.size() - (seen.data.contains({"root", "end"}) ? 1 : 0)) << text;
  }
}

TEST(SimGrid, reads_what_takt_writes_as_dax) {
  start_engine();
  const TemporaryFolder folder;
  /// Operations a second of the processors on which DAX files were measured, by SimGrid.
  constexpr double operations_a_second = 4.2e9;
  for (const std::string& text :
       {std::string("fft:depth=3,cost=1000000..90000000,data=1..9000,seed=4"),
        std::string("layered:tasks=30,jump=3,cost=1000000..20000000,seed=6,data=1..9")}) {
    const TaskGraph graph = generate(text);
    const std::string file = folder.file("g.dax", graph_to_dax(graph));
    const SeenGraph seen = seen_by_simgrid(sg::create_DAG_from_DAX(file));
    for (const TaskId id : graph.tasks()) {
      // SimGrid calls a job ID@name.
      const std::string name = fmt::format("{0}@{0}", graph.task(id).name);
      ASSERT_TRUE(seen.work.contains(name)) << name;
      const double seconds = static_cast<double>(graph.task(id).work.count()) / 1e9;
      EXPECT_NEAR(seen.work.at(name), seconds * operations_a_second, 1);
    }
    for (const auto& [ends, size] : data_of(graph)) {
      const std::pair<std::string, std::string> names{fmt::format("{0}@{0}", ends.first),
                                                      fmt::format("{0}@{0}", ends.second)};
      ASSERT_TRUE(seen.data.contains(names)) << names.first << " " << names.second;
      EXPECT_EQ(seen.data.at(names), size);
    }
  }
}

}  // namespace
}  // namespace takt::test
