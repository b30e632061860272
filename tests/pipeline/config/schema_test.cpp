/// Tests that the JSON schema agrees with the program; an independent validator (python3-jsonschema) judges.

#include "pipeline/config/schema.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/pipeline/config/load.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::HasSubstr;

/// Returns the errors of the validator for a file.
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

TEST(PipelineSchema, accepts_every_shipped_pipeline) {
  const takt::test::TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(TAKT_SOURCE_DIR "/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    EXPECT_EQ(faults_of(folder, entry.path()), "");
  }
}

/// Finds the paths of properties without a title or a description.
void find_bare_properties(const nlohmann::json& schema, const std::string& place,
                          std::vector<std::string>& bare) {
  if (!schema.is_structured()) return;
  for (const auto& [key, value] : schema.items()) {
    if (key == "properties" && schema.is_object())
      for (const auto& [name, property] : value.items())
        for (const char* word : {"title", "description"})
          if (!property.contains(word) || property[word].get<std::string>().empty())
            bare.push_back(fmt::format("{}/{} lacks a {}", place, name, word));
    find_bare_properties(value, place + "/" + key, bare);
  }
}

TEST(PipelineSchema, has_a_title_and_a_description_for_every_property) {
  const auto schema = nlohmann::json::parse(pipeline_schema(KernelRegistry::with_built_in_kernels()));
  std::vector<std::string> bare;
  find_bare_properties(schema, "", bare);
  EXPECT_THAT(bare, ::testing::IsEmpty());
  // The search reaches stages, their parameters and settings.
  EXPECT_EQ(schema["properties"]["sources"]["title"], "sources");
  find_bare_properties(
      nlohmann::json::parse(R"({"allOf": [{"then": {"properties": {"a": {"title": "a"}}}}]})"), "", bare);
  EXPECT_THAT(bare, ::testing::ElementsAre("/allOf/0/then/a lacks a description"));
}

/// Returns the text between two marks on the page about editors.
std::string shown_between(const std::string& begin, const std::string& end) {
  const std::string page = takt::test::read_file(TAKT_SOURCE_DIR "/docs/reference/editors.md");
  const std::size_t from = page.find(begin);
  if (from == std::string::npos) return "";
  const std::size_t start = from + begin.size();
  return page.substr(start, page.find(end, start) - start);
}

TEST(PipelineSchema, is_used_as_the_page_about_editors_shows) {
  EXPECT_TRUE(nlohmann::json::parse(shown_between("```json\n", "```"))["yaml.schemas"].contains(
      "./pipeline.schema.json"));
  // The command of the page for continuous integration.
  const takt::test::TemporaryFolder folder;
  const std::string schema = folder.file("s.json", pipeline_schema(KernelRegistry::with_built_in_kernels()));
  const std::string script = shown_between("python3 -c '", "' pipeline.schema.json");
  const auto validate = [&](const std::string& file) {
    return takt::test::Program({"/usr/bin/python3", "-c", script, schema, file}).wait();
  };
  const takt::test::Result good = validate(TAKT_SOURCE_DIR "/configs/first.yaml");
  EXPECT_EQ(good.exit_code, 0) << good.err;
  const takt::test::Result bad = validate(folder.file("p.yaml", "sources: {s: {type: sky}}\nsinks: {}\n"));
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("sky"));
}

TEST(PipelineSchema, finds_the_programs_errors_at_the_same_position) {
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
  for (const char* const latency : {"20 ms", "{p90: 20 ms}"})
    EXPECT_EQ(faults_of(folder, folder.file("good.yaml", stages + "latency: " + latency + "\n")), "");
  EXPECT_THAT(faults(stages + "latency: {p95: 20 ms}\n"), HasSubstr("p.yaml: latency"));
  EXPECT_THAT(faults(stages + "latency: {p50: 2 ms, p99: 20 ms}\n"), HasSubstr("p.yaml: latency"));
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
