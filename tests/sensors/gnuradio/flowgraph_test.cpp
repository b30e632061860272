/// A real GNU Radio flow graph as the peer, if Debian's gnuradio is installed.

#include <cmath>
#include <thread>

#include <gmock/gmock.h>

#include "sensors/gnuradio/builder.hpp"
#include "sensors/streams/zmq_sink.hpp"
#include "sensors/streams/zmq_source.hpp"
#include "sensors/transport/udp_source.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace gnuradio_flowgraph_test {

std::vector<std::string> flowgraph(std::vector<std::string> words) {
  words.insert(words.begin(), {test::python, TAKT_SOURCE_DIR "/tests/sensors/gnuradio/flowgraph.py"});
  return words;
}

bool has_gnuradio() {
  static const bool is_here = test::Program(flowgraph({"check"})).wait().exit_code == 0;
  return is_here;
}

/// Contiguous complex samples: 400 per frame, two datagrams of 1600 bytes.
FrameType radio_type() {
  FrameType type;
  type.element = ElementType::complex_float32;
  type.axes = {{"beamlet", 1, {}}, {"time", 400, {}}, {"polarisation", 1, {}}};
  type.rate_hz = 500;
  return type;
}

/// Checks that sample n of the flow graph, which repeats after `period`, is at its place.
void expect_ramp(const test::KeptFrame& frame, std::size_t first, std::size_t period) {
  const auto* const values = reinterpret_cast<const float*>(frame.bytes.data());
  for (std::size_t i = 0; i < 400; ++i) {
    if (std::isnan(values[2 * i])) continue;
    const auto expected = static_cast<float>((first + i) % period);
    ASSERT_EQ(values[2 * i], expected) << i;
    ASSERT_EQ(values[2 * i + 1], -expected) << i;
  }
}

TEST(GnuradioFlowgraph, sends_by_its_udp_sink_with_numbers_and_without) {
  if (!has_gnuradio()) GTEST_SKIP() << "no GNU Radio: install Debian's gnuradio";
  for (const bool has_sequence : {false, true}) {
    const GnuradioUdpFormat format{.type = radio_type(), .payload_bytes = 1600, .has_sequence = has_sequence};
    UdpOptions options{.ports = {0}, .depth = 200};
    options.idle_timeout = Time(500'000'000);
    UdpSource source(options, gnuradio_packets(format, {.window = 64}, 0));
    source.start();
    test::Program graph(
        flowgraph({"udp", std::to_string(source.ports()[0]), has_sequence ? "1" : "0", "1600", "20000"}));
    const std::vector<test::KeptFrame> frames = test::take_all(source);
    EXPECT_EQ(graph.wait().exit_code, 0);
    const SourceCounters counters = source.counters();
    EXPECT_EQ(test::value_of(counters.details, "packets_received"), 100U);
    EXPECT_EQ(test::value_of(counters.details, "end_marks"), 3U);
    ASSERT_EQ(frames.size(), 50U);
    for (const test::KeptFrame& frame : frames) expect_ramp(frame, 400 * frame.header.sequence, 20'000);
  }
}

TEST(GnuradioFlowgraph, sends_by_its_zmq_sinks_with_tags_and_without) {
  if (!has_gnuradio()) GTEST_SKIP() << "no GNU Radio: install Debian's gnuradio";
  for (const bool is_pipeline : {false, true})
    for (const bool has_tags : {false, true}) {
      const test::TemporaryFolder folder;
      ZmqSourceOptions options;
      options.socket = {.endpoint = "ipc://" + (folder / "socket").string(), .is_pipeline = is_pipeline};
      options.format = has_tags ? ZmqFormat::gnuradio_tags : ZmqFormat::gnuradio;
      options.type = radio_type();
      options.depth = 1000;
      ZmqSource source(options);
      source.start();
      test::Program graph(
          flowgraph({is_pipeline ? "push" : "pub", options.socket.endpoint, has_tags ? "1" : "0"}));
      for (int i = 0; i < 20'000 && source.counters().ingested < 20; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      source.stop();
      const std::vector<test::KeptFrame> frames = test::take_all(source);
      ASSERT_GE(frames.size(), 20U);
      // A subscriber may have connected late.
      const auto first = static_cast<std::size_t>(reinterpret_cast<const float*>(frames[0].bytes.data())[0]);
      for (std::size_t k = 0; k < 20; ++k)
        expect_ramp(frames[k], first + 400 * frames[k].header.sequence, 1000);
      EXPECT_EQ(source.counters().lost, 0U);
    }
}

TEST(GnuradioFlowgraph, receives_the_data_of_a_sink) {
  if (!has_gnuradio()) GTEST_SKIP() << "no GNU Radio: install Debian's gnuradio";
  for (const bool has_tags : {false, true}) {
    const test::TemporaryFolder folder;
    const std::string endpoint = "ipc://" + (folder / "socket").string();
    ZmqSink sink({.socket = {.endpoint = endpoint, .binds = true, .high_water = 1000},
                  .format = has_tags ? ZmqFormat::gnuradio_tags : ZmqFormat::gnuradio},
                 radio_type());
    sink.open();
    const std::string file = (folder / "taken").string();
    test::Program graph(flowgraph({"sub", endpoint, has_tags ? "1" : "0", "4000", file}));
    // Until it has enough, whenever it connects.
    std::uint64_t k = 0;
    for (; k < 5000 && (!std::filesystem::exists(file) || std::filesystem::file_size(file) < 32'000); ++k) {
      std::vector<float> values;
      for (std::size_t i = 0; i < 400; ++i)
        for (const float sign : {1.0F, -1.0F})
          values.push_back(sign * static_cast<float>((400 * k + i) % 1000));
      const FrameHeader header{.sequence = k};
      sink.write({&header, std::as_bytes(std::span(values))});
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    EXPECT_EQ(graph.wait().exit_code, 0);
    sink.close();
    const std::string taken = test::read_file(file);
    ASSERT_EQ(taken.size(), 32'000U);
    const auto* const values = reinterpret_cast<const float*>(taken.data());
    for (std::size_t i = 0; i < 4000; ++i) {
      const float expected = static_cast<float>((static_cast<std::size_t>(values[0]) + i) % 1000);
      ASSERT_EQ(values[2 * i], expected) << i;
      ASSERT_EQ(values[2 * i + 1], -expected) << i;
    }
  }
}

}  // namespace gnuradio_flowgraph_test
}  // namespace takt::sensors
