/// Tests runs whose kernels work tile by tile: their output
/// is that of whole frames, for any tiles and ranks.

#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

/// Two kernels that combine frames at the ends of two branches, and an output
/// in the middle. Each has a rest of 37 frames.
std::string branches_yaml(const TemporaryFolder& folder, const std::string& deployment) {
  return fmt::format(R"(name: tiled
sources:
  station: {{type: synthetic, element: complex_int8, axes: [packet=8, beamlet=12, time=16, polarisation=2], frames: 37}}
tasks:
  unpack: {{kernel: lofar_unpack, input: station}}
  spectra: {{kernel: fft, input: unpack, channels: 16}}
  power: {{kernel: stokes, input: spectra}}
  flat: {{kernel: bandpass, input: power, frames: 10}}
  integrated: {{kernel: integrate, input: flat, factor: 24}}
  moments: {{kernel: statistics, input: power, frames: 5}}
sinks:
  powers: {{type: raw, input: power, path: {0}powers}}
  sums: {{type: raw, input: integrated, path: {0}sums}}
  moments_out: {{type: raw, input: moments, path: {0}moments}}
deployment: {{{1}}}
)",
                     (folder / "").string(), deployment);
}

std::array<std::string, 3> outputs(const std::string& deployment,
                                   const std::vector<std::string>& options = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> command{"run", folder.file("p.yaml", branches_yaml(folder, deployment))};
  command.insert(command.end(), options.begin(), options.end());
  const Result result = takt(command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return {read_file(folder / "powers"), read_file(folder / "sums"), read_file(folder / "moments")};
}

TEST(TiledRuns, have_the_output_of_whole_frames) {
  const auto whole = outputs("ranks: 1, tiles: none");
  EXPECT_EQ(whole[0].size(), 37U * 8 * 12 * 16 * 4);
  EXPECT_EQ(outputs("ranks: 1, tiles: 4"), whole);
  EXPECT_EQ(outputs("ranks: 1, tiles: 12", {"--check-memory"}), whole);
  EXPECT_EQ(outputs("ranks: 2, tiles: 2", {"--scheduler", "chains"}), whole);
  // Several frames per iteration, and kernels with state on one rank.
  EXPECT_EQ(outputs("ranks: 3, tiles: 6, machine: 'logp:P=3,L=1,o=1,g=1'", {"--scheduler", "optfo"}), whole);
  EXPECT_EQ(outputs("ranks: 2, tiles: 3, transport: mpi", {"--scheduler", "heft"}), whole);
}

TEST(TiledRuns, are_traced_task_by_task) {
  const TemporaryFolder folder;
  const Result result = takt({"run", folder.file("p.yaml", branches_yaml(folder, "ranks: 1, tiles: 4")),
                              "--trace", folder / "trace.json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto trace = nlohmann::json::parse(read_file(folder / "trace.json"));
  const auto& rank = trace["ranks"][0];
  std::map<std::string, std::set<int>> frames_of;
  for (std::size_t i = 0; i < rank["kind"].size(); ++i) {
    if (rank["kind"][i] != 0) continue;
    const std::size_t stage = rank["subject"][i];
    const bool is_new =
        frames_of[trace["plan"]["stages"][stage]["name"]].insert(rank["frame"][i].get<int>()).second;
    EXPECT_TRUE(is_new) << stage << " of frame " << rank["frame"][i];
  }
  for (const char* task : {"unpack", "spectra", "power", "flat", "integrated", "moments"})
    EXPECT_GE(frames_of[task].size(), 37U) << task;
}

}  // namespace
}  // namespace takt::test
