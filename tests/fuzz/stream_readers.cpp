/// Fuzzed readers of streams: messages, datagrams and connections.

#include <algorithm>
#include <cmath>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/mseed/seedlink_session.hpp"
#include "sensors/mseed/trace_joiner.hpp"
#include "sensors/pcap/recording.hpp"
#include "sensors/spead/descriptor.hpp"
#include "sensors/streams/gnuradio_tags.hpp"
#include "sensors/streams/item_framer.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/streams/wire_packets.hpp"
#include "sensors/streams/wire_synthesis.hpp"
#include "tests/fuzz/mseed_records.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/sensors/pcap/captures.hpp"

namespace takt::test {

using namespace sensors;

namespace {

constexpr std::size_t some_packets = 12;

FrameType some_wire_type() {
  FrameType type;
  type.element = ElementType::complex_int8;
  type.axes = {{"time", 16, {}}, {"channel", 8, {}}};
  type.parts = {16};
  type.rate_hz = 100;
  return type;
}

std::vector<std::string> wire_messages() {
  WireSynthesis stream({.type = some_wire_type()});
  std::string bytes;
  for (std::size_t i = 0; i < some_packets; ++i) bytes += text_of(stream.next()->bytes);
  return {bytes + text_of(stream.end().bytes)};
}

/// Reads one message after another, as the source `tcp` does.
void read_wire_messages(Reading& reading, const std::string& bytes) {
  const FrameType type = some_wire_type();
  FrameQueue queue(64, kept_frame_memory(64, type.size()));
  WireDecoder decoder(type, 0, queue, {.may_repeat = true});
  std::span<const std::byte> rest = bytes_of(bytes);
  while (rest.size() >= wire_head_bytes) {
    (void)wire_type(rest);
    (void)read_wire_request(rest);
    const std::optional<std::size_t> length = wire_message_bytes(rest, type);
    if (!length) throw WorkError("sends other data than frames of takt");
    if (*length > rest.size()) break;
    if (!decoder.take(rest.first(*length), 0)) break;
    rest = rest.subspan(*length);
    reading.note(type, take_all(queue));
  }
  // A ZeroMQ message can have any content.
  (void)decoder.take(rest, 0);
  for (const Counter& counter : decoder.counters().details) reading.note(counter.value);
}

std::vector<std::string> wire_datagrams() {
  WireSynthesis stream({.type = some_wire_type(), .payload_bytes = 120});
  std::string bytes;
  for (std::size_t i = 0; i < some_packets; ++i) bytes += captured({}, 4000, text_of(stream.next()->bytes));
  return {capture_header({}) + bytes};
}

void read_wire_datagrams(Reading& reading, const std::string& bytes) {
  PcapRecording recording({reading.file("a.pcap", bytes), {4000}}, wire_codec());
  const WireSenderCodec sender({.type = some_wire_type(), .payload_bytes = 120});
  const PacketFormat format = wire_packets({.type = some_wire_type(), .payload_bytes = 120});
  FrameQueue queue(64, kept_frame_memory(64, format.type.size()));
  const std::unique_ptr<FrameBuilder> builder = format.make_builder(queue);
  while (const std::optional<LanePacket> packet = recording.next()) {
    std::vector<std::byte> copy(packet->bytes.begin(), packet->bytes.end());
    (void)builder->take(0, copy, 0);
    reading.note(format.type, take_all(queue));
    (void)sender.utc_of(copy);
    (void)sender.shift(copy, 7);
    (void)sender.damage(copy, copy.size());
  }
  builder->finish(1);
  reading.note(format.type, take_all(queue));
  for (const Counter& counter : builder->counters().details) reading.note(counter.value);
}

FrameType some_items() {
  FrameType type;
  type.element = ElementType::complex_float32;
  type.axes = {{"time", 64, {}}};
  type.rate_hz = 1000;
  return type;
}

/// Returns messages of GNU Radio with tags of every kind, each with its length before it.
std::vector<std::string> tagged_messages() {
  std::string bytes;
  const auto pmt = [](std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text += static_cast<char>(value);
    return text;
  };
  const std::string symbol = pmt({2, 0, 2, 'r', 'x'}), null = pmt({6}), number = pmt({3, 0, 0, 1, 2}),
                    real = pmt({4}) + std::string(8, '\3'), pair = pmt({7}) + symbol + number,
                    tuple = pmt({0x0C, 0, 0, 0, 2}) + number + real,
                    vector = pmt({0x0A, 8, 0, 0, 0, 3, 1, 0}) + std::string(12, '\1'),
                    dict = pmt({9}) + pair + null;
  std::uint64_t offset = 0;
  for (const std::string& value : {null, number, real, pair, tuple, vector, dict}) {
    std::string message = text_of(make_gnuradio_header(offset));
    message[11] = 1;
    message += std::string(8, '\0') + symbol + value + null;
    message += std::string(40 * size_of(ElementType::complex_float32), '\1');
    offset += 40;
    std::string length;
    put(length, message.size(), 2, false);
    bytes += length + message;
  }
  return {bytes};
}

void read_tagged_messages(Reading& reading, const std::string& bytes) {
  const FrameType type = with_sample_flags(some_items());
  FrameQueue queue(64, kept_frame_memory(64, type.size()));
  ItemFramer framer(type, 0, queue);
  for (std::size_t at = 0; at + 2 <= bytes.size();) {
    const std::size_t length = static_cast<unsigned char>(bytes[at]) |
                               static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 1])) << 8;
    const std::string message = bytes.substr(at + 2, length);
    at += 2 + length;
    const std::optional<GnuradioHeader> header = read_gnuradio_header(bytes_of(message));
    if (!header) continue;
    require(header->bytes <= message.size(), "a header ends behind its message");
    framer.take(header->offset, bytes_of(message).subspan(header->bytes), 0);
    reading.note(type, take_all(queue));
  }
  framer.finish(0);
  reading.note(type, take_all(queue));
}

