/// Tests files of costs: read back unchanged, and refused or warned about when they belong to something else.

#include "pipeline/costs/profile_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/error.hpp"
#include "pipeline/config/pipeline.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

using ::takt::test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

std::string tone_yaml(const std::string& frames, const std::string& rate) {
  return fmt::format(
      "name: tone\nsources:\n  tone: {{type: synthetic, element: float32, axes: [time=16, channel=4], "
      "pattern: ramp, "
      "rate: {}}}\ntasks:\n  mean: {{kernel: integrate, input: tone, factor: {}}}\nsinks:\n  out: {{type: "
      "'null', input: mean}}\n",
      rate, frames);
}

std::vector<StageCost> some_costs() {
  return {
      {.stage = "tone", .cost = Time{100}, .copy = Time{30}, .low = Time{90}, .high = Time{120}, .runs = 7},
      {.stage = "mean",
       .cost = Time{1000},
       .low = Time{900},
       .high = Time{1200},
       .runs = 40,
       .is_whole = true},
      {.stage = "out", .cost = Time{10}, .low = Time{9}, .high = Time{12}, .runs = 3}};
}

class ProfileFile : public ::testing::Test {
 protected:
  Pipeline load(const std::string& frames, const std::string& rate = "1kHz") {
    return load_pipeline(folder_.file("p.yaml", tone_yaml(frames, rate)));
  }
  const TemporaryFolder folder_;
};

TEST_F(ProfileFile, is_read_back_unchanged) {
  const Pipeline pipeline = load("8");
  const std::string file = folder_.file("costs.yaml", profile_to_yaml(some_costs(), pipeline));
  const std::vector<StageCost> read = read_profile(file, pipeline);
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].copy, Time{30});
  EXPECT_EQ(read[1].cost, Time{1000});
  EXPECT_EQ(read[1].low, Time{900});
  EXPECT_EQ(read[1].runs, 40U);
  EXPECT_TRUE(read[1].is_whole);
  EXPECT_FALSE(read[0].is_whole);
  EXPECT_THAT(profile_warnings(file, load("8")), IsEmpty());
}

TEST_F(ProfileFile, is_refused_for_a_task_that_differs_from_the_measured_one) {
  const std::string file = folder_.file("costs.yaml", profile_to_yaml(some_costs(), load("8")));
  const Pipeline other = load("16");
  EXPECT_THAT(
      [&] { (void)read_profile(file, other); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr("costs.yaml:"),
                                       HasSubstr("the cost of 'mean' was measured as 'integrate factor=8"),
                                       HasSubstr("it is 'integrate factor=16"), HasSubstr("takt profile"))));
}

/// Users change the rate from one run to the next.
TEST_F(ProfileFile, holds_for_another_rate) {
  const std::string file = folder_.file("costs.yaml", profile_to_yaml(some_costs(), load("8", "1kHz")));
  EXPECT_EQ(read_profile(file, load("8", "2kHz")).size(), 3U);
}

TEST_F(ProfileFile, can_be_written_by_hand) {
  const Pipeline pipeline = load("8");
  std::string text = "costs:\n";
  for (const char* const stage : {"tone", "mean", "out"})
    text += fmt::format("  {}: {{cost: 1 us, low: 1 us, high: 2 us, runs: 1}}\n", stage);
  const std::string file = folder_.file("costs.yaml", text);
  EXPECT_EQ(read_profile(file, pipeline)[2].cost, Time{1000});
  EXPECT_THAT(profile_warnings(file, load("8")), IsEmpty());
}

TEST_F(ProfileFile, has_a_mapping_for_the_host_and_copies_within_the_cost) {
  const Pipeline pipeline = load("8");
  const std::string copy =
      folder_.file("copy.yaml", "costs:\n  tone: {cost: 1 us, low: 1 us, high: 2 us, runs: 9, copy: 1 s}\n");
  EXPECT_THAT([&] { (void)read_profile(copy, pipeline); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("copy.yaml:2:60"), HasSubstr("'copy' is part of"),
                                               HasSubstr("at most 1 us, found 1 s"))));
  for (const char* const key : {"host", "plugins", "files"}) {
    const std::string file = folder_.file("listed.yaml", fmt::format("{}: [1]\ncosts: {{}}\n", key));
    EXPECT_THAT([&] { (void)profile_warnings(file, pipeline); },
                ThrowsMessage<ConfigError>(
                    AllOf(HasSubstr("listed.yaml:1:"), HasSubstr(key), HasSubstr("as a mapping"))));
  }
}

