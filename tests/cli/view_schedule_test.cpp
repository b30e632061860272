/// Tests that `takt view` shows schedule files.

#include <gmock/gmock.h>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ViewSchedule : public ::testing::Test {
 protected:
  ViewSchedule() : file_((folder_ / "fft.yaml").string()) {
    const Result plan = takt({"plan", "fft:depth=2", "--machine", "logp:P=3,L=1,o=1,g=2", "--output", file_});
    EXPECT_EQ(plan.exit_code, 0) << plan.err;
  }
  TemporaryFolder folder_;
  std::string file_;
};

TEST_F(ViewSchedule, writes_every_format) {
  const std::pair<const char*, const char*> beginnings[] = {
      {"text", "0 |["},     {"svg", "<svg"},    {"html", "<!DOCTYPE html>"},
      {"csv", "row,kind,"}, {"dot", "digraph"}, {"goal", "// schedule of takt's"}};
  for (const auto& [format, beginning] : beginnings) {
    const Result shown = takt({"view", file_, "--format", format});
    if (shown.err.find("built without pages") != std::string::npos) continue;
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_THAT(shown.out, StartsWith(beginning));
    const std::string output = (folder_ / "picture").string();
    EXPECT_EQ(takt({"view", file_, "--format", format, "--output", output}).exit_code, 0);
    EXPECT_EQ(read_file(output), shown.out);
    const std::string named = output + "." + (std::string(format) == "text" ? "txt" : format);
    EXPECT_EQ(takt({"view", file_, "--output", named}).exit_code, 0);
    EXPECT_EQ(read_file(named), shown.out);
  }
}

TEST_F(ViewSchedule, draws_several_schedules_on_one_axis_or_one_picture) {
  const Result both = takt({"view", file_, file_, "--format", "svg"});
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr(">fft.yaml</text>"));
  const Result graph = takt({"view", file_, "--format", "svg", "--picture", "Task graph"});
  EXPECT_THAT(graph.out, HasSubstr(": work 1, on P")) << graph.err;
  const Result wrong = takt({"view", file_, "--format", "svg", "--picture", "graph"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("known: "));
}

TEST_F(ViewSchedule, refuses_other_formats_and_files) {
  EXPECT_THAT(takt({"view", file_, "--format", "sgv"}).err, HasSubstr("did you mean 'svg'"));
  EXPECT_EQ(takt({"view", file_, "--format", "sgv"}).exit_code, 2);
  EXPECT_THAT(takt({"view", "graph.png"}).err,
              HasSubstr("expected a filterbank file (.fil), a schedule or a pipeline (.yaml)"));
  const TemporaryFolder folder;
  const std::string unknown = folder.file("notes.txt", "nothing that takt knows\n");
  EXPECT_THAT(takt({"view", unknown}).err, HasSubstr("wrote them: --pipeline"));
  const Result broken = takt({"view", folder.file("broken.json", "{\n\"a\": ")});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.err, HasSubstr("broken.json:2: not valid JSON"));
  EXPECT_THAT(takt({"view", "nowhere.json"}).err, HasSubstr("nowhere.json: no such file"));
}

}  // namespace
}  // namespace takt::test