std::vector<std::string> descriptors() {
  std::vector<std::string> all;
  for (const SpeadFlavour flavour : {SpeadFlavour::spead_64_40, SpeadFlavour::spead_64_48})
    for (const char kind : {'i', 'u', 'f', 'c'})
      all.push_back(static_cast<char>(flavour) + text_of(encode_descriptor({.id = 0x1800,
                                                                            .name = "samples",
                                                                            .description = "of a digitiser",
                                                                            .shape = {256, 0, 2},
                                                                            .kind = kind,
                                                                            .bits = kind == 'u' ? 10U : 64U},
                                                                           flavour)));
  return all;
}

void read_descriptor(Reading& reading, const std::string& bytes) {
  if (bytes.empty()) return;
  const auto flavour = bytes[0] == 40 ? SpeadFlavour::spead_64_40 : SpeadFlavour::spead_64_48;
  const std::string own = bytes.substr(1);
  const auto descriptor = decode_descriptor(bytes_of(own), flavour);
  if (!descriptor) return;
  reading.note(descriptor->to_string());
  reading.note(static_cast<std::uint64_t>(describes(*descriptor, ElementType::int16, true, 1024)));
}

/// A server that answers correctly and then sends the given bytes. One for all cases.
class HostileServer {
 public:
  HostileServer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener_, 8) != 0)
      throw std::runtime_error("no port is free");
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    std::thread([this] {
      for (;;) {
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        converse(client);
        ::close(client);
      }
    }).detach();
  }
  /// Of the next connections.
  void send(std::string greeting, std::string packets) {
    const std::lock_guard lock(mutex_);
    greeting_ = std::move(greeting);
    packets_ = std::move(packets);
  }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  void converse(int client) {
    std::unique_lock lock(mutex_);
    const std::string greeting = greeting_, packets = packets_;
    lock.unlock();
    // Closes with a reset: ports would stay in use for a minute otherwise.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    std::string line;
    char buffer[512];
    for (ssize_t count = 0; (count = ::recv(client, buffer, sizeof buffer, 0)) > 0;)
      for (const char byte : std::string_view(buffer, static_cast<std::size_t>(count))) {
        if (byte != '\n') {
          line += byte;
          continue;
        }
        const std::string& answer = line.starts_with("HELLO") ? greeting
                                    : line.starts_with("END") ? packets
                                                              : "OK\r\n";
        (void)!::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
        // A client with an incomplete answer would wait for the rest, which never arrives.
        if (line.starts_with("END") ||
            (line.starts_with("HELLO") && std::ranges::count(greeting, '\n') < 2)) {
          ::shutdown(client, SHUT_WR);
          // Until the client has read everything and closes.
          while (::recv(client, buffer, sizeof buffer, 0) > 0) {
          }
          ::setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
          return;
        }
        line.clear();
      }
    ::setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }

  int listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::string greeting_, packets_;
};