TEST_F(ProfileFile, warns_on_another_processor_and_after_a_plug_in_was_rebuilt) {
  const std::string plugin = folder_.file("plug.so", "new");
  const std::string file = folder_.file(
      "costs.yaml", fmt::format("host: {{processor: An abacus, 5 GHz}}\nplugins:\n  {}: '0000000000000001'\n"
                                "costs: {{}}\n",
                                plugin));
  Pipeline pipeline = load("8");
  pipeline.plugins = {plugin};
  EXPECT_THAT(profile_warnings(file, pipeline),
              ElementsAre(HasSubstr("another kind of processor"), HasSubstr("plug.so has changed")));
  const std::string other = folder_.file("other.so", "another one");
  pipeline.plugins = {other};
  EXPECT_THAT(profile_warnings(file, pipeline),
              ElementsAre(HasSubstr("another kind of processor"), HasSubstr("without the plug-in " + other)));
}

/// The new script may be slower than the old one.
TEST_F(ProfileFile, warns_after_a_file_of_a_kernel_was_changed) {
  if (!takt::test::python_has_numpy()) GTEST_SKIP() << "no numpy";
  const std::string script = folder_.file("gain.py", "def twice(frame):\n    return 2 * frame\n");
  const Pipeline pipeline =
      load_pipeline(folder_.file("scripted.yaml", fmt::format(R"(name: scripted
sources: {{s: {{type: synthetic, element: float32, axes: [time=16]}}}}
tasks: {{gain: {{kernel: python, file: {}, function: twice, interpreter: {}, input: s}}}}
sinks: {{o: {{type: 'null', input: gain}}}}
)",
                                                              script, takt::test::python)));
  const std::vector<StageCost> costs{{.stage = "s"}, {.stage = "gain"}, {.stage = "o"}};
  const std::string file = folder_.file("costs.yaml", profile_to_yaml(costs, pipeline));
  EXPECT_EQ(read_profile(file, pipeline).size(), 3U);
  EXPECT_THAT(profile_warnings(file, pipeline), IsEmpty());
  (void)folder_.file("gain.py", "def twice(frame):\n    return frame + frame\n");
  EXPECT_THAT(profile_warnings(file, pipeline),
              ElementsAre(HasSubstr("gain.py has changed since the costs")));
}

/// The same plug-in in another folder is the measured one.
TEST_F(ProfileFile, identifies_plug_ins_by_their_contents) {
  Pipeline pipeline = load("8");
  pipeline.plugins = {folder_.file("plug.so", "one")};
  const std::string file = folder_.file("costs.yaml", profile_to_yaml(some_costs(), pipeline));
  pipeline.plugins = {folder_.file("moved.so", "one")};
  EXPECT_THAT(profile_warnings(file, pipeline), IsEmpty());
}

/// A pattern of noise costs more than one of zeros.
TEST_F(ProfileFile, is_refused_for_a_source_with_another_pattern) {
  const std::string yaml =
      "sources: {{s: {{type: synthetic, axes: [time=4], rate: 1 Hz, frames: {}, pattern: {}}}}}\n"
      "tasks: {{a: {{kernel: pass, input: s}}}}\nsinks: {{o: {{type: 'null', input: a}}}}\n";
  const auto with = [&](int frames, const char* pattern) {
    return test::load(fmt::format(fmt::runtime(yaml), frames, pattern));
  };
  std::vector<StageCost> costs;
  for (const char* const stage : {"s", "a", "o"}) costs.push_back({.stage = stage, .cost = Time{1000}});
  const std::string file = folder_.file("costs.yaml", profile_to_yaml(costs, with(0, "zeros")));
  EXPECT_EQ(read_profile(file, with(9, "zeros")).size(), 3U);
  EXPECT_THAT([&] { (void)read_profile(file, with(0, "noise")); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("pattern=zeros"), HasSubstr("pattern=noise"))));
}

}  // namespace
}  // namespace takt::pipeline::test
