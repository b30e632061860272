/// Tests streams of takt's frames whose sender disconnects, restarts, or uses arbitrary
/// numbers.

#include <cmath>
#include <limits>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/emulator/emulator.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/fragments.hpp"
#include "sensors/streams/tcp_source.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/streams/wire_packets.hpp"
#include "sensors/streams/wire_synthesis.hpp"
#include "sensors/streams/zmq_socket.hpp"
#include "sensors/streams/zmq_source.hpp"
#include "sensors/transport/tcp_listener.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace streams_broken_peers_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FrameType broken_type(std::size_t rows = 16) {
  FrameType type;
  type.element = ElementType::int32;
  type.axes = {{"time", rows, {}}};
  type.rate_hz = 100;
  return type;
}

test::Bytes message_of(std::uint64_t number, std::uint16_t epoch = 0, std::size_t rows = 16) {
  const std::vector<std::int32_t> values(rows, static_cast<std::int32_t>(number));
  const FrameHeader header{
      .sequence = number, .utc_ns = static_cast<std::int64_t>(number % 1000), .parts = 1, .epoch = epoch};
  test::Bytes message;
  WireEncoder(broken_type(rows)).encode({&header, std::as_bytes(std::span(values))}, message);
  return message;
}

using Place = std::pair<std::uint16_t, std::uint64_t>;

std::vector<Place> places_of(const std::vector<test::KeptFrame>& frames) {
  std::vector<Place> places;
  for (const test::KeptFrame& frame : frames) places.emplace_back(frame.header.epoch, frame.header.sequence);
  return places;
}

class Decoded {
 public:
  explicit Decoded(const WireReception& reception = {})
      : queue_(64, broken_type().size()), decoder_(broken_type(), 0, queue_, reception) {}
  Decoded& take(std::initializer_list<std::uint64_t> numbers) {
    for (const std::uint64_t number : numbers) decoder_.take(message_of(number), 0);
    return *this;
  }
  std::vector<Place> places() { return places_of(test::take_all(queue_)); }
  [[nodiscard]] WireDecoder& decoder() { return decoder_; }
  [[nodiscard]] std::uint64_t count(const char* name) const {
    return test::value_of(decoder_.counters().details, name);
  }

 private:
  FrameQueue queue_;
  WireDecoder decoder_;
};

TEST(BrokenPeers, a_step_of_numbers_beyond_the_longest_gap_begins_an_epoch_without_loss) {
  constexpr std::uint64_t far = std::uint64_t{1} << 40;
  Decoded decoded;
  // 10 s at 100 frames/s are a gap, and one frame more is a step.
  decoded.take({0, 1001, 1002, far, far + 2, far + 3});
  EXPECT_THAT(decoded.places(), ElementsAre(Place{0, 0}, Place{0, 1001}, Place{0, 1002}, Place{1, 0},
                                            Place{1, 2}, Place{1, 3}));
  EXPECT_EQ(decoded.decoder().counters().lost, 1000U + 1U);
  EXPECT_EQ(decoded.count("clock_jumps"), 1U);
  EXPECT_THAT(decoded.decoder().warnings("a:1"), Contains(HasSubstr("stepped by more than the longest gap")));
  // Back again, and on.
  decoded.take({1003, 1004, 1005});
  EXPECT_THAT(decoded.places(), ElementsAre(Place{2, 0}, Place{2, 1}, Place{2, 2}));
}

TEST(BrokenPeers, one_implausible_number_is_refused_without_wrapping_a_counter) {
  for (const std::uint64_t number :
       {std::uint64_t{1} << 40, std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max()}) {
    SCOPED_TRACE(number);
    Decoded decoded;
    decoded.take({5000, 5001, number, 5003, 5004, 0, 5005});
    EXPECT_THAT(decoded.places(),
                ElementsAre(Place{0, 5000}, Place{0, 5001}, Place{0, 5003}, Place{0, 5004}, Place{0, 5005}));
    EXPECT_EQ(decoded.decoder().counters().lost, 1U);
    EXPECT_EQ(decoded.count("refused_number"), 2U);
    EXPECT_EQ(decoded.count("clock_jumps"), 0U);
  }
  Decoded last;
  last.take(
      {std::numeric_limits<std::uint64_t>::max() - 1, std::numeric_limits<std::uint64_t>::max(), 0, 1, 2});
  EXPECT_EQ(last.decoder().counters().lost, 0U);
  EXPECT_LE(last.decoder().counters().ingested, 5U);
}

