/// Tests that `takt view` shows the files that takt writes.

#include <cmath>
#include <cstdint>
#include <functional>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace takt::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Returns the data of a page, or null when takt was built without node.
nlohmann::json page_data(const std::vector<std::string>& files) {
  std::vector<std::string> words{"view"};
  words.insert(words.end(), files.begin(), files.end());
  words.insert(words.end(), {"--format", "html"});
  const Result shown = takt(words);
  if (shown.err.find("built without pages") != std::string::npos) return nullptr;
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

/// A run that writes one tone of 0.125 cycles per sample at 1.024 MHz in every format.
class ViewRun : public ::testing::Test {
 protected:
  ViewRun() {
    pipeline_ = folder_.file("p.yaml", fmt::format(R"(
name: tone
sources:
  sky: {{type: synthetic, element: complex_float32, axes: [beamlet=1, time=4096, polarisation=2], rate: 250 Hz,
        speed: 0, pattern: tone, frequency: 0.125, frames: 30}}
sinks:
  raw: {{type: raw, input: sky, path: {0}/a.raw}}
  framed: {{type: raw, input: sky, headers: true, path: {0}/b.raw}}
  h: {{type: hdf5, input: sky, path: {0}/a.h5}}
  d: {{type: dada, input: sky, path: {0}/a.dada}}
  v: {{type: vdif, input: sky, bits: 8, scale: 100, path: {0}/a.vdif}}
  g: {{type: guppi, input: sky, scale: 100, path: {0}/a.guppi}}
  w: {{type: wav, input: sky, path: {0}/a.wav}}
)",
                                                   (folder_ / "").string()));
    const Result run = takt({"run", pipeline_, "--report", folder_ / "report.json", "--no-progress"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }
  TemporaryFolder folder_;
  std::string pipeline_;
};

TEST_F(ViewRun, finds_the_same_tone_in_every_format) {
  for (const std::string name : {"a.raw", "b.raw", "a.h5", "a.dada", "a.vdif", "a.guppi"}) {
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
      // Channels without power have no decibels.
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
    // A Hann window of N adds up to N/2, its squares to 3N/8. Its two
    // neighbouring bins have a quarter of the power, and a column is two bins.
    // VDIF and GUPPI contain the quantised numbers, which are 100 times as large.
    const double power = 1024 * 2.0 / 3 * (1 + 0.25) / 2;
    EXPECT_NEAR(peak, 10 * std::log10(power) + (name == "a.vdif" || name == "a.guppi" ? 40 : 0), 0.1) << name;
    as_csv.back() = "svg";
    const Result svg = takt(as_csv);
    for (const char* const picture :
         {">Waveform of stream 0<", ">Spectrum<", ">Waterfall<", "data:image/png"})
      EXPECT_THAT(svg.out, HasSubstr(picture)) << name << svg.err;
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

TEST_F(ViewRun, reads_wav_files_of_two_polarisations) {
  EXPECT_THAT(takt({"view", folder_ / "a.wav"}).out,
              HasSubstr("complex_float32[beamlet=2][time=1024][polarisation=1]"));
}

TEST(ViewFiles, read_the_psrfits_files_of_a_run) {
  const TemporaryFolder folder;
  const std::string pipeline = folder.file("p.yaml", fmt::format(R"(
sources:
  sky: {{type: synthetic, element: float32, axes: [time=64, "channel=16:1.4e9:-1e6"], rate: 250 Hz, speed: 0,
        pattern: noise, frames: 30}}
sinks:
  p: {{type: psrfits, input: sky, bits: 8, path: {}/a.fits}}
)",
                                                                 (folder / "").string()));
  const Result run = takt({"run", pipeline, "--no-progress"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(takt({"view", folder / "a.fits"}).out, HasSubstr("float32[time=1024][channel=16]"));
}

TEST_F(ViewRun, shows_reports_profiles_and_comparisons) {
  EXPECT_THAT(takt({"view", folder_ / "report.json", "--format", "svg"}).out,
              HasSubstr(">Use of the ranks' time<"));
  const nlohmann::json report = page_data({folder_ / "report.json"});
  if (report.is_null()) GTEST_SKIP() << "built without pages";
  EXPECT_THAT(report["says"].get<std::string>(), HasSubstr("The report of a run. "));
  EXPECT_EQ(report["views"][0]["name"], "Use of the ranks' time");
  EXPECT_EQ(report["views"][1]["names"][0], "sky");
  // Every figure of the file is shown.
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
  // The best scheduler is first.
  EXPECT_THAT(comparison["views"][0]["names"].get<std::vector<std::string>>(),
              ::testing::UnorderedElementsAre("heft", "optfo"));
  const auto& ratios = comparison["views"][0]["series"][0]["y"];
  EXPECT_LE(ratios[0].get<double>(), ratios[1].get<double>());
  EXPECT_EQ(comparison["views"].back()["rows"].size(), 4U);
}

TEST(ViewFiles, explain_what_is_wrong_with_an_empty_file_and_an_incomplete_trace) {
  const TemporaryFolder folder;
  for (const char* name : {"empty.yaml", "empty.json", "empty.fil"}) {
    const Result empty = takt({"view", folder.file(name, ""), "--format", "svg"});
    EXPECT_EQ(empty.exit_code, 2);
    EXPECT_THAT(empty.err, HasSubstr(std::string(name) + ": is empty"));
  }
  const Result half =
      takt({"view", folder.file("half.json", R"({"format": "takt-trace/1"})"), "--format", "svg"});
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_THAT(half.err, HasSubstr("half.json: incomplete trace: key 'plan' not found"));
}

TEST(ViewFiles, draw_comparisons_and_spectra_from_csv_files) {
  const TemporaryFolder folder;
  const Result compared = takt({"compare", "fft:depth=2", "--machine", "logp:P=3,L=1,o=1,g=2", "--schedulers",
                                "heft,optfo", "--format", "csv"});
  EXPECT_THAT(takt({"view", folder.file("c.csv", compared.out), "--format", "svg"}).out,
              HasSubstr(">period / bound<"));
  const auto is_drawn = [&](const std::string& second) {
    const std::string file = folder.file("s.csv", "frequency,decibels\n1,2\n2," + second + "\n3,4\n4,5\n");
    return takt({"view", file, "--format", "svg"}).out.find(">Curves<") != std::string::npos;
  };
  for (const char* const value : {"7", "", "-inf"}) EXPECT_TRUE(is_drawn(value)) << value;
  EXPECT_FALSE(is_drawn("some"));
  const Result other = takt({"view", folder.file("t.paje", "%EventDef\n")});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("t.paje: is a picture for Paje's tools"));
}

TEST(ViewMesh, draws_partitions_and_prints_the_processor_of_each_cell) {
  const Result csv = takt({"view", "grid:rows=2,columns=3", "-P", "2", "--format", "csv"});
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, StartsWith("cell,x,y,rows,columns,blocks,cyclic rows,block-cyclic rows,block-cyclic "
                                  "blocks,bisection\n0,0.5,1.5,0,0,0,0,0,0,0\n"));
  // The last column of the second row: columns 0 and 1 form a block.
  EXPECT_THAT(csv.out, HasSubstr("\n5,2.5,0.5,1,1,1,1,1,0,1\n"));
  const Result svg = takt({"view", "grid:rows=2,columns=3", "-P", "2", "--format", "svg"});
  EXPECT_THAT(svg.out, HasSubstr("<title>P1: 3 cells</title>"));
  EXPECT_THAT(svg.out, HasSubstr(">block-cyclic blocks</text>"));
  if (const nlohmann::json page = page_data({TAKT_SOURCE_DIR "/docs/examples/meshes/plate.msh"});
      !page.is_null()) {
    EXPECT_EQ(names_of_views(page), (std::vector<std::string>{"Mesh", "Partitions"}));
    EXPECT_EQ(page["views"][0]["partitions"][0]["load"].size(), 4U);
  }
}

TEST(ViewMesh, refuses_damaged_files_and_impossible_numbers_of_processors) {
  const TemporaryFolder folder;
  const Result damaged =
      takt({"view", folder.file("a.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\nmany\n")});
  EXPECT_EQ(damaged.exit_code, 2);
  EXPECT_THAT(damaged.err,
              HasSubstr("a.msh:5:1: expected the number of nodes, a whole number from 0 on, found 'many'"));
  const std::vector<std::pair<std::vector<std::string>, std::string>> uses{
      {{"grid:rows=2,columns=2", "-P", "5"},
       "--processors 5: expected 1 to 4, the number of cells of the mesh"},
      {{"grid:rows=2,columns=2", "-P", "0"}, "--processors"},
      {{"fft:depth=2", "-P", "2"}, "--processors: fft:depth=2 is neither a C program nor a mesh"},
      {{"fft:depth=2", "--edit"}, "--edit changes a text file: 'fft:depth=2' is generated"},
      {{"a.yaml", "b.yaml", "--edit"}, "--edit shows one file in a browser"},
      {{"a.yaml", "--edit", "--output", "a.html"}, "--output"}};
  for (const auto& [words, error] : uses) {
    std::vector<std::string> all{"view"};
    all.insert(all.end(), words.begin(), words.end());
    const Result result = takt(all);
    EXPECT_EQ(result.exit_code, 2) << error;
    EXPECT_THAT(result.err, HasSubstr(error));
  }
}

TEST(ViewMachine, draws_machines) {
  const TemporaryFolder folder;
  const std::string machine = folder.file(
      "mesh.yaml",
      "processors: 6\ncosts: {all: {latency: 0 + 1}}\nnetwork: {topology: mesh:2x3, link: 0 + 1}\n");
  const Result svg = takt({"view", machine, "--format", "svg"});
  EXPECT_THAT(svg.out, StartsWith("<svg")) << svg.err;
  EXPECT_THAT(svg.out, HasSubstr("4 -&gt; 5: latency 0 ns"));
  EXPECT_THAT(takt({"view", "logp:P=100,L=1,o=1,g=2", "--format", "dot"}).err,
              HasSubstr("a complete graph of 100 nodes is too large"));
  const Result levels = takt({"view", "logp:P=100,L=1,o=2,g=3", "--format", "svg"});
  EXPECT_THAT(levels.out, HasSubstr(">machine: 100 nodes, 100 processors<")) << levels.err;
  EXPECT_THAT(levels.out, HasSubstr("L 1 ns, o 2 ns, g 3 ns"));
  const Result one = takt({"view", machine, "--format", "svg", "--picture", "Levels"});
  EXPECT_THAT(one.out, Not(HasSubstr("latency 0 ns")));
  EXPECT_THAT(takt({"view", machine, "--format", "svg", "--picture", "Levls"}).err,
              HasSubstr("did you mean 'Levels'"));
  const Result dot = takt({"view", "logp:P=3,L=1,o=1,g=2", "--format", "dot"});
  EXPECT_THAT(dot.out, StartsWith("graph network {"));
  for (const char* const link : {"0 -- 1", "0 -- 2", "1 -- 2"}) EXPECT_THAT(dot.out, HasSubstr(link));
}

/// Returns 20 samples of 4 channels from 160 MHz downwards.
std::string filterbank(const std::function<float(std::size_t, std::size_t)>& value) {
  std::string bytes;
  const auto word = [&](const std::string& text) {
    const auto size = static_cast<std::int32_t>(text.size());
    bytes.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(text);
  };
  const auto number = [&](const char* name, auto of) {
    word(name);
    bytes.append(reinterpret_cast<const char*>(&of), sizeof(of));
  };
  word("HEADER_START");
  for (const auto& [name, of] : {std::pair{"data_type", 1}, {"nchans", 4}, {"nbits", 32}, {"nifs", 1}})
    number(name, of);
  for (const auto& [name, of] :
       {std::pair{"fch1", 160.0}, {"foff", -1.0}, {"tsamp", 0.5}, {"tstart", 60000.0}})
    number(name, of);
  word("HEADER_END");
  for (std::size_t t = 0; t < 20; ++t)
    for (std::size_t c = 0; c < 4; ++c) {
      const float of = value(t, c);
      bytes.append(reinterpret_cast<const char*>(&of), sizeof(of));
    }
  return bytes;
}

TEST(ViewFilterbank, prints_and_draws_values_including_0) {
  const TemporaryFolder folder;
  const std::string zeros = folder.file("zeros.fil", filterbank([](std::size_t, std::size_t) { return 0; }));
  const Result svg = takt({"view", zeros, "--format", "svg"});
  EXPECT_THAT(svg.out, HasSubstr(">all 0</text>")) << svg.err;
  EXPECT_THAT(svg.out, Not(HasSubstr(">missing</text>")));
  EXPECT_THAT(svg.out, Not(HasSubstr("dB")));
  EXPECT_EQ(takt({"view", zeros, "--format", "csv"}).out,
            "channel,value\n160000000,0\n159000000,0\n158000000,0\n157000000,0\n");
  const float powers[] = {100, 0, std::nanf(""), 1};
  const std::string some =
      folder.file("some.fil", filterbank([&](std::size_t, std::size_t c) { return powers[c]; }));
  const Result csv = takt({"view", some, "--output", folder / "some.csv"});
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_EQ(read_file(folder / "some.csv"),
            "channel,decibels\n160000000,20\n159000000,-inf\n158000000,\n157000000,0\n");
  const Result both = takt({"view", some, "--format", "svg"});
  for (const char* const text : {">missing</text>", ">0</text>", "20 dB</text>"})
    EXPECT_THAT(both.out, HasSubstr(text));
}

/// Returns a capture of raw IP packets: GNU Radio's numbered datagrams of 128 complex samples, a tone of
/// 0.125 cycles per sample, sent to port 2000 every millisecond. One datagram to port 53 precedes them.
std::string capture_of_a_tone(std::uint64_t datagrams) {
  std::string bytes;
  const auto little = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof(value)); };
  const auto big16 = [&](std::size_t value) {
    bytes += static_cast<char>(value >> 8);
    bytes += static_cast<char>(value & 255);
  };
  for (const std::uint32_t word : {0xA1B2C3D4U, 0x00040002U, 0U, 0U, 262144U, 101U}) little(word);
  const auto packet = [&](std::uint32_t millisecond, std::size_t port, const std::string& payload) {
    const std::size_t size = 28 + payload.size();
    for (const std::size_t word : {std::size_t{1'700'000'000}, std::size_t{millisecond} * 1000, size, size})
      little(static_cast<std::uint32_t>(word));
    bytes += '\x45';
    bytes += '\0';
    big16(size);
    bytes += std::string("\0\0\0\0\x40\x11\0\0\x7F\0\0\x01\x7F\0\0\x01", 16);
    big16(4000);
    big16(port);
    big16(8 + payload.size());
    big16(0);
    bytes += payload;
  };
  packet(0, 53, "name?");
  for (std::uint64_t i = 0; i < datagrams; ++i) {
    const std::uint64_t number = i + 1;
    std::string payload(reinterpret_cast<const char*>(&number), sizeof(number));
    for (std::uint64_t k = 0; k < 128; ++k)
      for (const double shift : {0.0, -0.25}) {
        const auto part = static_cast<float>(std::cos(2 * M_PI * (0.125 * static_cast<double>(k) + shift)));
        payload.append(reinterpret_cast<const char*>(&part), sizeof(part));
      }
    packet(static_cast<std::uint32_t>(i), 2000, payload);
  }
  return bytes;
}

TEST(ViewCapture, shows_ports_alone_and_frames_with_a_pipeline) {
  const TemporaryFolder folder;
  const std::string capture = folder.file("x.pcap", capture_of_a_tone(101));
  const std::string live = folder.file("live.yaml", R"(
name: radio
sources:
  radio: {type: gnuradio_udp, ports: [2000], element: complex_float32, axes: [beamlet=1, time=512, polarisation=1],
          payload: 1024, rate: 1 kHz}
sinks: {n: {type: "null", input: radio}}
)");
  // 100 ms between the first and the last of 101 datagrams; 8 + 1024 bytes each.
  EXPECT_EQ(takt({"view", capture, "--format", "csv"}).out,
            "port,datagrams,bytes,least_bytes,most_bytes,rate_hz,looks_like\n"
            "53,1,5,5,5,0,\"\"\n2000,101,104232,1032,1032,1000,\"\"\n");
  const Result text = takt({"view", capture});
  EXPECT_THAT(text.out, HasSubstr("--pipeline P.yaml")) << text.err;
  const Result svg = takt({"view", capture, "--format", "svg"});
  EXPECT_THAT(svg.out, HasSubstr(">Datagrams over time<")) << svg.err;
  // Four datagrams per frame; the tone lies at an eighth of 512 kHz.
  const Result frames = takt({"view", capture, "--pipeline", live});
  EXPECT_THAT(frames.out, HasSubstr("  peak         64 kHz")) << frames.err;
  EXPECT_THAT(frames.out, ::testing::ContainsRegex("  frames       2[56]\n"));
  const std::string other =
      folder.file("other.yaml",
                  "name: o\nsources: {s: {type: synthetic, element: float32, "
                  "axes: [time=4], frames: 1}}\nsinks: {n: {type: \"null\", input: s}}\n");
  EXPECT_THAT(takt({"view", capture, "--pipeline", other}).err, HasSubstr("expected one such as spead_udp"));
  const Result nothing = takt({"view", folder.file("none.pcap", capture_of_a_tone(0).substr(0, 24))});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_THAT(nothing.err, HasSubstr("it holds no UDP datagram"));
}

TEST(ViewFiles, read_platforms_of_SimGrid_and_profiles_of_machines) {
  const TemporaryFolder folder;
  const std::string platform = folder.file("p.xml", R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
  </zone>
</platform>
)");
  EXPECT_THAT(takt({"view", platform, "--format", "svg"}).out, HasSubstr("4 processors"));
  const std::string machine = folder.file("m.yaml",
                                          "processors: 2\nprofile: predict\nprofiles:\n  predict: {all: "
                                          "{latency: 7000}}\n  verify: {all: {latency: 9000}}\n");
  EXPECT_THAT(takt({"view", machine, "--format", "svg"}).out, HasSubstr("L 7 us"));
  EXPECT_THAT(takt({"view", machine + ":verify", "--format", "svg"}).out, HasSubstr("L 9 us"));
}

}  // namespace
}  // namespace takt::test
