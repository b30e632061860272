/// Tests that the kernels of each pipeline of `configs/` have the same output in tiles as on whole frames.

#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "pipeline/costs/trial_frames.hpp"
#include "tests/pipeline/tiles/rank_loop.hpp"

namespace takt::pipeline::test {
namespace {

/// Returns all outputs of a kernel for six frames of noise.
std::vector<std::vector<std::byte>> outputs(const Pipeline& pipeline, const Tiling& tiling, std::size_t stage,
                                            std::span<const std::byte> noise) {
  RankLoop rank(pipeline, tiling);
  std::vector<std::vector<std::byte>> outputs;
  for (int frame = 0; frame < 6; ++frame) outputs.push_back(rank.run(noise.data(), stage));
  return outputs;
}

/// Returns the kernels whose frames other stages than those of their group take, or no other stage.
std::set<std::size_t> kept(const Pipeline& pipeline, const Tiling& tiling) {
  std::set<std::size_t> kept;
  for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage)
    for (const std::size_t input : pipeline.stages[stage].inputs)
      if (pipeline.stages[input].kind == StageKind::kernel &&
          (!tiling[input] || !tiling[stage] || tiling[input]->group != tiling[stage]->group))
        kept.insert(input);
  return kept;
}

class Configs : public ::testing::TestWithParam<const char*> {};

TEST_P(Configs, have_the_same_output_in_tiles) {
  Pipeline pipeline = load_pipeline(std::filesystem::path(TAKT_SOURCE_DIR) / "configs" / GetParam());
  const std::size_t source = pipeline.sources().front();
  const sensors::FrameMemory memory(1, pipeline.stages[source].output.size());
  FrameHeader header;
  fill_with_noise({&header, memory.frame(0)}, pipeline.stages[source].output.element);
  const Tiling whole(pipeline.stages.size());
  std::size_t compared = 0;
  // From a tile for each index to few of them.
  for (const std::size_t cache : {std::size_t{1}, std::size_t{1} << 17, std::size_t{1} << 19}) {
    const Tiling tiling = tile(pipeline, Bytes{cache});
    if (std::ranges::none_of(tiling, [](const auto& stage) { return stage.has_value(); })) continue;
    for (const std::size_t stage : kept(pipeline, tiling)) {
      EXPECT_EQ(outputs(pipeline, tiling, stage, memory.frame(0)),
                outputs(pipeline, whole, stage, memory.frame(0)))
          << pipeline.stages[stage].name << " with caches of " << cache << " bytes";
      ++compared;
    }
  }
  EXPECT_GT(compared, 0U);
}

INSTANTIATE_TEST_SUITE_P(Pipelines, Configs,
                         ::testing::Values("lofar-spectrometer.yaml", "rfi-spectrometer.yaml",
                                           "pulsar-search.yaml", "survey.yaml", "beamformer.yaml"));

}  // namespace
}  // namespace takt::pipeline::test
