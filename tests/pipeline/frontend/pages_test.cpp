/// Pages of programs and of executed plans.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pipeline/frontend/pages/experiment_page.hpp"
#include "pipeline/frontend/pages/program_page.hpp"
#include "tests/pipeline/frontend/programs.hpp"

namespace takt::frontend {
namespace {

using testing::ElementsAre;
using Json = nlohmann::json;

Json view_of(const Page& page, const std::string& name) {
  for (const View& view : page.views)
    if (Json json = Json::parse(view); json["name"] == name) return json;
  return {};
}

TEST(ProgramPage, marks_calls_and_their_sections_in_the_text) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const WeightedProgram program = load_program(example("fft.c") + ":PN=4,SN=2");
  const Json source = view_of(program_page("fft.c", program), "Source");
  std::string text;
  std::vector<std::string> names, reads, writes;
  for (std::size_t i = 0; i < source["parts"]["text"].size(); ++i) {
    const std::string part = source["parts"]["text"][i];
    text += part;
    const int access = source["parts"]["access"][i];
    EXPECT_EQ(access > 0, source["parts"]["site"][i] >= 0);
    if (access == 1) reads.push_back(part);
    if (access == 2) writes.push_back(part);
    if (access == 4) names.push_back(part);
  }
  EXPECT_EQ(text, program.read.program.source.text());
  EXPECT_THAT(names, ElementsAre("Initiation", "InterSum", "InterTurn", "IntraMult", "OutputResult"));
  EXPECT_THAT(reads, ElementsAre("data[i + 1][j + k]", "data[i + 1][j + k + half]",
                                 "data[i + 1][j + k + half]", "data[i + 1][j + k]", "data[1][i]", "data[0]"));
  EXPECT_THAT(writes, ElementsAre("data[__builtin_ctz(PN) + 1]", "data[i][j + k]", "data[i][j + k + half]",
                                  "data[0][i]"));
  // 1, 2 levels of 2 + 2, 4, 1 calls.
  ASSERT_EQ(source["calls"]["site"].size(), 14U);
  EXPECT_EQ(source["graph"]["nodes"]["name"].size(), 14U);
  for (std::size_t call = 0; call < 14; ++call) {
    const std::string name = source["graph"]["nodes"]["name"][call];
    EXPECT_TRUE(name.starts_with(names[source["calls"]["site"][call].get<std::size_t>()])) << name;
  }
  EXPECT_EQ(source["calls"]["text"][1], "InterSum(data[3][0], data[3][2], data[2][0], 2)");
}

TEST(ProgramPage, shows_the_owners_of_partitions) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const Page page = program_page("fft.c", load_program(example("fft.c") + ":PN=8,SN=2"), 2);
  const Json parts = view_of(page, "Data partitionings")["parts"];
  EXPECT_EQ(parts["task"], Json({"data, block", "data, cyclic", "data, block-cyclic"}));
  EXPECT_EQ(parts["group"],
            Json({{0, 0, 0, 0, 1, 1, 1, 1}, {0, 1, 0, 1, 0, 1, 0, 1}, {0, 0, 1, 1, 0, 0, 1, 1}}));
  EXPECT_FALSE(view_of(page, "Procedures").is_null());
}

TEST(ExperimentsPage, has_bars_and_figures_of_each_plan) {
  const auto row = [](const std::string& name, Time planned, Time run) {
    ExperimentRow made{.plan = {.scheduler = name, .parallel = ParallelProgram{}, .planned = planned}};
    made.plan.predicted = planned + Time{10};
    made.execution = Execution{.makespans = {run, run + Time{20}}, .use = 0.5, .communication = 0.2};
    return made;
  };
  Experiment experiment{.program = "fft.c",
                        .calls = 14,
                        .ranks = 2,
                        .runs = 2,
                        .sequential = row("one rank", Time{200}, Time{190}),
                        .rows = {row("mcp", Time{100}, Time{110})}};
  experiment.rows.push_back({.plan = {.scheduler = "brent", .error = "refused"}});
  const Page page = experiments_page({experiment});
  const Json times = view_of(page, "fft.c: makespans");
  EXPECT_EQ(times["names"], Json({"one rank", "mcp"}));
  EXPECT_EQ(times["series"][0]["y"], Json({200.0, 100.0}));
  EXPECT_EQ(times["series"][1]["y"], Json({210.0, 110.0}));
  EXPECT_EQ(times["series"][2]["y"], Json({200.0, 120.0}));
  const Json shares = view_of(page, "fft.c: the ranks' time");
  EXPECT_EQ(shares["series"][0]["y"], Json({50.0, 50.0}));
  EXPECT_NEAR(shares["series"][2]["y"][1].get<double>(), 30, 1e-9);
  const Json figures = view_of(page, "fft.c: figures");
  EXPECT_EQ(figures["rows"][1][6], "1.667");
  EXPECT_FALSE(view_of(experiments_page({experiment, experiment}), "Executed times").is_null());
}

}  // namespace
}  // namespace takt::frontend
