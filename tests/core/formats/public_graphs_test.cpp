#include <filesystem>
#include <regex>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/formats/dot.hpp"
#include "core/formats/graph_source.hpp"
#include "core/graphs/levels.hpp"
#include "core/system/text_file.hpp"
#include "tests/support/program.hpp"

// Public sets of graphs. Each is counted here independently, by regular expressions or a JSON library, or by
// the figures that its author included.

namespace takt {
namespace {

namespace fs = std::filesystem;

class PublicGraphs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::test_data().empty())
      GTEST_SKIP() << "no recordings and graphs: set TAKT_TEST_DATA to their folder";
    folder_ = test::test_data() / "schedules";
  }

  std::vector<fs::path> files(const std::string& folder, const std::string& extension) const {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / folder))
      if (entry.path().extension() == extension) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    EXPECT_FALSE(found.empty());
    return found;
  }

  fs::path folder_;
};

std::size_t count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern, std::regex::multiline);
  return static_cast<std::size_t>(std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {}));
}

/// Returns the number after a text; empty if the text is absent.
std::optional<std::int64_t> number_after(const std::string& text, const std::string& pattern) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(pattern + "(\\d+)"))) return std::nullopt;
  return std::stoll(match[1]);
}

TEST_F(PublicGraphs, with_optimal_schedules_match_their_attributes) {
  for (const fs::path& path : files("optimal", ".dot")) {
    const std::string text = read_text_file(path);
    const TaskGraph graph = load_graph(path.string());
    EXPECT_EQ(graph.edge_count(), count(text, "->")) << path;
    EXPECT_EQ(graph.edge_count() + graph.task_count(), count(text, "\\bWeight=")) << path;
    if (const auto tasks = number_after(text, "NumberOfTasks=")) {
      EXPECT_EQ(graph.task_count(), static_cast<std::size_t>(*tasks)) << path;
    }
    if (const auto work = number_after(text, "\"Total sequential time\"=")) {
      EXPECT_EQ(graph.total_work(), Time(*work)) << path;
    }
  }
}

TEST_F(PublicGraphs, contain_optimal_schedules_valid_under_the_delay_model) {
  std::size_t schedules = 0;
  for (const fs::path& path : files("optimal", ".dot")) {
    const DotFile file = read_dot(read_text_file(path), path.string());
    if (!file.schedule) continue;
    ++schedules;
    const auto& [length, processors, placements] = *file.schedule;
    Time last{0};
    std::vector<std::vector<std::pair<Time, Time>>> busy(processors);
    for (TaskId id : file.graph.tasks()) {
      const auto& [processor, start, finish] = placements.at(id.index());
      EXPECT_EQ(finish - start, file.graph.task(id).work) << path;
      busy.at(processor.index()).emplace_back(start, finish);
      last = std::max(last, finish);
    }
    EXPECT_EQ(last, length) << path;
    for (auto& intervals : busy) {
      std::sort(intervals.begin(), intervals.end());
      for (std::size_t i = 1; i < intervals.size(); ++i)
        EXPECT_GE(intervals[i].first, intervals[i - 1].second) << path;
    }
    for (EdgeId id : file.graph.edges()) {
      const Edge edge = file.graph.edge(id);
      const auto &from = placements[edge.from.index()], &to = placements[edge.to.index()];
      const Time delay =
          from.processor == to.processor ? Time{0} : Time(static_cast<Time::rep>(edge.size.count));
      EXPECT_GE(to.start, from.finish + delay) << path;
    }
  }
  EXPECT_GT(schedules, 0U);
}

