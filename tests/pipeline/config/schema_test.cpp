/// Does the JSON schema say what the program checks? An independent validator (python3-jsonschema) judges.

#include "pipeline/config/schema.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::HasSubstr;

/// What the validator has against a file.
std::string faults_of(const takt::test::TemporaryFolder& folder, const std::string& file) {
  const std::string schema = folder / "schema.json";
  std::ofstream(schema) << pipeline_schema(KernelRegistry::with_built_in_kernels());
  const takt::test::Result result =
      takt::test::Program(
          {"/usr/bin/python3", TAKT_SOURCE_DIR "/tests/pipeline/config/validate.py", schema, file})
          .wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

TEST(PipelineSchema, accepts_every_pipeline_that_is_shipped) {
  const takt::test::TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(TAKT_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(faults_of(folder, entry.path()), "");
  }
}

TEST(PipelineSchema, finds_what_the_program_refuses_at_the_same_place) {
  const takt::test::TemporaryFolder folder;
  const auto faults = [&](const std::string& text) {
    EXPECT_THROW((void)load(text), ConfigError) << text;
    return faults_of(folder, folder.file("p.yaml", text));
  };
  const std::string stages = R"(sources: {s: {type: synthetic, axes: [time=4]}}
sinks: {o: {type: 'null', input: s}}
)";
  EXPECT_EQ(faults_of(folder, folder.file("good.yaml", stages)), "");
  EXPECT_THAT(faults(stages + "rte: 50 Hz\n"), HasSubstr("p.yaml: \n"));
  EXPECT_THAT(faults(stages + "deployment: {ranks: 0}\n"), HasSubstr("p.yaml: deployment.ranks"));
  EXPECT_THAT(faults(stages + "scheduler: gredy\n"), HasSubstr("p.yaml: scheduler"));
  EXPECT_THAT(faults("sources: {s: {type: synthetc}}\nsinks: {o: {type: 'null', input: s}}\n"),
              HasSubstr("p.yaml: sources.s.type"));
  EXPECT_THAT(faults("sources: {s: {type: synthetic}}\nsinks: {o: {type: 'null', input: s}}\n"),
              HasSubstr("p.yaml: sources.s"));
  EXPECT_THAT(faults("sources: {s: {type: synthetic, axes: [time=4], elemnt: int8}}\nsinks: {o: {type: "
                     "'null', input: s}}\n"),
              HasSubstr("p.yaml: sources.s"));
  EXPECT_THAT(faults("sources: {s: {type: synthetic, axes: [time=4], element: int7}}\nsinks: {o: {type: "
                     "'null', input: s}}\n"),
              HasSubstr("p.yaml: sources.s.element"));
}

}  // namespace
}  // namespace takt::pipeline::test
