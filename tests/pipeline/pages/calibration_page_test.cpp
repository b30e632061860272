/// Does the page of a measured machine show its measurements next to the fits?

#include "pipeline/pages/calibration_page.hpp"

#include <cmath>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/formats/yaml_parser.hpp"
#include "core/pictures/document_page.hpp"
#include "core/pictures/page_svg.hpp"
#include "logp/calibration/calibration_text.hpp"
#include "logp/calibration/refine.hpp"
#include "logp/machine_yaml.hpp"
#include "tests/logp/calibration/synthetic_link.hpp"

namespace takt::pipeline {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

logp::RankLocation rank_on(const std::string& core) {
  return {.host = "a",
          .computer = "a",
          .path = "Machine#0 L3#0 Core#" + core,
          .bound_by = "takt",
          .processor = "CPU",
          .system = "Linux"};
}

/// Two ranks over a synthetic link: a step at 4 KiB, above which send and receive overlap.
class CalibrationPicture : public ::testing::Test {
 protected:
  CalibrationPicture() {
    logp::Calibration calibration;
    calibration.ranks = {rank_on("0"), rank_on("1")};
    calibration.platform = logp::platform_of(calibration.ranks);
    calibration.mpi = {"Open MPI v4.1.4, MPI 3.1", "single", "spins", {}};
    calibration.tolerance = 0.25;
    link_.receive_overhead = logp::test::stepped(100, 0.1, 4096, 2200, 0.11);
    Random random(1);
    calibration.links.push_back(
        {.kind = logp::find_link_kinds(calibration.ranks).front(),
         .fit =
             logp::fit_link(logp::test::observe(link_, logp::powers_of_two(Bytes{1 << 20}), 10, {}, random)),
         .trials = {{.kind = "burst", .what = "b", .predicted = 1000, .measured = 990, .visits = 9},
                    {.kind = "replay", .what = "r", .predicted = 1000, .measured = 0, .visits = 0}}});
    text_ = logp::to_yaml(calibration);
    ErrorList errors;
    const YamlTree tree = parse_yaml(text_, "m", errors);
    errors.throw_if_any();
    document_ = json_of(tree.root()["calibration"]);
  }

  [[nodiscard]] std::map<std::string, json> views() const {
    std::map<std::string, json> all;
    for (const View& view : calibration_page(document_).views) {
      json read = json::parse(view);
      all[read["name"].get<std::string>()] = read;
    }
    return all;
  }

  logp::test::SyntheticLink link_ = logp::test::shared_memory_link();
  std::string text_;
  nlohmann::ordered_json document_;
};

TEST_F(CalibrationPicture, has_lines_for_the_fit_and_dots_for_the_measurements) {
  const std::map<std::string, json> all = views();
  const json& view = all.at("node (L3), ranks 0 and 1: medians");
  EXPECT_EQ(view["log"], true);
  const logp::Machine machine = logp::machine_from_yaml(text_, "m");
  const logp::LinkCosts& costs = machine.costs(ProcessorId(0), ProcessorId(1));
  const std::map<std::string, const logp::Cost*> of{
      {"o_send", &costs.send_overhead}, {"o_recv", &costs.receive_overhead}, {"g", &costs.send_gap}};
  int points = 0;
  for (const json& series : view["series"]) {
    const std::string name = series["name"];
    for (std::size_t i = 0; i < series["x"].size(); ++i) {
      if (series["y"][i].is_null()) continue;
      const double size = series["x"][i], time = series["y"][i];
      EXPECT_GT(time, 0);
      const auto cost = of.find(name);
      if (cost == of.end()) continue;
      // Machines round to integer ns, files their slopes to three digits.
      EXPECT_NEAR(time,
                  static_cast<double>(
                      cost->second->at(Bytes{static_cast<std::uint64_t>(std::llround(size))}).count()),
                  1 + 0.01 * time)
          << name << " of " << size;
      ++points;
    }
    if (name != "g, measured") continue;
    EXPECT_EQ(view["series"][series["of"].get<std::size_t>()]["name"], "g");
    // 1, 2, ... 1 MiB; the noise of the quieter half of ten visits.
    ASSERT_EQ(series["x"].size(), 21U);
    for (std::size_t i = 0; i < series["x"].size(); ++i)
      EXPECT_NEAR(series["y"][i].get<double>(), link_.gap(series["x"][i]), 0.1 * link_.gap(series["x"][i]));
  }
  EXPECT_GT(points, 100);
}

TEST_F(CalibrationPicture, reports_the_size_from_which_latencies_are_negative) {
  // Above the step 2000 + 0.1 s - 250 - 70 - 2200 - 0.11 s, below it 250 + ...: the first measured size there
  // is 4 KiB.
  EXPECT_THAT(views().at("node (L3), ranks 0 and 1: medians")["says"].get<std::string>(),
              HasSubstr("L below 0, from about 4 KiB on"));
}

TEST_F(CalibrationPicture, shows_the_completed_trials_and_counts_all) {
  const std::map<std::string, json> all = views();
  EXPECT_THAT(all.at("Predicted and measured")["series"][0]["x"], ElementsAre(990));
  EXPECT_EQ(all.at("Trials")["rows"].size(), 2U);
  EXPECT_EQ(all.at("Ranks")["rows"][1][0], "1");
  std::vector<std::string> facts;
  for (const PageFact& fact : calibration_page(document_).facts)
    facts.push_back(fact.name + " " + fact.value);
  EXPECT_THAT(facts, Contains("MPI Open MPI v4.1.4, MPI 3.1"));
}

TEST_F(CalibrationPicture, is_rendered_without_a_browser_too) {
  const CalibrationPage page = calibration_page(document_);
  const std::string svg = to_svg({.title = "m", .says = page.says, .facts = page.facts, .views = page.views});
  for (const char* const mark : {">1 B<", ">32 KiB<", ">1 us<", ">100 us<", "o_send"})
    EXPECT_THAT(svg, HasSubstr(mark));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("10⁻"))) << "no axis of times goes below a nanosecond";
}

TEST_F(CalibrationPicture, of_an_older_file_has_only_lines) {
  document_["links"][0].erase("measured");
  EXPECT_THAT(views().at("node (L3), ranks 0 and 1: medians")["series"], ::testing::SizeIs(5));
  EXPECT_THAT(calibration_page(nlohmann::ordered_json::object()).views, IsEmpty());
  EXPECT_THAT(calibration_page("text").views, IsEmpty());
  EXPECT_THAT(calibration_page({{"links", {"a", 3, nullptr}}, {"ranks", 7}}).views.size(), ::testing::Le(1U));
}

}  // namespace
}  // namespace takt::pipeline