TEST_F(PublicGraphs, of_the_standard_set_match_their_comments) {
  for (const fs::path& path : files("stg", ".stg")) {
    const std::string text = read_text_file(path);
    const TaskGraph graph = load_graph(path.string());
    // Every line except the first one and comments is a task; its predecessors follow its first three
    // numbers.
    const std::string lines = std::regex_replace(text, std::regex("#[^\n]*"), "");
    EXPECT_EQ(graph.task_count() + 1, count(lines, "^[ \t]*\\d")) << path;
    const std::size_t header = count(lines.substr(0, lines.find('\n')), "\\d+");
    EXPECT_EQ(graph.edge_count() + 3 * graph.task_count() + header, count(lines, "\\d+")) << path;
    const auto tasks = number_after(text, "# +Tasks +: ");
    if (!tasks) continue;
    EXPECT_EQ(graph.task_count(), static_cast<std::size_t>(*tasks + *number_after(text, "dummy tasks : ")))
        << path;
    EXPECT_EQ(graph.edge_count(), static_cast<std::size_t>(*number_after(text, "# +Edges +: ") +
                                                           *number_after(text, "dammy edges : ")))
        << path;
    EXPECT_EQ(computation_critical_path(graph), Time(*number_after(text, "# CP Length +: "))) << path;
  }
}

TEST_F(PublicGraphs, of_workflow_traces_load_with_their_tasks_times_and_files) {
  for (const fs::path& path : files("wfinstances", ".json")) {
    const auto json = nlohmann::json::parse(read_text_file(path));
    const auto& specification = json["workflow"]["specification"];
    const TaskGraph graph = load_graph(path.string());
    EXPECT_EQ(graph.task_count(), specification["tasks"].size()) << path;
    std::size_t parents = 0;
    for (const auto& task : specification["tasks"]) parents += task["parents"].size();
    EXPECT_EQ(graph.edge_count(), parents) << path;

    double seconds = 0;
    for (const auto& run : json["workflow"]["execution"]["tasks"])
      seconds += run["runtimeInSeconds"].get<double>();
    EXPECT_NEAR(static_cast<double>(graph.total_work().count()) / 1e9, seconds, 1e-6 * seconds) << path;

    // An edge has the size of the files written by one task and read by the other.
    std::map<std::string, std::uint64_t> size;
    for (const auto& file : specification["files"]) size[file["id"]] = file["sizeInBytes"];
    const auto& tasks = specification["tasks"];
    for (EdgeId id : graph.edges()) {
      const Edge edge = graph.edge(id);
      std::uint64_t bytes = 0;
      for (const auto& written : tasks[edge.from.index()]["outputFiles"])
        for (const auto& read : tasks[edge.to.index()]["inputFiles"])
          if (written == read) bytes += size[written];
      EXPECT_EQ(edge.size.count, bytes) << path;
    }
  }
}

TEST_F(PublicGraphs, of_moldable_tasks_load_from_daggens_files) {
  const TaskGraph graph = load_graph((folder_ / "ptg" / "daggen_ptg.dot").string());
  EXPECT_EQ(graph.task_count(), 10U);
  EXPECT_EQ(graph.edge_count(), 7U);
  EXPECT_EQ(graph.task(TaskId(0)).work, Time{49659735022});
}

TEST_F(PublicGraphs, are_the_same_after_writing_and_reading) {
  for (const auto& [folder, extension] : {std::pair("optimal", ".dot"), std::pair("stg", ".stg"),
                                          std::pair("ptg", ".dot"), std::pair("wfinstances", ".json")})
    for (const fs::path& path : files(folder, extension)) {
      const TaskGraph graph = load_graph(path.string());
      for (const GraphFormat& format : all_graph_formats()) {
        const TaskGraph back = format.read(format.write(graph), "written");
        EXPECT_EQ(computation_critical_path(back), computation_critical_path(graph))
            << path << " as " << format.name;
        // STG has no sizes and may need dummies.
        if (format.name != "stg") {
          EXPECT_EQ(critical_path(back), critical_path(graph)) << path << " as " << format.name;
          EXPECT_EQ(back.edge_count(), graph.edge_count()) << path << " as " << format.name;
        }
        EXPECT_EQ(format.read(format.write(back), "again"), back) << path << " as " << format.name;
      }
    }
}

}  // namespace
}  // namespace takt
