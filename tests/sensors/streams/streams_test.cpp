/// Frames over TCP and ZeroMQ, and items over ZeroMQ: sent data arrive, losses are counted, and invalid
/// messages are refused.

#include <cmath>
#include <random>
#include <thread>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/gnuradio_tags.hpp"
#include "sensors/streams/tcp_sink.hpp"
#include "sensors/streams/tcp_source.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/streams/zmq_sink.hpp"
#include "sensors/streams/zmq_source.hpp"
#include "sensors/transport/tcp_stream.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace streams_streams_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

FrameType stream_type(std::size_t rows = 32) {
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", rows, {}}, {"channel", 4, {}}};
  type.rate_hz = 100;
  return type;
}

/// Frame k holds k * elements + i.
std::vector<float> stream_frame(std::uint64_t k, std::size_t rows = 32) {
  std::vector<float> values(rows * 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(k * values.size() + i);
  return values;
}

void write_frame(Sink& sink, std::uint64_t k) {
  const std::vector<float> values = stream_frame(k);
  FrameHeader header{
      .sequence = k, .utc_ns = static_cast<std::int64_t>(k) * 10'000'000, .parts = 1, .combined = 3};
  sink.write({&header, std::as_bytes(std::span(values))});
}

void expect_frame(const test::KeptFrame& frame, std::uint64_t k) {
  EXPECT_EQ(frame.header.sequence, k);
  EXPECT_EQ(frame.header.utc_ns, static_cast<std::int64_t>(k) * 10'000'000);
  EXPECT_EQ(frame.header.combined, 3U);
  EXPECT_EQ(frame.header.source, 5U) << "the receiver's own number";
  const std::vector<float> values = stream_frame(k);
  EXPECT_EQ(std::memcmp(frame.bytes.data(), values.data(), values.size() * sizeof(float)), 0);
}

TcpSourceOptions tcp_from(const TcpSink& sink) {
  TcpSourceOptions options;
  options.type = stream_type();
  options.server = fmt::format("127.0.0.1:{}", sink.port());
  options.source = 5;
  return options;
}

TEST(TcpStreams, carry_frames_with_headers_holes_and_the_end) {
  TcpSink sink({.receivers = 2, .depth = 1000, .when_full = WhenFull::block}, stream_type());
  sink.open();
  TcpSource first(tcp_from(sink)), second(tcp_from(sink));
  first.start();
  second.start();
  for (std::uint64_t k = 0; k < 100; ++k)
    if (k != 40 && k != 41) write_frame(sink, k);
  std::thread closing([&] { sink.close(); });
  for (TcpSource* source : {&first, &second}) {
    const std::vector<test::KeptFrame> frames = test::take_all(*source);
    ASSERT_EQ(frames.size(), 98U);
    for (std::size_t i = 0; i < frames.size(); ++i) expect_frame(frames[i], i < 40 ? i : i + 2);
    EXPECT_EQ(source->counters().lost, 2U);
  }
  closing.join();
  EXPECT_EQ(test::value_of(sink.counters(), "frames_sent"), 196U);
  EXPECT_EQ(test::value_of(sink.counters(), "frames_dropped"), 0U);
}

/// Polls this many frames, which must be those from `first` on.
void expect_frames(Source& source, std::uint64_t first, std::uint64_t count, StreamPlace& place) {
  for (std::uint64_t taken = 0; taken < count;) {
    FrameView view{};
    if (source.poll(view) != SourceState::frame) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(view.header->sequence, first + taken);
    place = {first + taken + 1, *view.header};
    source.release();
    ++taken;
  }
}

/// Of `count` frames the first receiver saves 30 and has 17 more when it dies. The second continues after the
/// saved ones; the third, which also receives the end, after all frames of the first.
template <class Source, class Options>
void expect_that_receivers_miss_nothing(const Options& options, std::uint64_t count) {
  StreamPlace place, later;
  {
    Source first(options);
    first.start();
    expect_frames(first, 0, 30, place);
    expect_frames(first, 30, 17, later);
  }
  {
    Source second(options);
    EXPECT_FALSE(second.resume_after(place));
    second.start();
    expect_frames(second, 30, count - 30, place);
    // The last frames were consumed, but not the end: nothing may be left.
  }
  Source third(options);
  EXPECT_FALSE(third.resume_after(later));
  third.start();
  expect_frames(third, 47, count - 47, place);
  FrameView view{};
  while (third.poll(view) != SourceState::ended) std::this_thread::yield();
  EXPECT_EQ(third.counters().lost, 0U);
}

TEST(TcpStreams, a_returning_receiver_gets_the_missed_frames) {
  TcpSink sink({.receivers = 1, .depth = 4, .when_full = WhenFull::block, .keep = Bytes{1 << 20}},
               stream_type());
  sink.open();
  constexpr std::uint64_t count = 500;
  std::thread sending([&] {
    for (std::uint64_t k = 0; k < count; ++k) write_frame(sink, k);
    sink.close();
  });
  TcpSourceOptions options = tcp_from(sink);
  options.replays = true;
  expect_that_receivers_miss_nothing<TcpSource>(options, count);
  // The sender exits after a receiver has confirmed that it has everything.
  sending.join();
  EXPECT_EQ(test::value_of(sink.counters(), "frames_replayed") > 0, true);
  EXPECT_EQ(test::value_of(sink.counters(), "receivers"), 3U);
}

TEST(TcpStreams, an_invalid_request_ends_only_its_connection) {
  TcpSink sink({.receivers = 1, .depth = 1000, .when_full = WhenFull::drop, .keep = Bytes{1 << 20}},
               stream_type());
  sink.open();
  TcpStream stranger;
  stranger.connect(parse_tcp_address(fmt::format("127.0.0.1:{}", sink.port())), std::chrono::seconds(5));
  stranger.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  for (std::uint64_t k = 0; k < 10; ++k) write_frame(sink, k);
  while (stranger.receive(std::chrono::seconds(5))) {
  }
  EXPECT_TRUE(stranger.is_over());
  TcpSourceOptions options = tcp_from(sink);
  options.replays = true;
  TcpSource good(options);
  (void)good.resume_after({});
  good.start();
  StreamPlace place;
  std::thread writing([&] {
    for (std::uint64_t k = 10; k < 20; ++k) {
      write_frame(sink, k);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  expect_frames(good, 0, 20, place);
  writing.join();
}

TEST(TcpStreams, a_blocked_receiver_delays_no_other_and_its_frames_are_counted) {
  FrameType type = stream_type(4096);
  TcpSink sink({.receivers = 1, .depth = 2}, type);
  sink.open();
  TcpSourceOptions options = tcp_from(sink);
  options.type = type;
  options.depth = 1;
  TcpSource source(options);
  source.start();
  // Far more than sockets hold, without a consumer.
  const std::vector<float> values = stream_frame(0, 4096);
  for (std::uint64_t k = 0; k < 400; ++k) {
    FrameHeader header{.sequence = k};
    sink.write({&header, std::as_bytes(std::span(values))});
  }
  EXPECT_GT(test::value_of(sink.counters(), "frames_dropped"), 0U);
  std::thread closing([&] { sink.close(); });
  const std::size_t received = test::take_all(source).size();
  closing.join();
  EXPECT_EQ(received + test::value_of(sink.counters(), "frames_dropped"), 400U);
  EXPECT_EQ(received, test::value_of(sink.counters(), "frames_sent"));
}

TEST(TcpStreams, of_another_type_or_without_frames_are_errors) {
  TcpSink sink({.receivers = 1}, stream_type());
  sink.open();
  TcpSourceOptions options = tcp_from(sink);
  options.type = stream_type(16);
  TcpSource source(options);
  source.start();
  write_frame(sink, 0);
  EXPECT_THAT(
      [&] { (void)test::take_all(source); },
      ThrowsMessage<WorkError>(HasSubstr("the sender's frames are float32[time=32][channel=4]: expected "
                                         "float32[time=16][channel=4]")));
  options.server = "127.0.0.1:1";
  options.connect_timeout = Time(1);
  EXPECT_THAT([&] { TcpSource(options).start(); }, ThrowsMessage<WorkError>(HasSubstr("cannot connect")));
  EXPECT_THAT([&] { TcpSink({.address = "here"}, stream_type()); },
              ThrowsMessage<OptionError>(HasSubstr("'here' is not an address")));
}

TEST(Wire, any_bytes_are_refused_or_accepted_and_counted_once) {
  std::mt19937 random(6);
  const FrameType type = stream_type();
  FrameQueue queue(4, type.size());
  WireDecoder decoder(type, 0, queue);
  const WireEncoder encoder(type);
  std::vector<std::byte> good;
  const std::vector<float> values = stream_frame(1);
  FrameHeader header{.sequence = 1};
  encoder.encode({&header, std::as_bytes(std::span(values))}, good);
  ASSERT_EQ(wire_message_bytes(good, type), good.size());
  ASSERT_TRUE(decoder.take(good, 0));
  std::uint64_t taken = 1;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bad = good;
    // Excludes the mark: a change of it could produce an end message.
    for (int k = 0; k < 3; ++k) bad[4 + random() % (bad.size() - 4)] = static_cast<std::byte>(random());
    if (random() % 3 == 0) bad.resize(random() % bad.size());
    ++taken;
    (void)wire_message_bytes(bad, type);
    ASSERT_TRUE(decoder.take(bad, 0));
    for (; queue.front() != nullptr; queue.pop()) queue.take();
  }
  decoder.finish();
  const auto details = decoder.counters().details;
  EXPECT_EQ(test::value_of(details, "messages_received") + test::value_of(details, "refused_type") +
                test::value_of(details, "refused_size") + test::value_of(details, "refused_parts") +
                test::value_of(details, "refused_number"),
            taken);
}

std::string ipc_endpoint(const test::TemporaryFolder& folder) {
  return "ipc://" + (folder / "socket").string();
}

/// Sends until the receiver has data: subscriptions take time.
template <class Done>
std::uint64_t write_until(Sink& sink, Done done) {
  std::uint64_t k = 0;
  for (; k < 5000 && !done(); ++k) {
    write_frame(sink, k);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return k;
}

TEST(ZmqStreams, carry_frames_for_all_combinations_of_options) {
  char public_key[41], secret_key[41];
  ASSERT_EQ(zmq_curve_keypair(public_key, secret_key), 0);
  for (int kind = 0; kind < 8; ++kind) {
    const bool is_pipeline = (kind & 1) != 0, sink_binds = (kind & 2) != 0, is_encrypted = (kind & 4) != 0;
    SCOPED_TRACE(fmt::format("{}, {} binds, {}", is_pipeline ? "push" : "pub", sink_binds ? "sink" : "source",
                             is_encrypted ? "encrypted" : "open"));
    const test::TemporaryFolder folder;
    const ZmqOptions common{.endpoint = ipc_endpoint(folder), .is_pipeline = is_pipeline, .high_water = 1000};
    ZmqSinkOptions to{.socket = common};
    to.socket.binds = sink_binds;
    if (!is_pipeline) to.socket.topic = "sky";
    ZmqSourceOptions from;
    from.socket = common;
    from.socket.binds = !sink_binds;
    from.socket.topic = to.socket.topic;
    if (is_encrypted) to.socket.key = secret_key, from.socket.key = public_key;
    from.type = stream_type();
    from.source = 5;
    from.depth = 6000;
    ZmqSink sink(to, stream_type());
    ZmqSource source(from);
    if (sink_binds) sink.open();
    source.start();
    if (!sink_binds) sink.open();
    const std::uint64_t sent = write_until(sink, [&] { return source.counters().ingested >= 20; });
    sink.close();
    const std::vector<test::KeptFrame> frames = test::take_all(source);
    ASSERT_GE(frames.size(), 20U);
    // The first ones may be lost before the connection; from then on all arrive.
    for (std::size_t i = 0; i < frames.size(); ++i) expect_frame(frames[i], sent - frames.size() + i);
    EXPECT_EQ(source.counters().lost, 0U);
  }
}

TEST(ZmqStreams, a_returning_receiver_gets_the_missed_frames) {
  const test::TemporaryFolder folder;
  const ZmqOptions common{.endpoint = ipc_endpoint(folder), .is_pipeline = true, .high_water = 4};
  ZmqSinkOptions to{.socket = common, .when_full = WhenFull::block, .keep = Bytes{1 << 20}};
  to.socket.binds = true;
  ZmqSourceOptions from;
  from.socket = common;
  from.type = stream_type();
  from.source = 5;
  from.when_full = WhenFull::block;
  from.replays = true;
  ZmqSink sink(to, stream_type());
  constexpr std::uint64_t count = 500;
  std::thread sending([&] {
    sink.open();
    for (std::uint64_t k = 0; k < count; ++k) write_frame(sink, k);
    sink.close();
  });
  expect_that_receivers_miss_nothing<ZmqSource>(from, count);
  // The sender exits after a receiver has confirmed that it has everything.
  sending.join();
  EXPECT_GE(test::value_of(sink.counters(), "frames_replayed"), 17 + count - 47);
  EXPECT_EQ(test::value_of(sink.counters(), "frames_dropped"), 0U);
  EXPECT_EQ(test::value_of(sink.counters(), "receivers"), 3U);
}

TEST(ZmqStreams, repetitions_of_a_returning_sender_are_skipped) {
  const test::TemporaryFolder folder;
  // Enough space for all frames written before the connection.
  const ZmqOptions common{.endpoint = ipc_endpoint(folder), .is_pipeline = true, .high_water = 5000};
  ZmqSinkOptions to{.socket = common, .when_full = WhenFull::block, .keep = Bytes{1 << 20}};
  to.socket.binds = true;
  ZmqSourceOptions from;
  from.socket = common;
  from.type = stream_type();
  from.source = 5;
  from.when_full = WhenFull::block;
  from.depth = 6000;
  from.replays = true;
  auto source = std::make_unique<ZmqSource>(from);
  source->start();
  StreamPlace place;
  std::uint64_t sent = 0;
  {
    ZmqSink first(to, stream_type());
    first.open();
    sent = write_until(first, [&] { return source->counters().ingested >= 20; });
    expect_frames(*source, 0, sent, place);
    // It disappears silently.
  }
  ZmqSink second(to, stream_type());
  std::thread sending([&] {
    second.open();
    for (std::uint64_t k = sent - 10; k < sent + 20; ++k) write_frame(second, k);
    second.close();
  });
  expect_frames(*source, sent, 20, place);
  FrameView view{};
  while (source->poll(view) != SourceState::ended) std::this_thread::yield();
  EXPECT_EQ(source->counters().lost, 0U);
  EXPECT_EQ(source->counters().ingested, sent + 20);
  EXPECT_EQ(test::value_of(source->counters().details, "frames_repeated"), 10U);
  // On exit it confirms that it has everything, for which the sender waits.
  source.reset();
  sending.join();
}

TEST(ZmqStreams, keep_frames_only_for_receivers_with_replay) {
  ZmqOptions common{.endpoint = "tcp://127.0.0.1:5555", .binds = true};
  for (const bool is_push_that_connects : {false, true}) {
    common.is_pipeline = is_push_that_connects;
    common.binds = !is_push_that_connects;
    EXPECT_THAT([&] { ZmqSink({.socket = common, .keep = Bytes{1}}, stream_type()); },
                ThrowsMessage<OptionError>(HasSubstr("expected the socket push with bind")));
  }
  common.binds = true;
  ZmqSourceOptions from;
  from.socket = common;
  from.type = stream_type();
  from.replays = true;
  EXPECT_THAT([&] { ZmqSource{from}; },
              ThrowsMessage<OptionError>(HasSubstr("expected the socket pull without bind")));
}

TEST(ZmqStreams, send_nothing_without_the_right_key) {
  char public_key[41], secret_key[41], other_key[41], other_secret[41];
  ASSERT_EQ(zmq_curve_keypair(public_key, secret_key), 0);
  ASSERT_EQ(zmq_curve_keypair(other_key, other_secret), 0);
  for (const std::string& key : {std::string(other_key), std::string()}) {
    const test::TemporaryFolder folder;
    ZmqSink sink({.socket = {.endpoint = ipc_endpoint(folder), .binds = true, .key = secret_key}},
                 stream_type());
    ZmqSourceOptions from;
    from.socket = {.endpoint = ipc_endpoint(folder), .key = key};
    from.type = stream_type();
    ZmqSource source(from);
    sink.open();
    source.start();
    for (std::uint64_t k = 0; k < 50; ++k) {
      write_frame(sink, k);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    source.stop();
    EXPECT_EQ(test::take_all(source).size(), 0U);
    EXPECT_EQ(source.counters().ingested, 0U);
  }
}

TEST(ZmqStreams, of_items_are_framed_and_their_numbers_reveal_gaps) {
  const test::TemporaryFolder folder;
  ZmqSourceOptions from;
  from.socket = {.endpoint = ipc_endpoint(folder), .binds = true, .is_pipeline = true};
  from.format = ZmqFormat::gnuradio_tags;
  from.type = stream_type();
  from.source = 5;
  from.depth = 100;
  ZmqSource source(from);
  source.start();
  // In GNU Radio's format: a header with a tag, then any number of items. 50 samples at first, then 30 are
  // lost, then 100 arrive, then the flow graph restarts.
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::push);
  socket.connect(from.socket.endpoint);
  const auto send = [&](std::uint64_t first, std::size_t samples, bool has_tag) {
    std::vector<std::byte> message = make_gnuradio_header(first);
    if (has_tag) {
      const std::uint64_t one = 1;
      std::memcpy(message.data() + 11, &one, sizeof one);
      const unsigned char tag[] = {0,   0,    0,    0,    0,    0, 0,    7, 0x02, 0, 3, 'k', 'e',
                                   'y', 0x0C, 0,    0,    0,    2, 0x0B, 0, 0,    0, 0, 0,   0,
                                   0,   1,    0x04, 0x3F, 0xF0, 0, 0,    0, 0,    0, 0, 0x06};
      const auto* const bytes = reinterpret_cast<const std::byte*>(tag);
      message.insert(message.end(), bytes, bytes + sizeof tag);
    }
    std::vector<float> values;
    for (std::size_t i = 0; i < samples * 4; ++i) values.push_back(static_cast<float>(first * 4 + i));
    const auto bytes = std::as_bytes(std::span(values));
    message.insert(message.end(), bytes.begin(), bytes.end());
    socket.send(zmq::buffer(message));
  };
  send(0, 50, true);
  send(80, 100, false);
  send(0, 40, false);
  socket.send(zmq::str_buffer("no header"));
  for (int i = 0; i < 10'000 && test::value_of(source.counters().details, "refused_header") < 1; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  source.stop();
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  // Samples 0..49 and 80..179 in frames of 32; then 0..39 of the second epoch.
  ASSERT_EQ(frames.size(), 8U);
  std::size_t epochs = 0;
  for (const test::KeptFrame& frame : frames) {
    epochs = std::max<std::size_t>(epochs, frame.header.epoch);
    const auto* const values = reinterpret_cast<const float*>(frame.bytes.data());
    const bool is_first = frame.header.epoch == 0;
    for (std::size_t row = 0; row < 32; ++row) {
      const std::size_t sample = frame.header.sequence * 32 + row;
      const bool is_there = is_first ? sample < 50 || (sample >= 80 && sample < 180) : sample < 40;
      if (is_there) {
        EXPECT_EQ(values[row * 4 + 1], static_cast<float>(sample * 4 + 1));
      } else {
        EXPECT_TRUE(std::isnan(values[row * 4 + 1])) << sample;
      }
    }
  }
  EXPECT_EQ(epochs, 1U);
  EXPECT_EQ(test::value_of(source.counters().details, "samples_missing"), 30U);
}

/// The result of a source of GNU Radio's items for these messages; `key` is sent in a part before each.
struct ItemsRead {
  std::string error;
  std::size_t frames = 0;
  std::uint64_t refused_header = 0, refused_size = 0;
  std::vector<std::string> warnings;
};

ItemsRead read_items(ZmqFormat format, const std::vector<std::vector<std::byte>>& messages,
                     const std::string& key = "") {
  const test::TemporaryFolder folder;
  ZmqSourceOptions from;
  from.socket = {.endpoint = ipc_endpoint(folder), .binds = true, .is_pipeline = true};
  from.format = format;
  from.type = stream_type();
  from.depth = 100;
  from.idle_timeout = Time(300'000'000);
  ZmqSource source(from);
  source.start();
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::push);
  socket.connect(from.socket.endpoint);
  for (const std::vector<std::byte>& message : messages) {
    if (!key.empty()) socket.send(zmq::buffer(key), zmq::send_flags::sndmore);
    socket.send(zmq::buffer(message));
  }
  ItemsRead read;
  try {
    read.frames = test::take_all(source).size();
  } catch (const WorkError& error) {
    read.error = error.what();
  }
  const std::vector<Counter> details = source.counters().details;
  read.refused_header = test::value_of(details, "refused_header");
  read.refused_size = test::value_of(details, "refused_size");
  read.warnings = source.warnings();
  return read;
}

/// Messages of 64 samples of 16 bytes, with `surplus` additional bytes.
std::vector<std::vector<std::byte>> item_messages(bool has_tags, std::size_t surplus = 0) {
  std::vector<std::vector<std::byte>> messages;
  for (std::uint64_t n = 0; n < 10; ++n) {
    messages.push_back(has_tags ? make_gnuradio_header(64 * n) : std::vector<std::byte>());
    messages.back().insert(messages.back().end(), 64 * 16 + surplus, std::byte{0x3F});
  }
  return messages;
}

TEST(ZmqStreams, of_items_refuse_the_other_kind_and_name_the_key_to_change) {
  using testing::AllOf;
  using testing::HasSubstr;
  for (const std::string key : {"", "a key"}) {
    const ItemsRead plain = read_items(ZmqFormat::gnuradio, item_messages(false), key);
    EXPECT_EQ(plain.error, "");
    EXPECT_EQ(plain.frames, 20U);
    const ItemsRead tagged = read_items(ZmqFormat::gnuradio_tags, item_messages(true), key);
    EXPECT_EQ(tagged.error, "");
    EXPECT_EQ(tagged.frames, 20U);
    // The sender passes tags, the source expects none.
    const ItemsRead surplus = read_items(ZmqFormat::gnuradio, item_messages(true), key);
    EXPECT_EQ(surplus.frames, 0U);
    EXPECT_EQ(surplus.refused_header, 10U);
    EXPECT_THAT(surplus.error, AllOf(HasSubstr("no valid message"), HasSubstr("10 by header"),
                                     HasSubstr("format: gnuradio_tags")));
    // The reverse.
    const ItemsRead lacking = read_items(ZmqFormat::gnuradio_tags, item_messages(false), key);
    EXPECT_EQ(lacking.frames, 0U);
    EXPECT_EQ(lacking.refused_header, 10U);
    EXPECT_THAT(lacking.error, AllOf(HasSubstr("10 by header"), HasSubstr("'format: gnuradio'")));
  }
}

TEST(ZmqStreams, of_items_refuse_partial_samples) {
  using testing::HasSubstr;
  for (const bool has_tags : {false, true}) {
    const ItemsRead read =
        read_items(has_tags ? ZmqFormat::gnuradio_tags : ZmqFormat::gnuradio, item_messages(has_tags, 8));
    EXPECT_EQ(read.frames, 0U);
    EXPECT_EQ(read.refused_size, 10U);
    EXPECT_THAT(read.error,
                HasSubstr("the last one of 1032 bytes, are not a whole number of samples of 16 bytes"));
  }
  // One of many: the others are accepted, and a warning reports it.
  std::vector<std::vector<std::byte>> messages = item_messages(false);
  messages[3].pop_back();
  const ItemsRead read = read_items(ZmqFormat::gnuradio, messages);
  EXPECT_EQ(read.frames, 18U);
  EXPECT_EQ(read.refused_size, 1U);
  EXPECT_THAT(read.warnings, testing::ElementsAre(HasSubstr("1 messages from ")));
}

TEST(ZmqStreams, of_items_refuse_frames_of_takts_own) {
  std::vector<std::byte> frame(stream_type().size().count);
  FrameHeader header;
  std::vector<std::byte> message;
  WireEncoder(stream_type()).encode({&header, frame}, message);
  for (const ZmqFormat format : {ZmqFormat::gnuradio, ZmqFormat::gnuradio_tags}) {
    const ItemsRead read = read_items(format, {message, message});
    EXPECT_EQ(read.refused_header, 2U);
    EXPECT_THAT(read.error, testing::HasSubstr("'format: takt'"));
  }
}

TEST(ZmqStreams, refuse_invalid_options) {
  const auto refusal = [](auto change) {
    ZmqSourceOptions options;
    options.socket.endpoint = "ipc:///tmp/none";
    options.type = stream_type();
    change(options);
    try {
      ZmqSource source(options);
    } catch (const OptionError& error) {
      return error.option() + ": " + error.what();
    }
    return std::string();
  };
  EXPECT_THAT(refusal([](ZmqSourceOptions& o) { o.socket.endpoint = "127.0.0.1:5"; }),
              HasSubstr("endpoint: "));
  EXPECT_THAT(refusal([](ZmqSourceOptions& o) { o.socket.key = "short"; }),
              HasSubstr("key: a key of 5 letters"));
  EXPECT_THAT(refusal([](ZmqSourceOptions& o) {
                o.format = ZmqFormat::gnuradio;
                o.type.axes = {{"channel", 4, {}}, {"time", 8, {}}};
              }),
              HasSubstr("axes: "));
}

}  // namespace streams_streams_test
}  // namespace takt::sensors
