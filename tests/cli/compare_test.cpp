#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "schedulers/registry/registry.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

using nlohmann::json;
using test::takt;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Compare, has_one_row_per_graph_and_scheduler) {
  const test::Result result =
      takt({"compare", "send_tree:depth=3", "fft:depth=2", "--machine", "logp:P=3,L=0,o=0,g=0",
            "--schedulers", "brent,basic_fo,greedy", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json rows = json::parse(result.out);
  ASSERT_EQ(rows.size(), 6U);
  // Tables 6.1 and 6.2: depth 3 of the send tree, depth 2 of the FFT.
  const std::vector<int> periods{7, 5, 6, 6, 4, 6};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["period"], periods[i]) << rows[i];
    EXPECT_EQ(rows[i]["graph"], i < 3 ? "send_tree:depth=3" : "fft:depth=2");
    EXPECT_EQ(rows[i]["machine"], "logp:P=3,L=0,o=0,g=0");
    EXPECT_EQ(rows[i]["valid"], true);
  }
}

TEST(Compare, runs_every_scheduler_without_an_invalid_schedule) {
  const test::Result result = takt({"compare", "layered:tasks=40,cost=1..50,data=1..9", "--machine",
                                    "logp:P=4,L=2,o=1,g=2", "--format", "csv"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(lines_of(result.out), 1 + schedulers::all_schedulers().size());
  EXPECT_THAT(result.out, HasSubstr("graph,machine,scheduler,processors,period,frequency,makespan,lower_"
                                    "bound,lower_bound_among,ratio"));
}

TEST(Compare, repeats_its_rows_for_each_machine) {
  const test::Result result = takt({"compare", "diamond", "--machine", "delay:P=2", "--machine", "delay:P=3",
                                    "--schedulers", "frequency", "--format", "table"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::size_t second = result.out.find("diamond on delay:P=3\n"), end = result.out.find("2 instances");
  ASSERT_NE(second, std::string::npos);
  const std::string tables[] = {result.out.substr(0, second), result.out.substr(second, end - second)};
  EXPECT_THAT(tables[0], StartsWith("diamond on delay:P=2\n"));
  for (const schedulers::Scheduler* scheduler : schedulers::select_schedulers("frequency"))
    for (const std::string& table : tables)
      EXPECT_THAT(table, HasSubstr("\n" + std::string(scheduler->name) + " "));
  EXPECT_THAT(result.out, HasSubstr("2 instances (graph on machine); means over the supported ones"));
}

TEST(Compare, ends_a_scheduler_at_its_time_limit_and_keeps_its_result) {
  // With this effort the search would run for years.
  const test::Result result =
      takt({"compare", "layered:tasks=60,cost=1..50,ccr=1", "--machine", "delay:P=4", "--schedulers",
            "exact_makespan,hlfet", "--effort", "1000000000000000", "--time-limit", "3", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json rows = json::parse(result.out);
  EXPECT_EQ(rows[0]["error"], "time limit of 3 s");
  EXPECT_EQ(rows[0]["valid"], true);
  EXPECT_LE(rows[0]["makespan"], rows[1]["makespan"]);
  EXPECT_EQ(rows[1]["valid"], true);
}

TEST(Compare, reads_a_graph_of_any_format_from_standard_input) {
  const test::TemporaryFolder folder;
  for (const char* format : {"yaml", "dot", "stg", "json"}) {
    const std::string file =
        folder.file("graph", takt({"graph", "gauss:size=4,cost=3,data=0", "--format", format}).out);
    const test::Result result =
        test::Program({"sh", "-c",
                       TAKT_PROGRAM " compare - --machine delay:P=2 --schedulers hlfet -o " +
                           (folder / "rows.json").string() + " < " + file})
            .wait();
    EXPECT_EQ(result.exit_code, 0) << format << ": " << result.err;
    const json rows = json::parse(test::read_file(folder / "rows.json"));
    EXPECT_EQ(rows[0]["valid"], true) << format;
    EXPECT_GT(rows[0]["speed_up"], 1) << format;
  }
}

TEST(Compare, prints_the_same_figures_each_time) {
  const auto figures = [] {
    json rows = json::parse(takt({"compare", "fft:depth=3,cost=1..9", "--machine", "logp:P=3,L=1,o=1,g=2",
                                  "--seed", "5", "--format", "json"})
                                .out);
    for (json& row : rows) row.erase("seconds");
    return rows;
  };
  EXPECT_EQ(figures(), figures());
}

TEST(Compare, prints_the_same_figures_for_any_number_of_jobs) {
  const auto figures = [](const std::string& jobs) {
    json rows = json::parse(takt({"compare", "fft:depth=3,cost=1..9", "gauss", "--machine", "delay:P=3",
                                  "--schedulers", "list,clustering", "--jobs", jobs, "--format", "json"})
                                .out);
    for (json& row : rows) row.erase("seconds");
    return rows;
  };
  EXPECT_EQ(figures("1"), figures("4"));
}

TEST(Compare, writes_the_format_that_the_output_name_states) {
  const test::TemporaryFolder folder;
  const std::vector<std::string> common{"compare",   "fft:depth=2",  "--machine",
                                        "delay:P=2", "--schedulers", "list"};
  const auto written = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(), {"--output", folder / name});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const test::Result result = takt(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out + result.err, "");
    return test::read_file(folder / name);
  };
  EXPECT_THAT(written("a.html", {}), HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(written("a.csv", {}), HasSubstr("graph,machine,scheduler,"));
  EXPECT_EQ(json::parse(written("a.json", {})).size(), 6U);
  EXPECT_THAT(written("a.txt", {}), StartsWith("fft:depth=2 on delay:P=2\nlower bounds: "));
  EXPECT_EQ(json::parse(written("b.txt", {"--format", "json"})).size(), 6U);
}

TEST(Compare, prints_a_summary_on_request) {
  const test::Result result = takt({"compare", "fft:depth=2", "gauss:size=5", "--machine", "delay:P=2",
                                    "--schedulers", "heft,single", "--summary", "--format", "json"});
  const json summary = json::parse(result.out);
  ASSERT_EQ(summary.size(), 2U);
  EXPECT_EQ(summary[0]["scheduler"], "heft");
  EXPECT_EQ(summary[0]["served"], 2);
  EXPECT_EQ(summary[0]["duels"]["makespan"]["single"]["losses"], 0);
  EXPECT_EQ(summary[1]["processors"], 1);
}

TEST(Compare, reports_an_unwritable_file_before_it_computes) {
  for (const char* file : {"/nonexistent/a.html", "/"}) {
    const test::Result result =
        takt({"compare", "gauss:size=200", "--machine", "delay:P=8", "--output", file});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr(std::string(file) + ": cannot write the file"));
  }
}

TEST(Compare, refuses_wrong_options_before_it_computes) {
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--format", "tabel"}, {"--schedulers", "hefd"}, {"--jobs", "0"}, {"--machine", "dely:P=2"}}) {
    std::vector<std::string> arguments{"compare", "fft:depth=2"};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    if (wrong.front() != "--machine") arguments.insert(arguments.end(), {"--machine", "delay:P=2"});
    const test::Result result = takt(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace
}  // namespace takt
