/// Tests that no report is wider than 80 columns, for all commands.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

constexpr std::size_t most_letters = 80;

const std::string configs = std::string(TAKT_SOURCE_DIR) + "/configs/";
const std::vector<std::string> machines{configs + "machines/paragon.yaml", configs + "machines/sp2.yaml",
                                        "logp:P=12,L=100000,o=20000,g=30000"};

/// Runs takt in a separate folder for the output of its sinks; returns what it prints.
std::string report(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  std::string all;
  for (const std::string& argument : arguments) all += argument + ' ';
  std::vector<std::string> command{"sh", "-c", "cd \"$0\" && exec \"$@\"", (folder / "").string()};
  for (const std::string& word : takt_command(std::move(arguments))) command.push_back(word);
  const Result result = Program(command).wait();
  EXPECT_EQ(result.exit_code, 0) << all << result.err;
  EXPECT_NE(result.out, "") << all;
  EXPECT_LE(letters_of_widest_line(result.out), most_letters) << all << '\n' << result.out;
  return result.out;
}

TEST(Width, of_lists_and_of_each_of_their_entries) {
  report({"list"});
  const auto lists = nlohmann::json::parse(takt({"list", "--format", "json"}).out);
  for (const auto& [category, entries] : lists.items()) {
    report({"list", category});
    for (const auto& entry : entries) report({"list", category, entry["name"].get<std::string>()});
  }
}

TEST(Width, of_plans_by_every_scheduler_with_the_reason_of_each_decision) {
  const auto lists = nlohmann::json::parse(takt({"list", "schedulers", "--format", "json"}).out);
  for (const auto& scheduler : lists["schedulers"])
    report({"plan", "send_tree:depth=3,cost=100000..9000000", "--machine", "logp:P=4,L=1,o=1,g=2",
            "--scheduler", scheduler["name"].get<std::string>(), "--effort", "100", "--trace"});
}

TEST(Width, of_plans_for_every_machine) {
  for (const std::string& machine : machines) {
    report({"plan", "fft:depth=4", "--machine", machine});
    report({"plan", "fft:depth=3", "--machine", machine, "--scheduler", "auto", "--effort", "100"});
  }
  report({"plan", "fft:depth=3,cost=1000000..2000000", "--machine", machines.back(), "--pareto", "--effort",
          "100"});
  report({"plan", "fft:depth=2,cost=1000000", "diamond:cost=1000000", "--machine", machines.back(), "--rate",
          "0.00000001", "--rate", "0.00000001"});
}

TEST(Width, of_comparisons) {
  report({"compare", "fft:depth=2", "layered:tasks=30,cost=1000..900000,data=1..9", "--machine", machines[0],
          "--machine", machines[1], "--effort", "100", "--summary"});
  report({"compare", "fft:depth=2", "layered:tasks=30,cost=1000..900000,data=1..9", "--machine", machines[0],
          "--schedulers", "heft"});
}

TEST(Width, of_reports_about_a_schedule_file) {
  const TemporaryFolder folder;
  const std::string file = folder / "schedule.yaml";
  report({"plan", "fft:depth=4,cost=1000000..2000000", "--machine", machines[2], "--output", file});
  report({"verify", file});
  report({"view", file});
  report({"simulate", file, "--frames", "1000", "--rate", "0.00000123456", "--jitter", "10%"});
}

TEST(Width, of_plans_and_profiles_of_pipelines) {
  for (const char* pipeline : {"first.yaml", "spin.yaml", "lofar-spectrometer.yaml"}) {
    const std::string file = configs + pipeline;
    report({"view", file});
    report({"profile", file, "--budget", "1ms"});
    report({"plan", file, "--machine", "logp:P=3,L=2000,o=1000,g=1000", "--set", "deployment.ranks=3",
            "--set", "rate=1Hz"});
  }
}

TEST(Width, of_runs) {
  for (const char* pipeline : {"first.yaml", "spin.yaml"}) {
    report({"run", configs + pipeline, "--dry-run", "--rate", "1Hz"});
    report({"run", configs + pipeline, "--frames", "20", "--no-progress"});
  }
}

TEST(Width, of_a_calibration) {
  const TemporaryFolder folder;
  // A busy machine's measurements may be refused, but are still shown.
  const Result result = takt({"calibrate", "--ranks", "2", "--duration", "1s", "--largest", "64KiB",
                              "--normal-priority", "--no-progress", "--output", folder / "machine.yaml"});
  EXPECT_NE(result.out, "") << result.err;
  EXPECT_LE(letters_of_widest_line(result.out + result.err), most_letters) << result.out << result.err;
}

}  // namespace
}  // namespace takt::test
