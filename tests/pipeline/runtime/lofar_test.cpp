/// Tests the main application on real recordings of a LOFAR station: from files and over UDP, compared with
/// an independent reference.

#include <array>
#include <random>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/program.hpp"
#include "tests/support/udp.hpp"

namespace takt::test {
namespace {

using nlohmann::json;

constexpr int packets = 32, channels = 64, factor = 8;

std::string spectrometer(const std::string& source, const std::string& output) {
  return fmt::format(R"(name: spectrometer
sources:
  station: {{{}, beamlets: 122, packets: {}, band: HBA_110_190, subbands: [12..499]}}
tasks:
  unpack: {{kernel: lofar_unpack, input: station}}
  spectra: {{kernel: fft, input: unpack, channels: {}, window: hann}}
  power: {{kernel: stokes, input: spectra, mode: I}}
  integrated: {{kernel: integrate, input: power, factor: {}}}
sinks:
  filterbank: {{type: sigproc, input: integrated, path: {}}}
deployment: {{ranks: 3}}
)",
                     source, packets, channels, factor, output);
}

class Lofar : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test_data().empty()) GTEST_SKIP() << "no recordings: TAKT_TEST_DATA names no folder";
    for (int lane = 0; lane < 4; ++lane)
      recordings_.push_back(test_data() / "lofar_udp" /
                            fmt::format("udp_1613{}.ucc1.2022-06-29T01_30_00.000", lane));
  }

  std::string run_on_files() {
    const std::string pipeline = folder_.file(
        "files.yaml", spectrometer(fmt::format("type: lofar_file, files: [{}]", fmt::join(recordings_, ", ")),
                                   folder_ / "files.fil"));
    const Result result = takt({"run", pipeline});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return read_file(folder_ / "files.fil");
  }

  /// Runs on datagrams over UDP while `send` sends to the ports; returns the report.
  template <class Send>
  json run_over_udp(Send send) {
    const std::vector<int> ports = free_ports(4);
    const std::string pipeline = folder_.file(
        "udp.yaml",
        spectrometer(fmt::format("type: lofar_udp, ports: [{}], address: 127.0.0.1, idle_timeout: 1 s, "
                                 "start_timeout: 30 s, when_full: block",
                                 fmt::join(ports, ", ")),
                     folder_ / "udp.fil"));
    Program receiver(takt_command({"run", pipeline, "--report", folder_ / "report.json"}));
    EXPECT_TRUE(receiver.await_err("receiving on")) << receiver.err_so_far();
    send(ports);
    const Result result = receiver.wait();
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(read_file(folder_ / "report.json"));
  }

  void replay(const std::vector<int>& ports) {
    std::vector<std::string> arguments{"send"};
    for (const auto& recording : recordings_) arguments.push_back(recording);
    arguments.insert(arguments.end(), {"--speed", "0.05", "--to"});
    std::vector<std::string> to;
    for (int port : ports) to.push_back(fmt::format("127.0.0.1:{}", port));
    arguments.push_back(fmt::format("{}", fmt::join(to, ",")));
    const Result result = takt(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }

  TemporaryFolder folder_;
  std::vector<std::string> recordings_;
};

TEST_F(Lofar, spectra_of_the_recordings_agree_with_an_independent_reference) {
  ASSERT_FALSE(run_on_files().empty());
  std::vector<std::string> command{
      "/usr/bin/python3",       TAKT_SOURCE_DIR "/tests/pipeline/runtime/lofar_reference.py",
      folder_ / "files.fil",    std::to_string(packets),
      std::to_string(channels), std::to_string(factor)};
  command.insert(command.end(), recordings_.begin(), recordings_.end());
  const Result result = Program(command).wait();
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(Lofar, a_replay_over_udp_has_the_same_output_as_the_files) {
  const std::string from_files = run_on_files();
  const json report = run_over_udp([&](const std::vector<int>& ports) { replay(ports); });
  EXPECT_EQ(report["frames"]["lost"], 0);
  EXPECT_TRUE(read_file(folder_ / "udp.fil") == from_files);
}

TEST_F(Lofar, garbage_on_the_port_is_counted_without_effect) {
  const std::string from_files = run_on_files();
  std::mt19937 random(11);
  std::vector<std::string> garbage;
  for (int i = 0; i < 200; ++i) {
    std::string datagram(random() % 9000, '\0');
    for (char& byte : datagram) byte = static_cast<char>(random());
    garbage.push_back(datagram);
  }
  const json report = run_over_udp([&](const std::vector<int>& ports) {
    send_datagrams(ports[0], garbage);
    replay(ports);
    send_datagrams(ports[3], garbage);
  });
  std::uint64_t refused = 0;
  for (const auto& [name, value] : report["sources"][0]["counters"].items())
    if (name.find("refused") != std::string::npos) refused += value.get<std::uint64_t>();
  EXPECT_EQ(refused, 400U) << report["sources"][0]["counters"];
  EXPECT_TRUE(read_file(folder_ / "udp.fil") == from_files);
}

}  // namespace
}  // namespace takt::test
