/// Tests that `takt send` follows its options, reports its work, and refuses impossible options.

#include <csignal>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/sensors/pcap/captures.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

using test::takt;
using testing::HasSubstr;

// A port of this computer without a listener.
const std::string nowhere = "127.0.0.1:9";

TEST(Send, a_synthetic_station_is_reported_as_json) {
  const test::Result result =
      takt({"send", "--to", nowhere, "--lanes", "2", "--tone", "140MHz", "--packets", "100", "--fast",
            "--drop", "0.1", "--corrupt", "0.1", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["packets"], 200);
  std::uint64_t corrupted = 0;
  for (const auto& cause : report["corrupted"]) corrupted += cause.get<std::uint64_t>();
  EXPECT_GT(corrupted, 0u);
  EXPECT_EQ(report["datagrams"], 200 - report["dropped"].get<std::uint64_t>());
  // (140 - 100) MHz / 195312.5 Hz = 204.8: subband 205, which is beamlet 193 when subband 12 is the first.
  EXPECT_EQ(report["tone"]["lane"], 1);
  EXPECT_EQ(report["tone"]["beamlet"], 193 - 122);
}

TEST(Send, the_same_seed_causes_the_same_faults) {
  const std::vector<std::string> command{"send",   "--to", nowhere,  "--packets", "200",       "--fast",
                                         "--seed", "7",    "--drop", "0.2",       "--garbage", "0.1"};
  const auto faults = [&] {
    const std::string out = takt(command).out;
    return out.substr(out.find("faults:"));
  };
  EXPECT_EQ(faults(), faults());
  EXPECT_THAT(faults(), HasSubstr("dropped"));
}

TEST(Send, a_recording_is_sent_packet_for_packet) {
  if (test::test_data().empty()) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA to their folder";
  const std::string lane = test::test_data() / "lofar_udp" / "udp_16130.ucc1.2022-06-29T01_30_00.000";
  const test::Result result = takt({"send", lane, "--to", nowhere, "--speed", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("sent 256 packets"));
  EXPECT_THAT(result.err, HasSubstr("station 214, 1 lanes of 122 beamlets of 8 bits, to 127.0.0.1:9"));

  const test::Result mixed = takt({"send", lane, "--tone", "150MHz"});
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("--tone is for synthetic streams"));
}

TEST(Send, a_capture_of_any_format_is_sent_packet_for_packet_by_port) {
  const test::TemporaryFolder folder;
  std::string bytes = test::capture_header({});
  for (int i = 0; i < 100; ++i)
    for (const int port : {4000, 4001, 53})
      bytes +=
          test::captured({}, static_cast<std::uint16_t>(port), std::string(100 + i, static_cast<char>(i)));
  const std::string file = folder.file("a.pcap", bytes);
  for (const char* protocol : {"gnuradio", "lofar", "spead", "takt", "vdif"}) {
    const test::Result result = takt({"send", file, "--protocol", protocol, "--captured", "4001,4000", "--to",
                                      "127.0.0.1:9,127.0.0.1:10", "--drop", "0.1", "--format", "json"});
    ASSERT_EQ(result.exit_code, 0) << protocol << result.err;
    const auto report = nlohmann::json::parse(result.out);
    EXPECT_EQ(report["packets"], 200) << protocol;
    EXPECT_EQ(report["datagrams"], 200 - report["dropped"].get<std::uint64_t>()) << protocol;
    // 100 to 199 bytes each, twice.
    const test::Result whole = takt({"send", file, "--protocol", protocol, "--captured", "4001,4000", "--to",
                                     "127.0.0.1:9,127.0.0.1:10", "--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(whole.out)["bytes"], 2 * (100 * 100 + 99 * 100 / 2)) << protocol;
  }
  for (const auto& [arguments, expected] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--protocol", "spead"}, "SPEAD has no file format: expected a capture (pcap) and --captured"},
           {{"--captured", "x"}, "--captured: 'x' is not a port"},
           {{"--captured", "4000", "--protocol", "seedlink"}, "expected miniSEED files"},
           {{"--captured", "4000", "--protocol", "takt", "--over", "tcp"}, "remove --over"},
           {{"--captured", "4000", "--tone", "1MHz"}, "--tone is for synthetic streams"}}) {
    std::vector<std::string> command{"send", file};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const test::Result result = takt(command);
    EXPECT_EQ(result.exit_code, 2) << expected;
    EXPECT_THAT(result.err, HasSubstr(expected));
  }
}

TEST(Send, an_endless_stream_ends_at_an_interrupt_with_its_report) {
  test::Program program(test::takt_command({"send", "--to", nowhere, "--beamlets", "1"}));
  EXPECT_TRUE(program.await_err("sending station"));
  program.signal(SIGINT);
  const test::Result result = program.wait(std::chrono::seconds(20));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("packets of the stream"));
}

TEST(Send, impossible_options_are_refused_with_the_expected_ones) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> uses{
      {{"--to", "here"}, "'here' is not a destination: expected HOST:PORT"},
      {{"--to", "127.0.0.1:1,127.0.0.1:2", "--lanes", "3"}, "2 destinations for 3 lanes"},
      {{"--to", "127.0.0.1:65535", "--lanes", "2"}, "2 successive ports exceed 65535"},
      {{"--lanes", "5"}, "--lanes 5: expected a whole number from 1 to 4"},
      {{"--bits", "12"}, "expected 16, 8 or 4"},
      {{"--bits", "5"}, "expected 16, 8 or 4"},
      {{"--tone", "90MHz"}, "no beamlet holds 90 MHz"},
      {{"--tone", "loud"}, "--tone loud: 'loud' is not a frequency"},
      {{"--protocol", "vdif", "--sample-rate", "-1"}, "--sample-rate -1: '-1' is not a frequency"},
      {{"--subbands", "1..3"}, "3 subbands are given: expected one for each of 1 lanes x 122 beamlets"},
      {{"--band", "HBA"}, "unknown band 'HBA'"},
      {{"--duration", "0"}, "--duration 0: expected a time above 0"},
      {{"--clock", "100MHz"}, "expected 200 MHz or 160 MHz"},
      {{"/nowhere/lane"}, "/nowhere/lane: cannot read the file"},
      {{"--protocol", "seedlink", "--garbage", "0.1"}, "--garbage and --swap-lanes need datagrams"},
      {{"--protocol", "seedlink", "--to", "127.0.0.1:1,127.0.0.1:2"},
       "--to: 2 addresses are given: expected one, to listen on"},
      {{"--protocol", "seedlink", "--traces", "NL.HGN.00.BHZ,NL.HGN.00.BHZ"},
       "--traces: 'NL.HGN.00.BHZ' is given twice"},
      {{"--protocol", "seedlink", "--traces", "HGN"}, "expected NETWORK.STATION.LOCATION.CHANNEL"},
      {{"--protocol", "takt", "--over", "tcp", "--garbage", "0.1"},
       "--garbage and --swap-lanes need datagrams"},
      {{"--protocol", "gnuradio", "--over", "push", "--garbage", "0.1"},
       "--garbage and --swap-lanes need datagrams"},
      {{"--protocol", "gnuradio", "--over", "tcp"}, "does not support --over tcp: expected udp, push, pub"},
      {{"--protocol", "seedlink", "--over", "tcp"}, "has its own transport"},
      {{"--protocol", "takt", "--over", "push", "--receivers", "2"},
       "--receivers needs connections, which push does not have"},
      {{"--protocol", "takt", "--axes", "time"}, "--axes: 'time' is not an axis: expected name=size"},
      {{"--protocol", "takt", "--piece", "20"}, "--piece: a payload of 20 bytes is not valid"},
      {{"--protocol", "vdif", "--threads", "2", "/nowhere/scan.vdif"}, "--threads is for synthetic streams"},
      {{"--protocol", "vdif", "--sample-rate", "1MHz", "/nowhere/scan.vdif"}, "/nowhere/scan.vdif"},
      {{"--protocol", "seedlink", "--trace-rate", "1Hz", "/nowhere/a.mseed"},
       "--trace-rate is for synthetic streams"},
      {{"--protocol", "lofar", "--traces", "NL.HGN.00.BHZ"},
       "does not apply to a stream of --protocol lofar"}};
  for (const auto& [arguments, expected] : uses) {
    std::vector<std::string> command{"send", "--packets", "1"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const test::Result result = takt(command);
    EXPECT_EQ(result.exit_code, 2) << expected;
    EXPECT_THAT(result.err, HasSubstr(expected));
  }
}

}  // namespace
}  // namespace takt
