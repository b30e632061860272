/// Tests runs whose kernels work tile by tile: their output is that of whole frames, for any tiles and ranks.

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/pipeline/runtime/tiled_pipeline.hpp"
#include "tests/support/program.hpp"

namespace takt::test {
namespace {

std::array<std::string, 3> outputs(const std::string& deployment,
                                   const std::vector<std::string>& options = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> command{"run", folder.file("p.yaml", tiled_yaml(folder, deployment))};
  command.insert(command.end(), options.begin(), options.end());
  const Result result = takt(command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return tiled_outputs(folder);
}

TEST(TiledRuns, have_the_output_of_whole_frames) {
  const auto whole = outputs("ranks: 1, tiles: none");
  EXPECT_EQ(whole[0].size(), tiled_power_bytes);
  EXPECT_EQ(outputs("ranks: 1, tiles: 4"), whole);
  EXPECT_EQ(outputs("ranks: 1, tiles: 12", {"--check-memory"}), whole);
  EXPECT_EQ(outputs("ranks: 2, tiles: 2", {"--scheduler", "chains"}), whole);
  // Several frames per iteration, and kernels with state on one rank.
  EXPECT_EQ(outputs("ranks: 3, tiles: 6, machine: 'logp:P=3,L=1,o=1,g=1'", {"--scheduler", "optfo"}), whole);
  EXPECT_EQ(outputs("ranks: 2, tiles: 3, transport: mpi", {"--scheduler", "heft"}), whole);
}

TEST(TiledRuns, are_traced_task_by_task) {
  const TemporaryFolder folder;
  const Result result = takt({"run", folder.file("p.yaml", tiled_yaml(folder, "ranks: 1, tiles: 4")),
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
