/// Pages of scheduler comparisons and Pareto fronts.

#include "pipeline/pages/comparison_page.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "pipeline/pages/pareto_page.hpp"

namespace takt::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

schedulers::ComparisonRow schedule_of(std::string graph, std::string scheduler, Time::rep makespan,
                                      Time::rep period) {
  schedulers::Figures figures;
  figures.scheduler = scheduler;
  figures.valid = true;
  figures.makespan = Time(makespan);
  figures.repetition = Time(period);
  figures.bound = {Time{10}, 1};
  figures.critical_path = Time{10};
  figures.makespan_bound = Time{10};
  figures.sequential = Time{20};
  figures.processors_used = 2;
  figures.seconds = 0.5;
  return {std::move(graph), "m", std::move(scheduler), figures, {}, "list"};
}

schedulers::ComparisonRow failure_of(std::string graph, std::string scheduler) {
  return {std::move(graph), "m", std::move(scheduler), std::nullopt, "cannot", "list"};
}

TEST(ComparisonPage, shows_every_scheduler_and_every_failure_and_needs_no_network) {
  std::vector<schedulers::ComparisonRow> rows{schedule_of("g", "x", 20, 10), schedule_of("g", "y", 20, 15),
                                              schedule_of("g", "z", 40, 30), schedule_of("h", "x", 30, 20),
                                              schedule_of("h", "y", 20, 10), failure_of("h", "z")};
  rows.back().error = "needs <links>";
  const std::string page = comparison_page(rows);
  for (const char* text : {"Normalised schedule length", "Pairwise wins: frequency", "6 schedules, 1 without",
                           "z: needs &lt;links&gt;", "x against y: 1 better, 0 equal, 1 worse"})
    EXPECT_THAT(page, HasSubstr(text));
  EXPECT_THAT(page, Not(::testing::ContainsRegex("(src|href)=|url\\(|@import")));
  for (const char* tag : {"svg", "g", "section", "table", "tr", "td", "text", "details"}) {
    const auto count = [&](const std::string& what) {
      std::size_t found = 0;
      for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1)) ++found;
      return found;
    };
    EXPECT_EQ(count(std::string("<") + tag + ">") + count(std::string("<") + tag + " "),
              count(std::string("</") + tag + ">"))
        << tag;
  }
}

TEST(ComparisonPage, exists_even_without_a_valid_schedule) {
  EXPECT_THAT(comparison_page({failure_of("g", "x")}), HasSubstr("1 schedule, 1 without"));
  EXPECT_THAT(comparison_page({}), HasSubstr("</html>"));
}

std::vector<schedulers::ParetoPoint> two_points() {
  std::vector<schedulers::ParetoPoint> front;
  for (const auto& [processors, period, latency] : {std::array<Time::rep, 3>{1, 40, 40}, {2, 25, 60}}) {
    Schedule schedule("by hand", static_cast<std::size_t>(processors));
    front.push_back({static_cast<std::size_t>(processors), {Time(period), 1}, Time(latency), schedule});
  }
  return front;
}

TEST(ParetoPage, has_a_dot_for_each_schedule_and_a_line_for_each_number_of_processors) {
  const std::string picture = pareto_picture(two_points());
  EXPECT_THAT(picture, HasSubstr("2 processors, period 25, latency 60 (by hand)"));
  const Page page = pareto_page("front.json", schedulers::to_json(two_points()));
  ASSERT_EQ(page.views.size(), 1U);
  const nlohmann::json chart = nlohmann::json::parse(page.views[0]);
  ASSERT_EQ(chart["series"].size(), 2U);
  // 1 / 40 and 1 / 25 frames per tick are 25 and 40 frames per 1000 ticks.
  EXPECT_EQ(chart["x"], "frequency (frames per 1000 ticks)");
  EXPECT_NEAR(chart["series"][0]["x"][0].get<double>(), 25, 1e-9);
  EXPECT_NEAR(chart["series"][1]["x"][0].get<double>(), 40, 1e-9);
  EXPECT_NEAR(chart["series"][1]["y"][0].get<double>(), 60, 1e-9);
  EXPECT_THROW((void)pareto_page("front.json", "[{}]"), ConfigError);
}

}  // namespace
}  // namespace takt::pipeline
