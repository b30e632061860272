/// Tests runs inside Slurm, whose nodes are all this computer (tests/support/slurm.sh). Skipped, with the
/// reason, where it cannot start.

#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::HasSubstr;

constexpr int no_slurm_here = 77;

std::string counting_pipeline(const TemporaryFolder& folder, const std::string& deployment) {
  return folder.file("p.yaml", fmt::format(R"(name: counting
sources:
  counter: {{type: synthetic, element: int32, axes: [sample=256], pattern: count, frames: 200}}
tasks:
  one: {{kernel: spin, input: counter, time: 50 us}}
  two: {{kernel: spin, input: one, time: 50 us}}
sinks:
  file: {{type: raw, input: two, path: {}}}
scheduler: basic_fo
deployment: {{machine: "logp:P=3,L=1000,o=1000,g=1000", {}}}
)",
                                           (folder / "out.raw").string(), deployment));
}

void expect_all_frames(const TemporaryFolder& folder) {
  std::ifstream stream(folder / "out.raw", std::ios::binary);
  std::int32_t value = 0, expected = 0;
  while (stream.read(reinterpret_cast<char*>(&value), sizeof(value))) ASSERT_EQ(value, expected++ / 256);
  EXPECT_EQ(expected, 200 * 256);
}

/// Runs a line of shell inside a Slurm of three nodes.
Result on_a_slurm_node(const std::string& line) {
  return Program({TAKT_SOURCE_DIR "/tests/support/slurm.sh", "3", "sh", "-c", line}).wait();
}

TEST(SlurmRun, uses_the_hosts_of_an_allocation) {
  const TemporaryFolder folder;
  const std::string file = counting_pipeline(folder, "ranks: 3");
  const Result result = on_a_slurm_node(fmt::format("salloc -Q -N3 -n3 {} run {}", TAKT_PROGRAM, file));
  if (result.exit_code == no_slurm_here) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_all_frames(folder);
}

/// Returns whether a program was killed after its time limit.
bool was_killed(const Result& result) {
  return result.exit_code == -1;
}

/// One start in a hundred hangs, also of plain MPI programs that srun starts, before MPI_Init returns. Only
/// then the test starts a second time.
TEST(SlurmRun, is_submitted_as_a_batch_job_whose_ranks_srun_starts) {
  std::optional<TemporaryFolder> folder;
  Result result;
  for (int start = 0; start == 0 || (start == 1 && was_killed(result)); ++start) {
    folder.emplace();
    const std::string file =
        counting_pipeline(*folder, "launcher: srun, slurm: {partition: test, nodes: 3, time: 5 min}");
    const std::string line = fmt::format(
        "cd {} && {} submit {} -- --report {} && while squeue -h -j 1 2>/dev/null | grep -q .; do sleep 0.1; "
        "done; cat slurm-1.out",
        std::filesystem::path(file).parent_path().string(), TAKT_PROGRAM, file,
        (*folder / "report.json").string());
    result = on_a_slurm_node(line);
  }
  if (result.exit_code == no_slurm_here) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("job 1: "));
  SCOPED_TRACE(result.out);
  expect_all_frames(*folder);
  EXPECT_TRUE(std::filesystem::exists(*folder / "report.json")) << result.out;
}

/// Node n2 fails: its slurmd and its processes.
TEST(SlurmRun, restarts_on_the_remaining_nodes) {
  const TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", fmt::format(R"(name: counting
sources:
  counter: {{type: synthetic, element: int32, axes: [sample=256], pattern: count, frames: 200}}
tasks:
  one: {{kernel: spin, input: counter, time: 5 ms}}
  two: {{kernel: spin, input: one, time: 5 ms}}
sinks:
  file: {{type: raw, input: two, path: {}}}
deployment:
  ranks: 3
  machine: "logp:P=3,L=1000,o=1000,g=1000"
  restart: {{attempts: 3, backoff: 10 ms, every: 100 ms}}
)",
                                                             (folder / "out.raw").string()));
  const std::string report = folder / "report.json";
  const std::string script =
      folder.file("script.sh", fmt::format(R"sh(export SLURMD_NODENAME=n1
{} run {} --no-serve --trial 0s --report {} &
run=$!
while [ "$(stat -c %s {} 2>/dev/null || echo 0)" -lt 20000 ]; do sleep 0.05; done
kill -9 $(pgrep -f "slurmd -D -N n2")
for pid in $(pgrep takt; pgrep orted; pgrep slurmstepd); do
  tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx SLURMD_NODENAME=n2 && kill -9 "$pid"
done
wait $run
)sh",
                                           TAKT_PROGRAM, file, report, (folder / "out.raw").string()));
  const Result result = Program({TAKT_SOURCE_DIR "/tests/support/slurm.sh", "3", "salloc", "-Q", "--no-kill",
                                 "-N3", "-n3", "bash", script})
                            .wait(std::chrono::seconds{120});
  if (result.exit_code == no_slurm_here) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_all_frames(folder);
  EXPECT_THAT(read_file(report), HasSubstr("\"n2\"")) << result.err;
}

TEST(SlurmRun, that_slurm_refuses_reports_the_reason) {
  const TemporaryFolder folder;
  const std::string file = counting_pipeline(folder, "ranks: 3, slurm: {partition: moon, nodes: 3}");
  const Result result = on_a_slurm_node(fmt::format("{} submit {}", TAKT_PROGRAM, file));
  if (result.exit_code == no_slurm_here) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err,
              HasSubstr("Slurm refused the job: sbatch: error: invalid partition specified: moon"));
}

}  // namespace
}  // namespace takt::test
