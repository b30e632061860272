/// Does `takt view` show the files that takt writes?

#include <cmath>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The data of a page; null where takt was built without node.
nlohmann::json page_data(const std::vector<std::string>& files) {
  std::vector<std::string> words{"view"};
  words.insert(words.end(), files.begin(), files.end());
  words.insert(words.end(), {"--format", "html"});
  const Result shown = takt(words);
  if (shown.err.find("built without the page") != std::string::npos) return nullptr;
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  const std::string mark = "id=\"takt\">";
  const std::size_t from = shown.out.find(mark) + mark.size();
  return nlohmann::json::parse(shown.out.substr(from, shown.out.find("</script>", from) - from));
}

std::vector<std::string> names_of_views(const nlohmann::json& page) {
  std::vector<std::string> names;
  for (const auto& view : page["views"]) names.push_back(view["name"]);
  return names;
}

/// One run writes one tone of 0.125 cycles a sample at 1.024 MHz in every format.
class ViewRun : public ::testing::Test {
 protected:
  ViewRun() {
    pipeline_ = folder_.file("p.yaml", fmt::format(R"(
name: tone
sources:
  sky: {{type: synthetic, element: complex_float32, axes: [beamlet=1, time=4096, polarisation=2], rate: 250 Hz,
        pattern: tone, frequency: 0.125, frames: 30}}
sinks:
  raw: {{type: raw, input: sky, path: {0}/a.raw}}
  framed: {{type: raw, input: sky, headers: true, path: {0}/b.raw}}
  h: {{type: hdf5, input: sky, path: {0}/a.h5}}
  d: {{type: dada, input: sky, path: {0}/a.dada}}
  v: {{type: vdif, input: sky, bits: 8, scale: 100, path: {0}/a.vdif}}
)",
                                                   (folder_ / "").string()));
    const Result run = takt({"run", pipeline_, "--report", folder_ / "report.json", "--no-progress"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  TemporaryFolder folder_;
  std::string pipeline_;
};

TEST_F(ViewRun, finds_the_same_tone_in_every_format) {
  for (const std::string name : {"a.raw", "b.raw", "a.h5", "a.dada", "a.vdif"}) {
    std::vector<std::string> words{folder_ / name};
    if (name.ends_with(".raw")) words.insert(words.end(), {"--pipeline", pipeline_});
    std::vector<std::string> as_csv{"view"};
    as_csv.insert(as_csv.end(), words.begin(), words.end());
    as_csv.insert(as_csv.end(), {"--format", "csv"});
    const Result csv = takt(as_csv);
    ASSERT_EQ(csv.exit_code, 0) << name << csv.err;
    std::istringstream lines(csv.out);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "frequency,decibels");
    double peak = -1e9, at = 0;
    int columns = 0;
    for (; std::getline(lines, line); ++columns) {
      // Where nothing is there, there are no decibels.
      if (line.ends_with(',')) continue;
      const double decibels = std::stod(line.substr(line.find(',') + 1));
      if (decibels > peak) {
        peak = decibels;
        at = std::stod(line);
      }
    }
    EXPECT_EQ(columns, 512) << name;
    // Half of a column of 2 kHz.
    EXPECT_NEAR(at, 128'000, 1'000) << name;
    // A Hann window of N adds up to N/2, its squares to 3N/8; its two neighbouring bins have a quarter of the
    // power, and a column is two bins. VDIF has the numbers that were quantised, 100 times as large.
    const double power = 1024 * 2.0 / 3 * (1 + 0.25) / 2;
    EXPECT_NEAR(peak, 10 * std::log10(power) + (name == "a.vdif" ? 40 : 0), 0.1) << name;
    const nlohmann::json page = page_data(words);
    if (page.is_null()) continue;
    EXPECT_THAT(names_of_views(page), ::testing::ElementsAre("Waveform of stream 0", "Waveform of stream 1",
                                                             "Spectrum", "Waterfall"))
        << name;
  }
  EXPECT_THAT(takt({"view", folder_ / "a.raw", "--pipeline", folder_ / "report.json"}).exit_code, 2);
  EXPECT_THAT(takt({"view", folder_ / "a.h5"}).out,
              HasSubstr("complex_float32[beamlet=1][time=4096][polarisation=2]"));
}

TEST_F(ViewRun, shows_reports_profiles_and_comparisons) {
  const nlohmann::json report = page_data({folder_ / "report.json"});
  if (report.is_null()) GTEST_SKIP() << "built without the page";
  EXPECT_EQ(report["says"], "The report of a run.");
  EXPECT_EQ(report["views"][0]["name"], "What the ranks' time went into");
  EXPECT_EQ(report["views"][1]["names"][0], "sky");
  // Nothing of the file is left out.
  const nlohmann::json written = nlohmann::json::parse(read_file(folder_ / "report.json"));
  const auto fact = [&](const std::string& name) {
    for (const auto& each : report["facts"])
      if (each[0] == name) return each[1].get<std::string>();
    return std::string("none");
  };
  EXPECT_EQ(fact("frames delivered"), written["frames"]["delivered"].dump());
  EXPECT_EQ(fact("scheduler"), written["scheduler"]);
  ASSERT_EQ(takt({"profile", pipeline_, "--budget", "1ms", "--output", folder_ / "profile.yaml"}).exit_code,
            0);
  EXPECT_GT(page_data({folder_ / "profile.yaml"})["facts"].size() +
                page_data({folder_ / "profile.yaml"})["views"].size(),
            0U);
  const Result compared = takt({"compare", "fft:depth=2", "gauss:size=3", "--machine", "logp:P=3,L=1,o=1,g=2",
                                "--schedulers", "heft,optfo", "--format", "json"});
  const nlohmann::json comparison = page_data({folder_.file("compared.json", compared.out)});
  EXPECT_EQ(comparison["views"][0]["names"], nlohmann::json({"heft", "optfo"}));
  EXPECT_EQ(comparison["views"].back()["rows"].size(), 4U);
}

TEST(ViewMachine, as_pictures) {
  const TemporaryFolder folder;
  const std::string machine = folder.file(
      "mesh.yaml",
      "processors: 6\ncosts: {all: {latency: 0 + 1}}\nnetwork: {topology: mesh:2x3, link: 0 + 1}\n");
  const Result svg = takt({"view", machine, "--format", "svg"});
  EXPECT_THAT(svg.out, StartsWith("<svg")) << svg.err;
  EXPECT_THAT(svg.out, HasSubstr("4 -&gt; 5: latency 0 ns"));
  EXPECT_THAT(takt({"view", "logp:P=100,L=1,o=1,g=2", "--format", "svg"}).err, HasSubstr("make no picture"));
  const Result dot = takt({"view", "logp:P=3,L=1,o=1,g=2", "--format", "dot"});
  EXPECT_THAT(dot.out, StartsWith("graph network {"));
  for (const char* const link : {"0 -- 1", "0 -- 2", "1 -- 2"}) EXPECT_THAT(dot.out, HasSubstr(link));
}

}  // namespace
}  // namespace takt::test