TEST(BrokenPeers, a_longest_gap_of_zero_is_refused) {
  EXPECT_THROW(Decoded({.longest_gap = Time(0)}), OptionError);
  EXPECT_THROW((void)wire_packets({.type = broken_type(), .longest_gap = Time(0)}), OptionError);
}

/// Sends pieces of messages to the receiver of a port.
class Pieces {
 public:
  Pieces()
      : packets_(wire_packets({.type = broken_type(), .payload_bytes = 64})),
        queue_(64, packets_.type.size()),
        builder_(packets_.make_builder(queue_)) {}

  /// Sends all pieces of a message but one.
  void send(std::uint64_t number, const test::Bytes& message, std::optional<std::uint32_t> but = {}) {
    FragmentHead head{.stream = 7,
                      .message = number,
                      .message_bytes = static_cast<std::uint32_t>(message.size()),
                      .piece_bytes = 64};
    for (; std::size_t{head.piece} * 64 < message.size(); ++head.piece) {
      if (head.piece == but) continue;
      test::Bytes datagram;
      make_fragment(head, message, datagram);
      (void)builder_->take(0, datagram, 0);
    }
  }
  SourceCounters finish() {
    builder_->finish(0);
    return builder_->counters();
  }
  [[nodiscard]] bool is_over() const { return builder_->is_over(); }

 private:
  const PacketFormat packets_;
  FrameQueue queue_;
  const std::unique_ptr<FrameBuilder> builder_;
};

TEST(BrokenPeers, a_udp_frame_with_a_missing_piece_is_lost_at_any_position) {
  for (const bool has_end : {true, false})
    for (const std::uint32_t piece : {0U, 1U, 2U}) {
      SCOPED_TRACE(testing::Message() << "piece " << piece << (has_end ? ", with the end" : ""));
      Pieces pieces;
      for (std::uint64_t number = 0; number < 12; ++number)
        pieces.send(number, message_of(number),
                    number == 0 || number == 5 || number == 11 ? std::optional(piece) : std::nullopt);
      if (has_end)
        for (int i = 0; i < 2; ++i) pieces.send(12, WireEncoder::end());
      const SourceCounters counters = pieces.finish();
      EXPECT_EQ(pieces.is_over(), has_end);
      EXPECT_EQ(counters.ingested, 9U);
      EXPECT_EQ(counters.lost, 3U);
    }
}

TEST(BrokenPeers, frames_before_a_receiver_listened_are_not_lost) {
  Pieces pieces;
  for (std::uint64_t number = 40; number < 50; ++number)
    pieces.send(number, message_of(number), number == 40 ? std::optional(0U) : std::nullopt);
  const SourceCounters counters = pieces.finish();
  EXPECT_EQ(counters.ingested, 9U);
  EXPECT_EQ(counters.lost, 0U);
}

/// Stores the emulator's output.
class Kept final : public PacketOutlet {
 public:
  void put(const LanePacket& packet) override {
    packets.emplace_back(packet.bytes.begin(), packet.bytes.end());
  }
  void flush() override {}
  [[nodiscard]] std::uint64_t datagrams() const override { return packets.size(); }
  [[nodiscard]] std::uint64_t bytes() const override { return 0; }
  std::vector<test::Bytes> packets;
};

TEST(BrokenPeers, the_end_of_a_synthetic_stream_follows_its_last_frame) {
  WireSynthesis stream({.type = broken_type(64), .payload_bytes = 120, .second = 1000});
  Kept kept;
  const std::atomic<bool> stop{false};
  EmulatorOptions options{.destinations = {Destination{}}, .speed = 0, .packets = 2 * 3};
  (void)emulate(stream, kept, options, stop);
  kept.put(stream.end());
  ASSERT_EQ(kept.packets.size(), 7U);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pieces;
  for (const test::Bytes& packet : kept.packets)
    pieces.emplace_back(read_fragment(packet)->message, read_fragment(packet)->piece);
  using Piece = std::pair<std::uint64_t, std::uint32_t>;
  EXPECT_THAT(pieces, ElementsAre(Piece{0, 0}, Piece{0, 1}, Piece{0, 2}, Piece{1, 0}, Piece{1, 1},
                                  Piece{1, 2}, Piece{2, 0}));
}

