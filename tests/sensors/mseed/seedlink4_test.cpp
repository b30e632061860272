/// SeedLink 4 with a Python server written from the protocol's specification.

#include <algorithm>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/mseed/record_writer.hpp"
#include "sensors/mseed/seedlink_source.hpp"
#include "sensors/option_error.hpp"
#include "sensors/transport/tcp_stream.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace mseed_seedlink4_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr const char* server_of_4 = TAKT_SOURCE_DIR "/tests/sensors/mseed/seedlink_server.py";
constexpr std::int64_t first_of_4 = 1'600'000'000'000'000'000;
constexpr std::size_t seconds_of_4 = 40, rows_of_4 = 100;

/// Three channels of two stations: version 2, version 3, and version 3 with a channel of longer codes.
const std::vector<std::string> channels_of_4{"NL.HGN.00.BHZ", "NL.WIT..BHN", "NL.WIT.10.B_HA_1"};

/// A random walk of integers.
std::vector<std::vector<float>> traces_of_4() {
  std::mt19937 random(11);
  std::vector<std::vector<float>> traces(channels_of_4.size());
  for (std::vector<float>& trace : traces)
    for (std::size_t i = 0; i < seconds_of_4 * rows_of_4; ++i)
      trace.push_back((trace.empty() ? 0 : trace.back()) + static_cast<float>(random() % 201) - 100);
  return traces;
}

class ServerOf4 {
 public:
  explicit ServerOf4(int connections, bool refuses = false) {
    std::vector<std::byte> packed;
    std::vector<RecordWriter> writers;
    for (std::size_t c = 0; c < channels_of_4.size(); ++c)
      writers.emplace_back(channels_of_4[c], 100, TraceEncoding::steim2,
                           c == 0 ? MseedVersion::two : MseedVersion::three);
    for (std::size_t second = 0; second < seconds_of_4; ++second)
      for (std::size_t c = 0; c < writers.size(); ++c)
        writers[c].put(first_of_4 + static_cast<std::int64_t>(second) * 1'000'000'000,
                       std::span(traces[c]).subspan(second * rows_of_4, rows_of_4), packed);
    for (RecordWriter& writer : writers) writer.flush(packed);
    const std::string file =
        folder_.file("records", {reinterpret_cast<const char*>(packed.data()), packed.size()});
    std::vector<std::string> command{test::python, server_of_4, file, std::to_string(connections)};
    if (refuses) command.emplace_back("refuse");
    program_.emplace(command);
    for (int i = 0; i < 20'000 && program_->out_so_far().find('\n') == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  [[nodiscard]] SeedlinkOptions options() const {
    SeedlinkOptions options;
    options.server = "127.0.0.1:" + lines().front();
    options.channels = channels_of_4;
    options.grid = {.rows = rows_of_4, .rate_hz = 100};
    options.reconnect = Time(20'000'000);
    options.depth = 100;
    return options;
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::istringstream text(program_->out_so_far());
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  const std::vector<std::vector<float>> traces = traces_of_4();

 private:
  test::TemporaryFolder folder_;
  std::optional<test::Program> program_;
};

TEST(SeedlinkFour, delivers_every_sample_over_broken_connections) {
  const ServerOf4 server(3);
  SeedlinkSource source(server.options());
  source.start();
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), seconds_of_4);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const auto* const values = reinterpret_cast<const float*>(frames[k].bytes.data());
    for (std::size_t i = 0; i < rows_of_4; ++i)
      for (std::size_t c = 0; c < channels_of_4.size(); ++c)
        ASSERT_EQ(values[i * channels_of_4.size() + c], server.traces[c][k * rows_of_4 + i]) << k;
  }
  const std::vector<Counter> details = source.counters().details;
  EXPECT_EQ(test::value_of(details, "seedlink_version"), 4U);
  EXPECT_EQ(test::value_of(details, "reconnects"), 2U);
  EXPECT_EQ(test::value_of(details, "samples_taken"), 3 * seconds_of_4 * rows_of_4);
  EXPECT_EQ(test::value_of(details, "samples_duplicate"), 0U) << "it continues after the last packet";
  EXPECT_EQ(test::value_of(details, "refused_format"), 1U) << "a packet of INFO";
  EXPECT_EQ(test::value_of(details, "bytes_astray"), 4U);
  const std::vector<std::string> lines = server.lines();
  EXPECT_THAT(
      std::vector(lines.begin() + 1, lines.begin() + 13),
      ElementsAre("HELLO", "SLPROTO 4.0", "USERAGENT takt", "STATION NL_HGN", "SELECT 00_B_H_Z", "DATA",
                  "STATION NL_WIT", "SELECT _B_H_N", "SELECT 10_B_HA_1", "DATA", "END", "HELLO"));
  EXPECT_THAT(lines, Contains(StartsWith("DATA 10")));
}

