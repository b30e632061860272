#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "schedulers/registry/registry.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

using nlohmann::json;
using test::takt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

json plan(const std::string& graph, const std::string& machine, const std::string& scheduler) {
  std::vector<std::string> words{"plan", graph, "--machine", machine, "--format", "json"};
  if (!scheduler.empty()) words.insert(words.end(), {"--scheduler", scheduler});
  const test::Result result = takt(words);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out);
}

TEST(Plan, refuses_a_table_of_works_for_another_number_of_processors) {
  const test::TemporaryFolder folder;
  const std::string graph = folder.file("g.yaml", "tasks: [{name: a, work: [3, 4, 5]}]\n");
  for (const std::string_view processors : {"2", "4"})
    for (const char* command : {"plan", "compare"}) {
      const test::Result result = takt({command, graph, "--machine", "delay:P=" + std::string(processors)});
      EXPECT_EQ(result.exit_code, 2);
      EXPECT_THAT(result.err, HasSubstr("the table of works is for 3 processors, the machine has " +
                                        std::string(processors) + ": expected equal numbers"));
    }
  EXPECT_EQ(takt({"plan", graph, "--machine", "delay:P=3"}).exit_code, 0);
}

TEST(Plan, refuses_options_of_task_graphs_for_a_pipeline_or_several_graphs) {
  const std::string pipeline = TAKT_SOURCE_DIR "/configs/spin.yaml";
  for (const auto& [option, value] : {std::pair{"--class", "interleaved"}, std::pair{"--mapping", "none"},
                                      std::pair{"--left-work", "unused"}}) {
    const test::Result of_pipeline = takt({"plan", pipeline, option, value});
    EXPECT_EQ(of_pipeline.exit_code, 2);
    EXPECT_THAT(of_pipeline.err, HasSubstr(std::string(option) + " applies to a single task graph only"));
    const test::Result of_several = takt({"plan", "chain:depth=2", "chain:depth=3", "--machine", "logp:P=2",
                                          "--rate", "1kHz", "--rate", "1kHz", option, value});
    EXPECT_EQ(of_several.exit_code, 2);
  }
}

