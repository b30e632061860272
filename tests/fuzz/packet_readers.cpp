/// Fuzzed readers of packets: in captures, in files, and one by one.

#include <optional>

#include "core/error.hpp"
#include "sensors/gnuradio/codec.hpp"
#include "sensors/lofar/recording.hpp"
#include "sensors/lwa/recording.hpp"
#include "sensors/mark5b/header.hpp"
#include "sensors/mark5b/recording.hpp"
#include "sensors/pcap/recording.hpp"
#include "sensors/vdif/recording.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/sensors/packets/packet_peers.hpp"
#include "tests/sensors/pcap/captures.hpp"
#include "tests/support/mutation.hpp"

namespace takt::test {

using namespace sensors;

namespace {

/// Packets of an input: few, so that millions of mutations are feasible; or enough for the assembler to begin
/// before the end of the stream.
constexpr std::size_t few_packets = 6, many_packets = 54;

/// Few frames under assembly: their memory would take most of the time.
constexpr Assembly short_window{.window = 4};

std::unique_ptr<PacketStream> sender_of(std::string_view name) {
  for (const PacketPeer& peer : packet_peers)
    if (peer.name == name) return peer.stream();
  throw std::logic_error("no such format");
}

/// Assembles a recording's frames like a receiver, and queries the codec per packet like a sender.
void read_packets(Reading& reading, PacketStream& stream, const PacketFormat& format) {
  const std::size_t slots = 3 * format.open_frames;
  FrameQueue queue(slots, kept_frame_memory(slots, format.type.size()));
  const std::unique_ptr<FrameBuilder> builder = format.make_builder(queue);
  std::uint64_t given = 0;
  std::vector<std::byte> copy;
  while (const std::optional<LanePacket> packet = stream.next()) {
    (void)stream.codec().utc_of(packet->bytes);
    copy.assign(packet->bytes.begin(), packet->bytes.end());
    (void)stream.codec().shift(copy, given % 2 == 0 ? 7 : -7);
    if (!copy.empty())
      require(stream.codec().damage(copy, given) < stream.codec().causes().size(), "a cause without a name");
    // Without spare bytes, so that the sanitizers find reads beyond the datagram.
    copy.assign(packet->bytes.begin(), packet->bytes.end());
    copy.shrink_to_fit();
    (void)builder->take(packet->lane, copy, static_cast<std::int64_t>(++given));
    reading.note(format.type, take_all(queue));
  }
  builder->finish(static_cast<std::int64_t>(given) + 1);
  reading.note(format.type, take_all(queue));
  require(counted_packets(builder->counters()) == given, "a packet is not counted once");
}

std::vector<std::string> whole_streams(std::string_view name) {
  std::vector<std::string> streams;
  for (const std::size_t packets : {few_packets, few_packets, few_packets, many_packets}) {
    const std::unique_ptr<PacketStream> stream = sender_of(name);
    std::string& bytes = streams.emplace_back();
    for (std::size_t i = 0; i < packets; ++i) bytes += text_of(stream->next()->bytes);
  }
  return streams;
}

/// Returns files of stands and of a beam.
std::vector<std::string> lwa_files() {
  std::vector<std::string> files = whole_streams("lwa");
  LwaFormat format{.mode = LwaMode::drx, .signals = {drx_signal(2, 1)}, .sample_hz = 19.6e6};
  LwaSynthesis beam({.format = format, .second = first_second_sent, .time_offset = 5});
  std::string& file = files.emplace_back();
  for (int i = 0; i < 3; ++i) file += text_of(beam.next()->bytes);
  return files;
}

/// Returns streams whose headers have extended data of versions 0, 1, 3 and 4.
std::vector<std::string> vdif_files() {
  std::vector<std::string> files = whole_streams("vdif");
  const std::string plain = files.front();
  constexpr std::size_t extended_at = 16;
  for (const std::uint64_t version : {1, 3, 4}) {
    std::string& file = files.emplace_back(plain);
    for (std::size_t at = 0; at < file.size(); at += 32 + peer_vdif().payload_bytes) {
      // 3.2 MHz, the sync word, and a mask of all channels.
      put_number(file, at + extended_at, 4, version << 24 | 3'200, false);
      put_number(file, at + extended_at + 4, 4, 0xACABFEED, false);
      put_number(file, at + extended_at + 8, 8, ~std::uint64_t{0}, false);
    }
  }
  return files;
}

/// Returns captures in several styles.
std::vector<std::string> captures_of(std::string_view name) {
  std::vector<std::string> captures;
  for (const CaptureStyle& style :
       {CaptureStyle{}, CaptureStyle{.is_big_endian = true, .has_nanoseconds = true, .has_vlan = true},
        CaptureStyle{.is_ipv6 = true, .link = 113}, CaptureStyle{.link = 101}}) {
    const std::unique_ptr<PacketStream> stream = sender_of(name);
    std::string bytes = capture_header(style);
    for (std::size_t i = 0; i < few_packets; ++i) {
      const LanePacket packet = *stream->next();
      bytes += captured(style, static_cast<std::uint16_t>(4000 + packet.lane), text_of(packet.bytes));
    }
    captures.push_back(bytes);
  }
  return captures;
}

/// Returns files with two interfaces and byte orders, a fragmented datagram, and several datagrams in one.
std::vector<std::string> pcapng_files() {
  std::vector<std::string> files;
  for (const bool is_big_endian : {false, true}) {
    const PcapngBlocks blocks(is_big_endian);
    const std::unique_ptr<PacketStream> stream = sender_of("gnuradio");
    const auto udp = [&] { return udp_packet(text_of(stream->next()->bytes), 4000); };
    std::string bytes = blocks.section() + blocks.interface(1, blocks.option(9, "\x09")) +
                        blocks.interface(101, blocks.option(14, blocks.number(3600, 8)));
    for (std::uint64_t i = 0; i < 8; ++i)
      bytes += blocks.packet(0, i, ethernet_packet(ipv4_packet(udp()), 0x0800, {0x88A8, 0x8100}));
    const std::string fragmented = udp(), first = text_of(stream->next()->bytes);
    bytes += blocks.packet(1, 9, ipv4_packet(fragmented.substr(0, 64), {.more_follow = true}));
    bytes += blocks.packet(1, 10, ipv4_packet(fragmented.substr(64), {.offset = 64}));
    bytes += blocks.packet(
        1, 11, ipv6_packet(ipv6_extension(17, udp_packet(first + text_of(stream->next()->bytes), 4000)), 0));
    files.push_back(bytes + blocks.block(5, blocks.number(0, 12) + blocks.option(5, blocks.number(1, 8))));
  }
  return files;
}

void read_capture(Reading& reading, const std::string& bytes, std::unique_ptr<const PacketCodec> codec,
                  const PacketFormat& format, std::vector<std::uint16_t> ports = {4000}) {
  PcapRecording recording({reading.file("a.pcap", bytes), std::move(ports)}, std::move(codec));
  read_packets(reading, recording, format);
}

constexpr std::int64_t first_utc_sent = first_second_sent * std::int64_t{1'000'000'000};

void read_lofar(Reading& reading, const std::string& bytes) {
  LofarRecording recording({reading.file("a.lofar", bytes)});
  read_packets(reading, recording, lofar_packets(recording.format(), short_window, 0));
}

void read_lwa(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.lwa", bytes);
  LwaFormat format = read_lwa_format(path);
  // Damaged headers may name many signals.
  format.signals.resize(1);
  format.frequencies_hz.clear();
  LwaRecording recording(path, format);
  read_packets(reading, recording, lwa_packets(format, short_window, 0));
}

void read_vdif(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.vdif", bytes);
  VdifFormat format = read_vdif_format(path);
  if (format.sample_hz == 0) format.sample_hz = peer_vdif().sample_hz;
  VdifRecording recording(path, format);
  read_packets(reading, recording, vdif_packets(format, short_window, 0));
}

/// Returns a frame and the begin of another one.
std::vector<std::string> mark5b_files() {
  std::string file;
  for (int i = 0; i < 2; ++i) {
    std::vector<std::byte> head(mark5b_header_bytes);
    encode_mark5b({.frame = static_cast<std::uint16_t>(i), .day = 821, .second = 19801, .fraction = i * 25},
                  head);
    file.append(reinterpret_cast<const char*>(head.data()), head.size());
    while (file.size() < static_cast<std::size_t>(i + 1) * mark5b_frame_bytes)
      file += static_cast<char>(file.size() * 7);
  }
  file.resize(mark5b_frame_bytes + 200);
  return {file};
}

void read_mark5b(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.m5b", bytes);
  const Mark5bFormat format{.channels = 16, .bits = 2, .sample_hz = 1e6, .near_unix_second = 1'400'000'000};
  VdifFormat vdif = vdif_format(format);
  vdif.packets = 1;
  Mark5bRecording recording(path, format);
  // A short window, since its frames are large.
  read_packets(reading, recording, vdif_packets(vdif, {.window = 1}, 0));
}

/// Returns datagrams of all lanes: lane, length in two bytes, bytes.
std::vector<std::string> datagrams(std::string_view name) {
  std::vector<std::string> streams;
  for (const std::size_t packets : {few_packets, few_packets, few_packets, many_packets}) {
    const std::unique_ptr<PacketStream> stream = sender_of(name);
    std::string& bytes = streams.emplace_back();
    for (std::size_t i = 0; i < packets; ++i) {
      const LanePacket packet = *stream->next();
      bytes += static_cast<char>(packet.lane);
      put(bytes, packet.bytes.size(), 2, true);
      bytes += text_of(packet.bytes);
    }
  }
  return streams;
}

/// Reads datagrams like a receiver of a network.
void read_datagrams(Reading& reading, const std::string& bytes, const PacketPeer& peer) {
  const PacketFormat format = peer.format(short_window);
  const std::size_t slots = 3 * format.open_frames;
  FrameQueue queue(slots, kept_frame_memory(slots, format.type.size()));
  const std::unique_ptr<FrameBuilder> builder = format.make_builder(queue);
  std::uint64_t given = 0;
  for (std::size_t at = 0; at + 3 <= bytes.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
    const std::size_t lane = byte(0) % peer.lanes;
    const std::size_t length = std::min<std::size_t>(byte(1) * 256U + byte(2), bytes.size() - at - 3);
    const std::unique_ptr<std::byte[]> own(new std::byte[length]);
    std::ranges::copy(bytes_of(bytes).subspan(at + 3, length), own.get());
    at += 3 + length;
    (void)builder->take(lane, {own.get(), length}, static_cast<std::int64_t>(++given));
    reading.note(format.type, take_all(queue));
  }
  builder->finish(static_cast<std::int64_t>(given) + 1);
  reading.note(format.type, take_all(queue));
  require(counted_packets(builder->counters()) == given, "a packet is not counted once");
}

}  // namespace

std::vector<FuzzedReader> packet_readers() {
  return {
      {"captures_of_lofar", [] { return captures_of("lofar"); }, 300,
       [](Reading& reading, const std::string& bytes) {
         read_capture(reading, bytes, std::make_unique<LofarCodec>(peer_lofar().clock_hz),
                      lofar_packets(peer_lofar(), short_window, 0), {4000, 4001, 4002});
       }},
      {"captures_of_vdif", [] { return captures_of("vdif"); }, 300,
       [](Reading& reading, const std::string& bytes) {
         read_capture(reading, bytes, std::make_unique<VdifCodec>(peer_vdif()),
                      vdif_packets(peer_vdif(), short_window, 0), {4000, 4001});
       }},
      {"captures_of_spead", [] { return captures_of("spead"); }, 300,
       [](Reading& reading, const std::string& bytes) {
         read_capture(reading, bytes, std::make_unique<SpeadCodec>(peer_spead(), first_utc_sent),
                      spead_packets(peer_spead(), short_window, 0));
       }},
      {"captures_of_gnuradio", [] { return captures_of("gnuradio"); }, 300,
       [](Reading& reading, const std::string& bytes) {
         read_capture(reading, bytes, std::make_unique<GnuradioCodec>(peer_gnuradio(), first_utc_sent),
                      gnuradio_packets(peer_gnuradio(), short_window, 0));
       }},
      {"captures_of_lwa", [] { return captures_of("lwa"); }, 100,
       [](Reading& reading, const std::string& bytes) {
         read_capture(reading, bytes, std::make_unique<LwaCodec>(peer_lwa()),
                      lwa_packets(peer_lwa(), short_window, 0));
       }},
      {"captures_in_pcapng", pcapng_files, 300,
       [](Reading& reading, const std::string& bytes) {
         read_capture(reading, bytes, std::make_unique<GnuradioCodec>(peer_gnuradio(), first_utc_sent),
                      gnuradio_packets(peer_gnuradio(), short_window, 0));
       }},
      {"lwa_files", lwa_files, 100, read_lwa},
      {"lofar_files", [] { return whole_streams("lofar"); }, 200, read_lofar},
      {"vdif_files", vdif_files, 300, read_vdif},
      {"mark5b_files", mark5b_files, 32, read_mark5b, 10},
      {"datagrams_of_lofar", [] { return datagrams("lofar"); }, 300,
       [](Reading& reading, const std::string& bytes) { read_datagrams(reading, bytes, packet_peers[0]); }},
      {"datagrams_of_vdif", [] { return datagrams("vdif"); }, 300,
       [](Reading& reading, const std::string& bytes) { read_datagrams(reading, bytes, packet_peers[1]); }},
      {"datagrams_of_spead", [] { return datagrams("spead"); }, 300,
       [](Reading& reading, const std::string& bytes) { read_datagrams(reading, bytes, packet_peers[2]); }},
      {"datagrams_of_lwa", [] { return datagrams("lwa"); }, 300,
       [](Reading& reading, const std::string& bytes) { read_datagrams(reading, bytes, packet_peers[3]); }},
      {"datagrams_of_gnuradio", [] { return datagrams("gnuradio"); }, 300,
       [](Reading& reading, const std::string& bytes) { read_datagrams(reading, bytes, packet_peers[4]); }},
  };
}

}  // namespace takt::test
