/// Tests runs whose tasks have places, and that the system binds their ranks.

#include <csignal>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sched.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::HasSubstr;

std::string yaml(const TemporaryFolder& folder, const std::string& place, const std::string& frames = "40") {
  return fmt::format(R"(name: placed
sources:
  s: {{type: synthetic, axes: [time=64], frames: {}, rate: 200 Hz}}
tasks:
  a: {{kernel: clip, input: s, high: 0.5, place: {{{}}}}}
sinks:
  o: {{type: raw, input: a, path: {}}}
deployment: {{ranks: 2}}
)",
                     frames, place, (folder / "out.raw").string());
}

/// Returns the last processor that this process may use.
int last_processor() {
  cpu_set_t own;
  CPU_ZERO(&own);
  EXPECT_EQ(::sched_getaffinity(0, sizeof own, &own), 0);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &own)) --last;
  return last;
}

std::vector<std::size_t> ranks_of(const nlohmann::json& plan, const std::string& task) {
  for (const auto& stage : plan["pipeline"]["stages"])
    if (stage["name"] == task) return stage["ranks"];
  return {};
}

TEST(PlacedRuns, have_their_tasks_on_the_ranks_of_their_places) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", yaml(folder, "rank: 1"));
  const Result plan = takt({"plan", file, "--format", "json", "-o", folder / "s.yaml"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(ranks_of(nlohmann::json::parse(plan.out), "a"), std::vector<std::size_t>{1});
  const Result text = takt({"plan", file});
  EXPECT_THAT(text.out, HasSubstr("a: rank 1"));
  const Result run = takt({"run", file});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string whole = read_file(folder / "out.raw");
  EXPECT_EQ(whole.size(), 40U * 64 * 4);
  // The same bytes on the other rank, by the kept schedule only where the place allows it.
  const std::string other = folder.file("q.yaml", yaml(folder, "rank: 0"));
  const Result moved = takt({"run", other, "--overwrite"});
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_EQ(read_file(folder / "out.raw"), whole);
  const Result refused = takt({"run", other, "--overwrite", "--schedule", folder / "s.yaml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("q.yaml:5:49: 'place' (rank 0): the plan has 'a' on rank 1: expected rank 0"));
}

TEST(PlacedRuns, refuse_processors_that_the_host_lacks) {
  const TemporaryFolder folder;
  const Result run = takt({"run", folder.file("p.yaml", yaml(folder, "core: 9999"))});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("p.yaml:5:49: task 'a': 'place': host '"));
  EXPECT_THAT(run.err, HasSubstr("has no processor 9999 available to takt"));
}

/// Returns true if a thread of a process started with this word is bound to one processor.
bool is_bound(const std::string& word, int processor) {
  std::error_code error;
  for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream command(process.path() / "cmdline");
    // Contains no newline; getline survives the end of the process.
    std::string text;
    std::getline(command, text);
    if (text.find(word) == std::string::npos) continue;
    for (const auto& thread : std::filesystem::directory_iterator(process.path() / "task", error)) {
      std::ifstream status(thread.path() / "status");
      for (std::string line; std::getline(status, line);)
        if (line == fmt::format("Cpus_allowed_list:\t{}", processor)) return true;
    }
  }
  return false;
}

TEST(PlacedRuns, have_ranks_on_the_processors_of_their_places) {
  const TemporaryFolder folder;
  const int processor = last_processor();
  if (processor == 0) GTEST_SKIP() << "there is one processor";
  const std::string file = folder.file("p.yaml", yaml(folder, fmt::format("core: {}", processor), "1000000"));
  Program program(takt_command({"run", file}));
  EXPECT_TRUE(program.await([&] { return is_bound(file, processor); }));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 0);
}

}  // namespace
}  // namespace takt::test