// By hand: a on the big core (10), b on the little ones would take 30; both on the big core take 14.
TEST(Plan, takes_work_by_type_of_core_on_machines_of_any_size) {
  const test::TemporaryFolder folder;
  const std::string graph = folder.file(
      "g.yaml", "tasks: [{name: a, work: {big: 10, little: 15}}, {name: b, work: {big: 4, little: 30}}]\n");
  const std::string file = folder.file("m.yaml", "core_types: {little: 2, big: 1}\ncosts: {all: {}}\n");
  EXPECT_EQ(plan(graph, file, "")["period"], 14);
  EXPECT_EQ(plan(graph, "logp:P=1,types=little:1", "")["period"], 45);
  const test::Result table = takt({"plan", graph, "--machine", file});
  EXPECT_THAT(table.out, HasSubstr("cores: 0 of 2 little, 1 of 1 big"));
  for (const char* command : {"plan", "compare"}) {
    const test::Result result = takt({command, graph, "--machine", "logp:P=2"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("the graph has work by type of core (big, little)"));
  }
  const test::Result compared =
      takt({"compare", graph, "--machine", file, "--machine", "logp:P=1,types=little:1", "--schedulers",
            "herad,optfo", "--format", "csv"});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  const std::string saved = (folder / "s.yaml").string();
  EXPECT_EQ(takt({"plan", graph, "--machine", file, "--output", saved}).exit_code, 0);
  EXPECT_EQ(takt({"verify", saved}).exit_code, 0);
}

// By hand: BasicFO fills a processor up to 14/3; in layer order the tree's tasks are
// split into 2, 2 and 3. Processor 1 computes 0..4 and sends 4..5; the message
// arrives at 4 + o + L = 6. Processor 2 receives 6..7, computes to 11, sends to 12;
// processor 3 receives 13..14 and computes to 20. Table 6.22 has period 7 for k = 1.
TEST(Plan, prints_the_schedule_as_json_in_its_fixed_form) {
  const json result = plan("send_tree:depth=2,cost=2", "logp:P=3,L=1,o=1,g=1", "basic_fo");
  EXPECT_EQ(result["scheduler"], "basic_fo");
  EXPECT_EQ(result["processors"], 3);
  EXPECT_EQ(result["period"], 7);
  EXPECT_TRUE(result["period"].is_number_integer());
  EXPECT_DOUBLE_EQ(result["frequency"].get<double>(), 1.0 / 7);
  EXPECT_EQ(result["makespan"], 20);
  EXPECT_TRUE(result["lower_bound"].is_number_integer());
  EXPECT_LE(result["lower_bound"], 7);
  EXPECT_EQ(result["valid"], true);
  EXPECT_TRUE(result["seconds"].is_number());
  EXPECT_EQ(result["occupancy"], json::parse(R"([
    {"start": 0, "end": 5, "compute": 4, "overhead": 1, "blank": 0},
    {"start": 6, "end": 12, "compute": 4, "overhead": 2, "blank": 0},
    {"start": 13, "end": 20, "compute": 6, "overhead": 1, "blank": 0}])"));
  ASSERT_EQ(result["tasks"].size(), 7U);
  EXPECT_EQ(result["tasks"][2], json::parse(R"({"name": "2", "processor": 1, "start": 7, "end": 9})"));
  EXPECT_EQ(result["messages"], json::parse(R"([
    {"from": 0, "to": 1, "tasks": ["0", "1"], "bytes": 3, "send_start": 4, "recv_start": 6},
    {"from": 1, "to": 2, "tasks": ["1", "2"], "bytes": 3, "send_start": 11, "recv_start": 13}])"));
}

// Table 6.1 for P = 3: the period at depth 0, 1, 2, ... with free communication.
TEST(Plan, finds_the_periods_of_the_printed_table) {
  const std::map<std::string, std::vector<int>> table{{"brent", {1, 2, 4, 7, 13, 24, 46, 89, 175, 346}},
                                                      {"greedy", {1, 2, 3, 6, 12, 23, 45, 88, 174, 345}},
                                                      {"basic_fo", {1, 1, 3, 5, 11, 21, 43, 85, 171, 341}}};
  for (const auto& [scheduler, periods] : table)
    for (std::size_t depth = 0; depth < periods.size(); depth += 3)
      EXPECT_EQ(plan("send_tree:depth=" + std::to_string(depth), "logp:P=3,L=0,o=0,g=0", scheduler)["period"],
                periods[depth])
          << scheduler << " at depth " << depth;
}

TEST(Plan, reports_idle_processors) {
  const json result = plan("chain:depth=1", "logp:P=3,L=1,o=1,g=1", "single");
  EXPECT_EQ(result["processors"], 1);
  EXPECT_EQ(result["occupancy"].size(), 3U);
  EXPECT_THAT(result["messages"], IsEmpty());
}

TEST(Plan, draws_the_schedule_as_text) {
  const test::Result result = takt(
      {"plan", "send_tree:depth=2,cost=2", "--machine", "logp:P=3,L=1,o=1,g=1", "--scheduler", "greedy"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(
      result.out,
      HasSubstr("greedy on 3 processors: period 8 ticks, frequency 0.125 frames/tick, makespan 14\nticks"));
  EXPECT_THAT(result.out, HasSubstr("ratio"));
  EXPECT_THAT(result.out, HasSubstr("0 |[0-----]>>>>[1-----]>>>>[4-----]"));
}

TEST(Plan, reads_graphs_and_machines_from_files) {
  const test::TemporaryFolder folder;
  const std::string graph = folder.file("g.yaml",
                                        "tasks:\n  - {name: a, work: 3}\n  - {name: b, work: 4}\n"
                                        "edges:\n  - {from: a, to: b, size: 2}\n");
  const std::string machine =
      folder.file("m.yaml", "processors: 2\ncosts:\n  all: {latency: 1, overhead: 1, gap: 1}\n");
  // a runs on processor 0 until 3, send to 4, latency to 5, receive to 6, b until 10: busy 4 and 5 ticks.
  const json result = plan(graph, machine, "basic_fo");
  EXPECT_EQ(result["period"], 5);
  EXPECT_EQ(result["makespan"], 10);
}

TEST(Plan, writes_schedule_files_that_verify_accepts_unless_damaged) {
  const test::TemporaryFolder folder;
  for (const auto& scheduler : schedulers::all_schedulers()) {
    const std::string file = folder / (std::string(scheduler.name) + ".yaml");
    const test::Result planned = takt({"plan", "fft:depth=2,cost=1..9", "--machine", "logp:P=3,L=1,o=1,g=2",
                                       "--scheduler", std::string(scheduler.name), "--output", file});
    if (planned.exit_code == 2) continue;  // The scheduler does not support this machine.
    EXPECT_EQ(planned.exit_code, 0) << scheduler.name << planned.err;
    const test::Result verdict = takt({"verify", file});
    EXPECT_EQ(verdict.exit_code, 0) << scheduler.name << verdict.out << verdict.err;
    EXPECT_THAT(verdict.out, HasSubstr("valid: correct"));
  }

  // A 9 before the start of a task: it starts after its end.
  std::string text = test::read_file(folder / "greedy.yaml");
  const std::size_t start = text.find("start: ", text.find("compute: 4"));
  text.insert(start + 7, 1, '9');
  const test::Result verdict = takt({"verify", folder.file("damaged.yaml", text), "--format", "json"});
  EXPECT_EQ(verdict.exit_code, 1);
  const json result = json::parse(verdict.out);
  EXPECT_EQ(result["valid"], false);
  EXPECT_FALSE(result["findings"].empty());
  EXPECT_TRUE(result["findings"][0]["rule"].is_string());
}

TEST(Plan, prints_the_schedule_file_as_yaml) {
  const test::TemporaryFolder folder;
  const test::Result result =
      takt({"plan", "fft:depth=2", "--machine", "delay:P=2", "--scheduler", "heft", "--format", "yaml"});
  EXPECT_EQ(takt({"verify", folder.file("heft.yaml", result.out)}).exit_code, 0);
}

TEST(Plan, chooses_a_scheduler_for_the_objective_with_a_reason) {
  const std::vector<std::string> common{"plan",      "gauss:size=5,ccr=1", "--machine",
                                        "delay:P=3", "--scheduler",        "auto"};
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = common;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return takt(arguments);
  };
  const test::Result table = run({});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("for the highest frequency: period "));
  const json result = json::parse(run({"--objective", "makespan", "--format", "json", "--trace"}).out);
  EXPECT_EQ(result["auto"]["objective"], "makespan");
  EXPECT_EQ(result["scheduler"], result["auto"]["ranking"][0]["scheduler"]);
  EXPECT_EQ(result["makespan"], result["auto"]["ranking"][0]["makespan"]);
  EXPECT_FALSE(result["trace"].empty());
  EXPECT_THAT(run({"--objective", "speed"}).err, HasSubstr("unknown objective 'speed'"));
  // A schedule file contains the decisions of schedulers that record them; others print a note.
  EXPECT_THAT(run({"--objective", "makespan", "--trace", "--format", "yaml"}).out,
              HasSubstr("\ndecisions:\n"));
  const test::Result single = takt({"plan", "fft:depth=2", "--machine", "delay:P=2", "--scheduler", "single",
                                    "--trace", "--format", "yaml"});
  EXPECT_THAT(single.out, Not(HasSubstr("decisions:")));
  EXPECT_THAT(single.err, HasSubstr("single does not place tasks one by one"));
}

TEST(Verify, uses_another_machine_when_one_is_given) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "s.yaml";
  EXPECT_EQ(takt({"plan", "fft:depth=2", "--machine", "logp:P=3,L=1,o=1,g=2", "--output", file}).exit_code,
            0);
  const test::Result slow = takt({"verify", file, "--machine", "logp:P=3,L=9,o=1,g=2"});
  EXPECT_EQ(slow.exit_code, 1);
  EXPECT_THAT(slow.out, HasSubstr("latency: "));
  const test::Result small = takt({"verify", file, "--machine", "logp:P=2,L=1,o=1,g=2", "--limit", "1"});
  EXPECT_EQ(small.exit_code, 1);
  EXPECT_THAT(small.out, HasSubstr("not valid: 1 finding\n"));
}

