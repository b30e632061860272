/// Tests that every pipeline in configs/ and in the documents is valid.

#include <filesystem>

#include <gmock/gmock.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

const std::filesystem::path configs = TAKT_SOURCE_DIR "/configs";

const Stage& stage(const Pipeline& pipeline, std::string_view name) {
  return *std::ranges::find(pipeline.stages, name, &Stage::name);
}

TEST(Configs, all_load) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs)) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    if (entry.path().stem() == "python-flagger" && !takt::test::python_has_numpy()) continue;
    const Pipeline pipeline = load_pipeline(entry.path());
    EXPECT_EQ(pipeline.name, entry.path().stem()) << "a pipeline is named as its file is";
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
      if (pipeline.stages[i].kind != StageKind::kernel) continue;
      EXPECT_NE(pipeline.make_kernel(i), nullptr);
    }
  }
  EXPECT_GE(count, 4U);
}

TEST(Configs, have_machines_with_valid_schedules) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs / "machines")) {
    ++count;
    const logp::Machine machine = logp::parse_machine(entry.path().string());
    const TaskGraph graph = generate("fft:depth=2,cost=1000000,data=100");
    const Schedule schedule = schedulers::find_scheduler("optfo").schedule(graph, machine, {.effort = 1000});
    EXPECT_TRUE(logp::diagnose(graph, machine, schedule).empty()) << entry.path();
  }
  EXPECT_GE(count, 2U);
}

/// Returns the YAML blocks of a Markdown file that are whole pipelines.
std::vector<std::string> pipelines_in(const std::string& document) {
  std::vector<std::string> pipelines;
  const std::string open = "```yaml\n", close = "\n```";
  for (std::size_t at = 0; (at = document.find(open, at)) != std::string::npos;) {
    at += open.size();
    const std::string block = document.substr(at, document.find(close, at) + 1 - at);
    if (block.find("sources:\n") != std::string::npos) pipelines.push_back(block);
  }
  return pipelines;
}

TEST(Configs, in_documents_load) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TAKT_SOURCE_DIR "/docs")) {
    if (entry.path().extension() != ".md") continue;
    for (const std::string& text : pipelines_in(takt::test::read_file(entry.path()))) {
      ++count;
      EXPECT_THAT(errors_in(text), ::testing::IsEmpty()) << entry.path() << ":\n" << text;
    }
  }
  EXPECT_GE(count, 1U);
}

TEST(Configs, first_is_the_pipeline_of_the_readme) {
  EXPECT_THAT(pipelines_in(takt::test::read_file(TAKT_SOURCE_DIR "/README.md")),
              ::testing::ElementsAre(takt::test::read_file(configs / "first.yaml")));
}

TEST(Configs, spectrometer_has_the_figures_of_its_comments) {
  const Pipeline pipeline = load_pipeline(configs / "lofar-spectrometer.yaml");
  const FrameType& raw = stage(pipeline, "station").output;
  EXPECT_EQ(raw.data_size().count, 4U * 122 * 2048 * 4);
  EXPECT_NEAR(raw.rate_hz, 95.4, 0.05);
  EXPECT_LE(pipeline.required_rate()->hertz, 95.4);

  const FrameType& spectra = stage(pipeline, "spectra").output;
  EXPECT_EQ(spectra.to_string(), "complex_float32[time=32][channel=31232][polarisation=2]");
  const std::vector<double>& channels = spectra.axes[1].coordinates;
  // Subband 12 of the band above 100 MHz: its middle channel is its centre;
  // channels are 200 MHz / 1024 / 64 = 3051.7578125 Hz apart.
  EXPECT_EQ(channels[32], 100e6 + 12 * 195312.5);
  for (std::size_t c = 0; c < channels.size(); ++c)
    ASSERT_EQ(channels[c], channels[0] + static_cast<double>(c) * 3051.7578125);
  EXPECT_EQ(stage(pipeline, "integrated").output.to_string(), "float32[time=1][channel=31232]");
  EXPECT_TRUE(stage(pipeline, "integrated").stateless);
}

}  // namespace
}  // namespace takt::pipeline::test
