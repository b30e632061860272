/// Tests what the command line can change in a pipeline, and the errors of wrong changes.

#include <gmock/gmock.h>

#include "logp/machine_yaml.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(Overrides, replace_values_of_any_depth) {
  const Pipeline pipeline =
      load(good_pipeline, {{"tasks.spectrum.channels", "32"},
                           {"name", "other"},
                           {"rate", "10 Hz"},
                           {"sources.sensor.axes", "[beamlet=2, time=64, polarisation=2]"},
                           {"deployment.ranks", "3"}});
  EXPECT_EQ(pipeline.name, "other");
  EXPECT_EQ(pipeline.required_rate(), Frequency{10});
  EXPECT_EQ(pipeline.deployment.ranks, 3U);
  EXPECT_EQ(pipeline.stages[1].output.to_string(), "complex_float32[time=2][channel=64][polarisation=2]");
}

TEST(Overrides, can_add_options_to_a_scheduler_with_only_a_name) {
  const Pipeline pipeline =
      load(good_pipeline + "scheduler: greedy\n", {{"scheduler.seed", "7"}, {"scheduler.effort", "100"}});
  EXPECT_EQ(pipeline.goal.scheduler, "greedy");
  EXPECT_EQ(pipeline.goal.options.seed, 7U);
  EXPECT_EQ(pipeline.goal.options.effort, 100U);
  EXPECT_EQ(load(good_pipeline, {{"scheduler", "single"}}).goal.scheduler, "single");
}

TEST(Overrides, can_add_a_stage) {
  const Pipeline pipeline = load(good_pipeline, {{"sinks.second", "{type: null, input: spectrum}"}});
  EXPECT_EQ(pipeline.stages.size(), 5U);
}

TEST(Overrides, use_the_last_of_several) {
  EXPECT_EQ(load(good_pipeline, {{"name", "a"}, {"name", "b"}}).name, "b");
}

TEST(Overrides, are_the_position_of_their_errors) {
  EXPECT_THAT(
      errors_in(good_pipeline, {{"tasks.spectrum.channels", "odd"}}),
      ElementsAre("--set tasks.spectrum.channels: task 'spectrum': parameter 'channels': 'odd' is not an "
                  "integer"));
  EXPECT_THAT(
      errors_in(good_pipeline, {{"tasks.spectrun.channels", "8"}}),
      ElementsAre("--set tasks.spectrun.channels: unknown key 'spectrun'; did you mean 'spectrum'? (known: "
                  "spectrum power)"));
  EXPECT_THAT(errors_in(good_pipeline, {{"name.first", "x"}}),
              ElementsAre("--set name.first: 'first' is a key of a single value: expected a mapping"));
  EXPECT_THAT(errors_in(good_pipeline, {{"nme", "x"}}),
              ElementsAre(StartsWith("--set nme: unknown key 'nme'")));
  EXPECT_THAT(
      errors_in(good_pipeline, {{"", "x"}, {"tasks..a", "1"}, {"tasks.", "1"}}),
      ElementsAre(StartsWith("--set : expected keys with one dot between them"),
                  StartsWith("--set tasks..a: expected keys"), StartsWith("--set tasks.: expected keys")));
  EXPECT_THAT(errors_in(good_pipeline, {{"name", "[1, 2"}, {"rate", ""}}),
              ElementsAre("--set name: '[1, 2' is not a YAML value", "--set rate: '' is not a YAML value"));
}

TEST(Overrides, of_an_option_have_its_name) {
  EXPECT_THAT(errors_in(good_pipeline, {{"rate", "fast", "--rate"}}),
              ElementsAre(StartsWith("--rate: 'rate': 'fast' is not a frequency")));
}

TEST(Overrides, resolve_files_in_the_working_directory) {
  const std::string text = R"(sources:
  s: {type: lofar_file, files: [a/lane0.raw, /data/lane1.raw]}
sinks:
  o: {type: raw, input: s, path: out.raw}
deployment: {machine: m.yaml}
)";
  const takt::test::TemporaryFolder folder;
  const std::string file = folder.file("p.yaml", text);
  folder.file("m.yaml", logp::to_yaml(logp::parse_machine("logp:P=3,L=1,o=1,g=2")));
  const Pipeline written = load_pipeline(file);
  EXPECT_THAT(written.stages[0].parameters.texts("files"),
              ElementsAre((folder / "a/lane0.raw").string(), "/data/lane1.raw"));
  EXPECT_EQ(written.stages[1].parameters.text("path"), "out.raw");
  EXPECT_EQ(written.deployment.machine, (folder / "m.yaml").string());

  const Pipeline set = load_pipeline(file, {{"sources.s.files", "[lane0.raw, b/lane1.raw]"},
                                            {"deployment.machine", "logp:P=3,L=1,o=1,g=2"}});
  EXPECT_THAT(set.stages[0].parameters.texts("files"), ElementsAre("lane0.raw", "b/lane1.raw"));
  EXPECT_EQ(set.deployment.machine, "logp:P=3,L=1,o=1,g=2");
}

}  // namespace
}  // namespace takt::pipeline::test
