/// Does the loader survive files that somebody's editor, disk or cat has been at?

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "pipeline/profiling/profile_file.hpp"
#include "tests/pipeline/config/load.hpp"
#include "tests/support/mutation.hpp"

namespace takt::pipeline::test {
namespace {

class Damaged : public ::testing::TestWithParam<std::string> {};

TEST_P(Damaged, files_load_or_are_refused_with_a_message) {
  const takt::test::TemporaryFolder folder;
  const std::string good = takt::test::read_file(std::string(TAKT_SOURCE_DIR "/configs/") + GetParam());
  takt::test::expect_value_or_config_error(
      {good}, [&](const std::string& text) { (void)load_pipeline(folder.file("p.yaml", text)); },
      takt::test::mutation_count(500));
}

TEST_P(Damaged, overrides_are_taken_or_refused_with_a_message) {
  Random random(2);
  const std::string file = std::string(TAKT_SOURCE_DIR "/configs/") + GetParam();
  const std::vector<Override> good{
      {"sources.station.packets", "16"}, {"tasks.work.time", "1 ms"}, {"deployment.ranks", "2"}};
  for (int round = 0; round < takt::test::mutation_count(300); ++round) {
    Override each = good[random.below(good.size())];
    std::string& part = random.below(2) == 0 ? each.path : each.value;
    part = takt::test::mutated(part, random);
    try {
      (void)load_pipeline(file, {each});
    } catch (const ConfigError& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

TEST(DamagedProfiles, are_read_or_refused_with_a_message) {
  const takt::test::TemporaryFolder folder;
  const Pipeline pipeline = load(good_pipeline);
  std::vector<StageCost> costs;
  for (const Stage& stage : pipeline.stages)
    costs.push_back(
        {.stage = stage.name, .cost = Time{5}, .copy = Time{1}, .low = Time{4}, .high = Time{6}, .runs = 7});
  takt::test::expect_value_or_config_error(
      {profile_to_yaml(costs, pipeline)},
      [&](const std::string& text) { (void)read_profile(folder.file("profile.yaml", text), pipeline); },
      takt::test::mutation_count(500));
}

INSTANTIATE_TEST_SUITE_P(Every, Damaged,
                         ::testing::Values("first.yaml", "spin.yaml", "lofar-spectrometer.yaml"),
                         [](const auto& tested) {
                           std::string name = tested.param.substr(0, tested.param.find('.'));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace takt::pipeline::test
