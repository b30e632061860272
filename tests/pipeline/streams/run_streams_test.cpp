/// Tests `takt run A.yaml B.yaml` from the user's view.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* one_processor = "logp:P=1,L=0,o=0,g=0";

/// Two streams that need 2 % and 5 % of one processor: costs are measured, and
/// may be far too high on a busy machine.
class RunStreams : public ::testing::Test {
 protected:
  /// Returns a stream of counted samples through `kernel`, as fast as they are consumed: none is dropped.
  [[nodiscard]] std::string stream(const std::string& name, const std::string& rate,
                                   const std::string& kernel, int frames, const std::string& output) const {
    return folder_.file(name + ".yaml", fmt::format(R"(name: {}
rate: {}
sources:
  s: {{type: synthetic, element: int32, axes: [sample=256], pattern: count, frames: {}}}
tasks:
  work: {}
sinks:
  o: {{type: raw, input: work, path: {}}}
)",
                                                    name, rate, frames, kernel, (folder_ / output).string()));
  }
  [[nodiscard]] std::string light() const {
    return stream("light", "100 Hz", "{kernel: spin, input: s, time: 500 us}", 60, "light.raw");
  }

  TemporaryFolder folder_;
};

TEST_F(RunStreams, have_the_output_of_separate_runs_and_report_rates_and_predictions) {
  const std::string heavy = stream("heavy", "5 Hz", "{kernel: spin, input: s, time: 4 ms}", 6, "heavy.raw");
  ASSERT_EQ(takt({"run", heavy}).exit_code, 0);
  ASSERT_EQ(takt({"run", light()}).exit_code, 0);
  const std::string heavy_alone = read_file(folder_ / "heavy.raw"),
                    light_alone = read_file(folder_ / "light.raw");

  const std::string report = folder_ / "report.json";
  const Result result =
      takt({"run", heavy, light(), "--machine", one_processor, "--overwrite", "--report", report});
  ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_TRUE(read_file(folder_ / "heavy.raw") == heavy_alone);
  EXPECT_TRUE(read_file(folder_ / "light.raw") == light_alone);
  EXPECT_THAT(result.out, AllOf(HasSubstr("2 streams on 1 processor"), HasSubstr("reserved")));
  const json answer = json::parse(read_file(report));
  ASSERT_EQ(answer["streams"].size(), 2U);
  EXPECT_EQ(answer["streams"][0]["frames"]["delivered"], 6);
  EXPECT_EQ(answer["streams"][1]["frames"]["delivered"], 60);
  for (const json& each : answer["streams"]) {
    EXPECT_GE(each["frequency_hz"]["promised"].get<double>(),
              1.25 * each["frequency_hz"]["required"].get<double>() * (1 - 1e-6));
    EXPECT_EQ(each["processors"], json::array({0}));
  }
}

TEST_F(RunStreams, continue_when_one_of_them_fails) {
  // 12 frames, of which a full disk cannot store the sixth.
  const std::string failing = folder_.file("failing.yaml", R"(name: failing
rate: 20 Hz
sources:
  s: {type: synthetic, element: int32, axes: [sample=65536], pattern: count, rate: 20 Hz, frames: 12}
sinks:
  o: {type: raw, input: s, path: /dev/full}
)");
  const Result result = takt({"run", failing, light(), "--machine", one_processor, "--format", "json"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const json answer = json::parse(result.out);
  EXPECT_THAT(answer["streams"][0]["failure"].get<std::string>(), HasSubstr("No space left on device"));
  EXPECT_EQ(answer["streams"][1]["failure"], nullptr);
  EXPECT_EQ(answer["streams"][1]["frames"]["delivered"], 60);
}

TEST_F(RunStreams, are_refused_together_before_any_starts) {
  const auto run = [&](const std::string& other, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"run", light(), other, "--machine", one_processor});
    return takt(more);
  };
  const Result same = run(stream("twin", "10 Hz", "{kernel: spin, input: s, time: 1 ms}", 3, "light.raw"));
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_THAT(same.err, AllOf(HasSubstr("twin.yaml:8:"), HasSubstr("sink 'o' of stream 'light' writes it")));

  const Result full = run(stream("full", "100 Hz", "{kernel: spin, input: s, time: 9 ms}", 3, "full.raw"));
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.out, AllOf(HasSubstr("full is not admitted"), HasSubstr("margin of 1.25")));
  EXPECT_THAT(full.err, HasSubstr("no stream started"));

  const std::string without = folder_.file("without.yaml", R"(name: without
sources:
  s: {type: synthetic, element: int32, axes: [sample=4], frames: 1}
sinks:
  o: {type: 'null', input: s}
)");
  const Result no_rate = run(without);
  EXPECT_EQ(no_rate.exit_code, 2);
  EXPECT_THAT(no_rate.err, HasSubstr("has no rate"));

  const Result option = run(light(), {"--rate", "3 Hz"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_THAT(option.err, HasSubstr("--rate needs a single pipeline"));
  for (const char* output : {"light.raw", "full.raw"})
    EXPECT_FALSE(std::filesystem::exists(folder_ / output)) << output;
}

}  // namespace
}  // namespace takt::test