TEST(Plan, of_a_graph_without_tasks_is_empty_and_valid) {
  const test::TemporaryFolder folder;
  const json result = plan(folder.file("empty.yaml", "tasks: []\n"), "logp:P=2,L=1,o=1,g=1", "optfo");
  EXPECT_EQ(result["period"], 0);
  EXPECT_EQ(result["makespan"], 0);
  EXPECT_EQ(result["processors"], 0);
  EXPECT_EQ(result["valid"], true);
}

TEST(Plan, reports_the_makespan_before_a_mapping_that_shortened_it) {
  const auto planned = [](std::vector<std::string> options) {
    options.insert(options.begin(),
                   {"plan", "gauss:size=8,cost=10,data=20", "--scheduler", "bu", "--machine"});
    return takt(options);
  };
  const std::string mesh = "delay:P=16,network=mesh:4x4";
  const json mapped = json::parse(planned({mesh, "--format", "json"}).out),
             decided = json::parse(planned({mesh, "--format", "json", "--mapping", "none"}).out);
  EXPECT_LT(mapped["makespan"], decided["makespan"]);
  EXPECT_EQ(mapped["own_makespan"], decided["makespan"]);
  EXPECT_FALSE(decided.contains("own_makespan"));
  EXPECT_THAT(planned({mesh}).out,
              HasSubstr("mapping: new placement on the network; the schedule of bu without mapping"));
  EXPECT_THAT(planned({mesh, "--mapping", "none"}).out, Not(HasSubstr("mapping: ")));
  EXPECT_THAT(planned({"delay:P=16"}).out, Not(HasSubstr("mapping: ")));
}

TEST(Plan, refuses_a_negative_effort) {
  const test::Result result = takt({"plan", "fft:depth=1", "--machine", "logp:P=2", "--effort", "-1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--effort -1: expected a whole number from 0"));
}

}  // namespace
}  // namespace takt
