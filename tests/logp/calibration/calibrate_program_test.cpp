/// Does `takt calibrate` run, finish and write a machine? The measured values are not asserted: tests run on
/// noisy hosts.

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <signal.h>

#include "core/system/text_file.hpp"
#include "logp/machine_yaml.hpp"
#include "tests/support/program.hpp"
#include "tests/support/ranks.hpp"

namespace takt {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::Eq;
using ::testing::HasSubstr;

/// Few sizes and seconds: often refused, hence --force, which writes the file with its verdict.
std::vector<std::string> quick_calibration(const std::string& output, const std::string& ranks) {
  return {"calibrate", "--ranks", ranks,      "--duration", "3s",           "--largest",
          "64KiB",     "--force", "--output", output,       "--no-progress"};
}

/// On a host so busy that every message is disturbed there are no costs; the output reports that.
bool too_busy(const test::Result& result) {
  return result.exit_code == 1 && result.err.find("no costs were measured") != std::string::npos;
}

void expect_machine(const test::Result& result, const std::filesystem::path& file, std::size_t processors) {
  if (too_busy(result)) GTEST_SKIP() << result.err;
  EXPECT_THAT(result.exit_code, AnyOf(Eq(0), Eq(1))) << result.err;
  ASSERT_TRUE(std::filesystem::exists(file)) << result.err;
  const std::string text = read_text_file(file);
  EXPECT_EQ(logp::machine_from_yaml(text, file).processor_count(), processors);
  EXPECT_EQ(logp::machine_from_yaml(text, file, "verify").processor_count(), processors);
  EXPECT_THAT(text, HasSubstr(result.exit_code == 0 ? "verdict: accepted" : "verdict: refused"));
  EXPECT_THAT(result.out, HasSubstr("ranks calibrated"));
}

TEST(CalibrateProgram, writes_a_machine_of_two_ranks) {
  const test::TemporaryFolder folder;
  const auto file = folder / "m.yaml";
  expect_machine(test::takt(quick_calibration(file, "2")), file, 2);
}

TEST(CalibrateProgram, takes_more_ranks_than_cores) {
  const test::TemporaryFolder folder;
  const auto file = folder / "m.yaml";
  expect_machine(test::takt(quick_calibration(file, "5")), file, 5);
}

/// Is the rank past the start of MPI? Open MPI does not name a rank that dies earlier.
bool has_shared_memory(pid_t rank) {
  return test::read_file("/proc/" + std::to_string(rank) + "/maps").find("vader_segment") !=
         std::string::npos;
}

/// Result of a calibration in which the process that `victim` finds from a rank is killed.
test::Result calibration_without(const std::function<pid_t(pid_t)>& victim) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "m.yaml";
  test::Program program(
      test::takt_command({"calibrate", "--ranks", "2", "--duration", "1min", "--output", file}));
  std::vector<pid_t> ranks;
  EXPECT_TRUE(program.await([&] {
    ranks = test::ranks_of(file);
    return ranks.size() == 2 && std::ranges::all_of(ranks, has_shared_memory);
  }));
  if (!ranks.empty()) ::kill(victim(ranks.front()), SIGKILL);
  return program.wait();
}

TEST(CalibrateProgram, names_the_killed_rank) {
  const test::Result result = calibration_without([](pid_t rank) { return rank; });
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, ContainsRegex("takt: rank [01] died of signal 9"));
}

TEST(CalibrateProgram, reports_that_mpirun_was_killed) {
  const test::Result result = calibration_without([](pid_t rank) {
    const std::string status = test::read_file("/proc/" + std::to_string(rank) + "/status");
    return std::stoi(status.substr(status.find("PPid:") + 5));
  });
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("mpirun died of signal 9"));
}

TEST(CalibrateProgram, prints_the_machine_without_an_output_file) {
  const test::Result result = test::takt({"calibrate", "--ranks", "2", "--duration", "3s", "--largest",
                                          "16KiB", "--force", "--normal-priority"});
  if (too_busy(result)) GTEST_SKIP() << result.err;
  EXPECT_EQ(logp::machine_from_yaml(result.out, "stdout").processor_count(), 2U) << result.err;
  EXPECT_THAT(result.err, HasSubstr("2 ranks calibrated"));
}