/// Returns the length of the greeting, the greeting, and the packets.
std::vector<std::string> seedlink_streams() {
  const std::string records = records_of(MseedVersion::two);
  std::string three, four;
  for (std::size_t at = 0, number = 1; at + 512 <= records.size(); at += 512, ++number) {
    three += "SL00000" + std::to_string(number % 10) + records.substr(at, 512);
    std::string packet = "SE2D";
    put(packet, 512, 4, false);
    put(packet, number, 8, false);
    four += packet + "\6NL_HGN" + records.substr(at, 512);
  }
  const std::string old = "SeedLink v3.1\r\nstation\r\n",
                    recent = "SeedLink v4.0 :: SLPROTO:4.0\r\nstation\r\n";
  return {static_cast<char>(old.size()) + old + three + "END",
          static_cast<char>(recent.size()) + recent + four + "END"};
}

void read_seedlink(Reading& reading, const std::string& bytes) {
  const std::size_t length = std::min<std::size_t>(bytes.empty() ? 0 : bytes[0] & 0x7F, bytes.size());
  // Its thread lasts as long as the process.
  static HostileServer* const server = new HostileServer;
  server->send(bytes.substr(bytes.empty() ? 0 : 1, length),
               bytes.size() > length + 1 ? bytes.substr(1 + length) : "");
  SeedlinkSession session(server->address(), {"NL.HGN.00.BHZ", "NL.WIT..BHN"}, SeedlinkVersion::newest);
  const TraceGrid grid{.channels = 2, .rows = 25, .rate_hz = 50};
  FrameQueue queue(512, kept_frame_memory(512, trace_frame_type(grid).size()));
  TraceCounts counts;
  TraceJoiner joiner(grid, counts, queue);
  session.connect();
  while (!session.has_ended() && !session.is_over()) {
    (void)session.receive(std::chrono::milliseconds(100));
    while (const auto packet = session.next()) {
      session.came(packet->station, packet->number);
      const auto record = decode_record(packet->payload);
      if (!record || !(std::abs(record->rate_hz - 50) < 1)) continue;
      joiner.take(record->channel == "NL.WIT..BHN" ? 1 : 0, record->start_ns, record->samples, 0);
      reading.note(trace_frame_type(grid), take_all(queue));
    }
  }
  joiner.finish(0);
  reading.note(trace_frame_type(grid), take_all(queue));
  session.close();
}
}  // namespace

std::vector<FuzzedReader> stream_readers() {
  return {
      {"takt_messages", wire_messages, 200, read_wire_messages},
      {"takt_datagrams", wire_datagrams, 200, read_wire_datagrams},
      {"gnuradio_messages", tagged_messages, 200, read_tagged_messages},
      {"spead_descriptors", descriptors, 200, read_descriptor},
      {"seedlink_streams", seedlink_streams, 120, read_seedlink, 10},
  };
}

}  // namespace takt::test
