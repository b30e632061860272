/// Tests that invalid recordings are found before a rank starts, with the position in the pipeline file.

#include "pipeline/launch/start_checks.hpp"

#include <array>
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// Returns numbers one after another, little-endian.
template <class... Number>
std::string little(Number... numbers) {
  std::string bytes;
  const auto append = [&](auto number) {
    for (std::size_t i = 0; i < sizeof number; ++i)
      bytes += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i) & 0xFFU);
  };
  (append(numbers), ...);
  return bytes;
}

std::string big16(unsigned number) {
  return {static_cast<char>(number >> 8U), static_cast<char>(number & 0xFFU)};
}

std::string pcap_header(std::uint32_t link) {
  return little(std::uint32_t{0xA1B2C3D4}, std::uint16_t{2}, std::uint16_t{4}, std::uint32_t{0},
                std::uint32_t{0}, std::uint32_t{65535}, link);
}

/// Returns a UDP datagram over IPv4, link type 101, as a packet of a capture.
std::string captured(unsigned port, const std::string& payload) {
  const std::string udp =
      big16(4000) + big16(port) + big16(8 + static_cast<unsigned>(payload.size())) + big16(0) + payload;
  const std::string ip = std::string("\x45\0", 2) + big16(20 + static_cast<unsigned>(udp.size())) +
                         std::string(5, '\0') + "\x11" + std::string(10, '\0') + udp;
  const auto size = static_cast<std::uint32_t>(ip.size());
  return little(std::uint32_t{1'700'000'000}, std::uint32_t{0}, size, size) + ip;
}

/// Returns the errors of a pipeline with this source in line 2.
std::string errors_of(const takt::test::TemporaryFolder& folder, const std::string& source) {
  const std::string file =
      folder.file("p.yaml", "sources:\n  s: " + source + "\nsinks: {o: {type: 'null', input: s}}\n");
  try {
    check_start(load_pipeline(file), {});
  } catch (const ConfigError& error) {
    std::string text = error.what();
    if (text.starts_with(file)) text.replace(0, file.size(), "p.yaml");
    return text;
  }
  return "";
}

TEST(StartChecks, find_unreadable_captures_with_their_position) {
  const takt::test::TemporaryFolder folder;
  const auto errors = [&](const std::string& capture) {
    return errors_of(folder,
                     fmt::format("{{type: gnuradio_pcap, file: {}, ports: [2000], element: float32, axes: "
                                 "[time=2], payload: 8, rate: 50 Hz}}",
                                 folder.file("c.pcap", capture)));
  };
  // Header type 1 of GNU Radio: a sequence number of 8 bytes.
  const std::string payload(16, '\0');
  EXPECT_EQ(errors(pcap_header(101) + captured(2000, payload)), "");
  EXPECT_EQ(errors(pcap_header(101) + captured(2001, payload) + captured(2000, payload)), "");
  const auto is_placed = [](const std::string& what) {
    return AllOf(StartsWith("p.yaml:2:"), HasSubstr("source 's'"), HasSubstr(what));
  };
  EXPECT_THAT(errors(""), is_placed("c.pcap"));
  EXPECT_THAT(errors("no capture at all, but a text of more than one header"), is_placed("c.pcap"));
  EXPECT_THAT(errors(pcap_header(127) + captured(2000, payload)), is_placed("127"));
  EXPECT_THAT(errors(pcap_header(101) + captured(2001, payload)), is_placed("2001"));
  EXPECT_THAT(errors(pcap_header(101)), is_placed("c.pcap"));
}

TEST(StartChecks, find_other_unreadable_recordings_with_their_position) {
  const takt::test::TemporaryFolder folder;
  // A folder, and files with wrong contents, for every kind of source that reads one.
  const std::string junk = folder.file("junk", std::string(600, 'j'));
  for (const std::string& source : {fmt::format("{{type: lofar_file, files: [{0}]}}", junk),
                                    fmt::format("{{type: sigproc_file, file: {0}}}", junk),
                                    fmt::format("{{type: dada_file, file: {0}}}", junk),
                                    fmt::format("{{type: sigmf_file, file: {0}.sigmf-meta}}", junk),
                                    fmt::format("{{type: mseed_file, files: [{0}]}}", junk)})
    EXPECT_THAT(errors_of(folder, source), AllOf(StartsWith("p.yaml:2:"), HasSubstr("junk"))) << source;
}

}  // namespace
}  // namespace takt::pipeline