std::vector<std::string> under_mpirun(const std::string& ranks, const std::vector<std::string>& command) {
  std::vector<std::string> words{"env",    "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                 "mpirun", "--oversubscribe",          "-n",
                                 ranks};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

TEST(CalibrateProgram, works_under_the_users_own_mpirun) {
  const test::TemporaryFolder folder;
  const auto file = folder / "m.yaml";
  test::Program program(under_mpirun("2", test::takt_command(quick_calibration(file, "7"))));
  expect_machine(program.wait(std::chrono::seconds{120}), file, 2);
}

std::vector<std::string> on_two_hosts(const std::vector<std::string>& command) {
  std::vector<std::string> words{TAKT_SOURCE_DIR "/tests/support/two_hosts.sh"};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

TEST(CalibrateProgram, measures_between_hosts_of_two_domains) {
  const test::TemporaryFolder folder;
  const auto file = folder / "m.yaml";
  test::Program program(on_two_hosts(test::takt_command(quick_calibration(file, "2"))));
  const test::Result result = program.wait(std::chrono::seconds{120});
  constexpr int not_allowed = 77;
  if (result.exit_code == not_allowed) GTEST_SKIP() << "network namespaces need root";
  expect_machine(result, file, 2);
  if (IsSkipped()) return;
  const logp::Machine machine = logp::machine_from_yaml(read_text_file(file), file);
  EXPECT_EQ(machine.platform().level(ProcessorId(0), ProcessorId(1)), Level::wide);
  EXPECT_FALSE(machine.communication_is_free());
}

TEST(CalibrateProgram, measures_between_given_hosts) {
  const test::TemporaryFolder folder;
  const auto file = folder / "m.yaml";
  std::vector<std::string> command = quick_calibration(file, "2");
  command.insert(command.end(), {"--hosts", "h1.test:1,h2.test:1"});
  command = test::takt_command(command);
  command.insert(command.begin(), {TAKT_SOURCE_DIR "/tests/support/hosts.sh", "2", "--"});
  const test::Result result = test::Program(command).wait(std::chrono::seconds{120});
  constexpr int not_allowed = 77;
  if (result.exit_code == not_allowed) GTEST_SKIP() << "network namespaces need root";
  expect_machine(result, file, 2);
  if (IsSkipped()) return;
  const logp::Machine machine = logp::machine_from_yaml(read_text_file(file), file);
  EXPECT_NE(machine.platform().level(ProcessorId(0), ProcessorId(1)), Level::node);
  // The machine file is valid for a plan.
  const test::Result plan = test::takt({"plan", "fft:depth=3,data=65536", "--machine", file});
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
}

TEST(CalibrateProgram, reports_messages_over_loopback) {
  const test::TemporaryFolder folder;
  const auto file = folder / "m.yaml";
  std::vector<std::string> words{"env", "OMPI_MCA_btl=tcp,self", "OMPI_MCA_btl_tcp_if_include=lo"};
  for (const std::string& word : test::takt_command(quick_calibration(file, "2"))) words.push_back(word);
  test::Program program(words);
  expect_machine(program.wait(std::chrono::seconds{120}), file, 2);
  if (IsSkipped()) return;
  EXPECT_THAT(read_text_file(file), HasSubstr("OMPI_MCA_btl=tcp,self"));
}

TEST(CalibrationRanks, perform_every_kind_of_command) {
  test::Program program(under_mpirun("3", {TAKT_CALIBRATION_RANKS}));
  const test::Result result = program.wait(std::chrono::seconds{120});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(CalibrateProgram, refuses_invalid_options) {
  EXPECT_EQ(test::takt({"calibrate", "--ranks", "1"}).exit_code, 2);
  EXPECT_THAT(test::takt({"calibrate", "--largest", "1 GiB"}).err, HasSubstr("--largest 1 GiB: expected"));
  EXPECT_EQ(test::takt({"calibrate", "--duration", "0s"}).exit_code, 2);
  EXPECT_EQ(test::takt({"calibrate", "--data", "stale"}).exit_code, 2);
}

}  // namespace
}  // namespace takt
