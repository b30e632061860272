/// Pages of reports.

#include "pipeline/pages/figures_page.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace takt::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Returns all text of a page but its subtitle.
std::string body_of(const Page& page) {
  std::string text;
  for (const PageFact& fact : page.facts) text += fact.name + "=" + fact.value + "\n";
  for (const View& view : page.views) text += view + "\n";
  return text;
}

TEST(FiguresPage, shows_the_verdict_of_a_report_once) {
  nlohmann::ordered_json report = {{"verdict", "held: 50 Hz"},
                                   {"pipeline", "first"},
                                   {"frames", {{"ingested", 9}}},
                                   {"ranks", {{{"rank", 0}, {"host", "a"}}}},
                                   {"tasks", {{{"name", "fft"}, {"planned_ns", 5}, {"mean_ns", 6}}}}};
  const Page page = figures_page("report.json", report);
  EXPECT_THAT(page.says, HasSubstr("held: 50 Hz"));
  EXPECT_THAT(body_of(page), Not(HasSubstr("held: 50 Hz")));
  EXPECT_THAT(body_of(page), HasSubstr("pipeline=first"));
  // A report without a verdict, and a verdict of another kind, stay as they are.
  report["verdict"] = 7;
  EXPECT_THAT(body_of(figures_page("report.json", report)), HasSubstr("verdict"));
  EXPECT_EQ(figures_page("report.json", report).says, "The report of a run.");
}

}  // namespace
}  // namespace takt::pipeline