/// A sender with a scripted behaviour for each connection.
class Server {
 public:
  explicit Server(std::vector<std::vector<test::Bytes>> connections)
      : thread_([this, connections = std::move(connections)] {
          for (const std::vector<test::Bytes>& messages : connections) {
            int socket = -1;
            while ((socket = listener_.accept()) < 0)
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            for (const test::Bytes& bytes : messages)
              EXPECT_EQ(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                        static_cast<ssize_t>(bytes.size()));
            ::shutdown(socket, SHUT_WR);
            while (!has_acknowledged(socket)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ::close(socket);
          }
        }) {}
  ~Server() { thread_.join(); }
  [[nodiscard]] TcpSourceOptions options() const {
    TcpSourceOptions options;
    options.type = broken_type();
    options.server = fmt::format("127.0.0.1:{}", listener_.port());
    return options;
  }

 private:
  const TcpListener listener_{"127.0.0.1", 0};
  std::thread thread_;
};

test::Bytes half_of(test::Bytes message) {
  message.resize(message.size() / 2);
  return message;
}

TEST(BrokenPeers, a_connection_without_an_end_message_truncates_the_stream) {
  struct Case {
    std::vector<test::Bytes> messages;
    std::uint64_t lost, cut;
  };
  const Case cases[] = {{{message_of(0), message_of(1), half_of(message_of(2))}, 1, 1},
                        {{message_of(0), message_of(1)}, 0, 1},
                        {{message_of(0), message_of(1), WireEncoder::end()}, 0, 0}};
  for (const Case& each : cases) {
    Server server({each.messages});
    TcpSource source(server.options());
    source.start();
    EXPECT_EQ(test::take_all(source).size(), 2U);
    const SourceCounters counters = source.counters();
    EXPECT_EQ(counters.lost, each.lost);
    EXPECT_EQ(test::value_of(counters.details, "streams_cut"), each.cut);
    if (each.cut > 0)
      EXPECT_THAT(source.warnings(), Contains(HasSubstr("without an end mark")));
    else
      EXPECT_THAT(source.warnings(), IsEmpty());
  }
}

TEST(BrokenPeers, a_source_reconnects_and_a_restarted_sender_begins_an_epoch) {
  // Cut within a frame, then the numbers continue; cut between two, then the sender restarts.
  Server server({{message_of(0), message_of(1), half_of(message_of(2))},
                 {message_of(3), message_of(4)},
                 {message_of(0), message_of(1), WireEncoder::end()}});
  TcpSourceOptions options = server.options();
  options.reconnect = Time(20'000'000'000);
  TcpSource source(options);
  source.start();
  EXPECT_THAT(places_of(test::take_all(source)),
              ElementsAre(Place{0, 0}, Place{0, 1}, Place{0, 3}, Place{0, 4}, Place{1, 0}, Place{1, 1}));
  const SourceCounters counters = source.counters();
  EXPECT_EQ(test::value_of(counters.details, "reconnects"), 2U);
  EXPECT_EQ(test::value_of(counters.details, "streams_cut"), 2U);
  EXPECT_EQ(test::value_of(counters.details, "clock_jumps"), 1U);
  EXPECT_EQ(counters.lost, 1U);
}

TEST(BrokenPeers, a_bound_pull_socket_skips_a_first_message_of_another_type) {
  ZmqSourceOptions options;
  const test::TemporaryFolder folder;
  options.socket = {.endpoint = "ipc://" + (folder / "socket").string(), .binds = true, .is_pipeline = true};
  options.type = broken_type();
  ZmqSource source(options);
  source.start();
  zmq::context_t context;
  zmq::socket_t sender =
      open_zmq(context, {.endpoint = options.socket.endpoint, .is_pipeline = true}, ZmqEnd::sends);
  for (const test::Bytes& message : {message_of(0, 0, 8), message_of(0), message_of(1), WireEncoder::end()})
    (void)sender.send(zmq::buffer(message), zmq::send_flags::none);
  EXPECT_EQ(test::take_all(source).size(), 2U);
  EXPECT_EQ(test::value_of(source.counters().details, "refused_type"), 1U);
  EXPECT_THAT(source.warnings(), Contains(HasSubstr("frames from ipc://")));
}

}  // namespace streams_broken_peers_test
}  // namespace takt::sensors