TEST(SeedlinkFour, fails_if_the_server_refuses_it_or_a_station) {
  const ServerOf4 other(1);
  SeedlinkOptions options = other.options();
  options.channels = {"NL.ABC.00.BHZ"};
  SeedlinkSource unknown(options);
  EXPECT_THAT(
      [&] { unknown.start(); },
      ThrowsMessage<WorkError>(HasSubstr("answers 'ERROR ARGUMENTS no such station' to STATION NL_ABC")));
  const ServerOf4 liar(1, true);
  options = liar.options();
  options.version = SeedlinkVersion::four;
  SeedlinkSource source(options);
  EXPECT_THAT([&] { source.start(); },
              ThrowsMessage<WorkError>(HasSubstr("does not support SeedLink 4: it answers 'SeedLink v4.0")));
}

TEST(SeedlinkFour, names_too_long_for_version_3_are_refused_there) {
  const ServerOf4 server(1);
  SeedlinkOptions options = server.options();
  options.version = SeedlinkVersion::three;
  options.channels = {"NL.WIT.10.B_HA_1"};
  SeedlinkSource source(options);
  // This server requires SLPROTO first; a name is checked when it is requested.
  EXPECT_THAT([&] { source.start(); }, ThrowsMessage<WorkError>(HasSubstr("to STATION WIT NL")));
  options.channels = {"NL.HGN.00.BH Z"};
  EXPECT_THAT([&] { SeedlinkSource{options}; }, ThrowsMessage<OptionError>(HasSubstr("is not a channel")));
}

TEST(SeedlinkFour, packets_of_any_bytes_break_nothing) {
  // A server that sends arbitrary data: unlimited lengths, invalid names, signatures without packets.
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  socklen_t length = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  std::thread server([&] {
    TcpStream stream;
    stream.adopt(::accept(listener, nullptr, nullptr));
    std::size_t lines = 0;
    for (int i = 0; i < 400 && lines < 7; ++i) {
      (void)stream.receive(std::chrono::milliseconds(50));
      const auto bytes = stream.received();
      const auto came = static_cast<std::size_t>(std::ranges::count(bytes, std::byte{'\n'}));
      stream.take(bytes.size());
      for (std::size_t k = 0; k < came; ++k)
        if (++lines == 1)
          stream.send("SeedLink v4.0 (x) :: SLPROTO:4.0\r\n\r\n");
        else if (lines < 7)
          stream.send("OK\r\n");
    }
    std::mt19937 random(5);
    std::string noise;
    for (int i = 0; i < 3000; ++i) {
      if (random() % 2 == 0) noise += "SE2D";
      if (random() % 4 == 0) noise += std::string("\xFF\xFF\xFF\xFF", 4);
      if (random() % 5 == 0) noise += std::string("\x40\0\0\0", 4);
      for (auto k = random() % 60; k > 0; --k)
        noise += static_cast<char>(random() % 256 == 'E' ? 'e' : random());
    }
    // Ends any packet that was begun.
    noise += std::string(100'000, '\0') + "END";
    stream.send(noise);
    (void)stream.receive(std::chrono::seconds(20));
  });
  SeedlinkOptions options;
  options.server = fmt::format("127.0.0.1:{}", ntohs(address.sin_port));
  options.channels = {"NL.HGN.00.BHZ"};
  options.grid = {.rows = 10, .rate_hz = 100};
  options.idle_timeout = Time(2'000'000'000);
  {
    SeedlinkSource source(options);
    source.start();
    EXPECT_TRUE(test::take_all(source).empty());
    EXPECT_GT(test::value_of(source.counters().details, "bytes_astray"), 1000U);
    EXPECT_EQ(test::value_of(source.counters().details, "records_received"), 0U);
  }
  ::shutdown(listener, SHUT_RDWR);
  ::close(listener);
  server.join();
}

}  // namespace mseed_seedlink4_test
}  // namespace takt::sensors
