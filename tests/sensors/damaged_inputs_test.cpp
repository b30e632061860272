/// Can bytes that somebody damaged, or made up, do anything to a reader of files or streams but be read,
/// counted, or refused with a message? What takt's own encoders write, with accidents. Under the sanitizers
/// no byte leads to memory that is not its own; nothing is made as large as a length says that nobody looked
/// at; TAKT_MUTATIONS makes the search longer. (Packets that are put together by lane and time, one by one:
/// hostile_packets_test.cpp.)

#include <atomic>
#include <cstring>
#include <fstream>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/gnuradio/codec.hpp"
#include "sensors/guppi/recording.hpp"
#include "sensors/lofar/recording.hpp"
#include "sensors/lwa/recording.hpp"
#include "sensors/mark5b/header.hpp"
#include "sensors/mark5b/recording.hpp"
#include "sensors/mseed/file_source.hpp"
#include "sensors/mseed/record_writer.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/mseed/seedlink_session.hpp"
#include "sensors/pcap/recording.hpp"
#include "sensors/sample_file_source.hpp"
#include "sensors/sigmf/header.hpp"
#include "sensors/sigproc/header.hpp"
#include "sensors/spead/descriptor.hpp"
#include "sensors/streams/gnuradio_tags.hpp"
#include "sensors/streams/item_framer.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/streams/wire_packets.hpp"
#include "sensors/streams/wire_synthesis.hpp"
#include "sensors/vdif/recording.hpp"
#include "sensors/wav/header.hpp"
#include "tests/sensors/packet_peers.hpp"
#include "tests/sensors/pcap/captures.hpp"
#include "tests/support/mutation.hpp"

namespace takt::sensors {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Everything that a reader was given to read, and what it made of it: any difference shows.
class Reading {
 public:
  explicit Reading(const test::TemporaryFolder& folder) : folder_(folder) {}

  [[nodiscard]] std::filesystem::path file(const std::string& name, const std::string& bytes) const {
    return folder_.file(name, bytes);
  }
  void note(std::string_view what) { result_ = std::hash<std::string_view>{}(what) ^ (result_ * 31 + 1); }
  void note(std::uint64_t number) { note({reinterpret_cast<const char*>(&number), sizeof number}); }
  void note(const FrameType& type, const std::vector<test::KeptFrame>& frames) {
    for (const test::KeptFrame& frame : frames) {
      EXPECT_EQ(frame.bytes.size(), type.size().count);
      EXPECT_LE(frame.header.missing_parts, frame.header.parts);
      note(static_cast<std::uint64_t>(frame.header.utc_ns));
      note(text_of(frame.bytes));
    }
  }
  [[nodiscard]] std::uint64_t result() const { return result_; }

 private:
  const test::TemporaryFolder& folder_;
  std::uint64_t result_ = 0;
};

/// A reader, what it reads where nothing is wrong, and how many bytes of that matter most.
struct DamagedInput {
  const char* name;
  std::vector<std::string> (*valid)();
  std::size_t head;
  void (*read)(Reading& reading, const std::string& bytes);
  /// Of the usual number of accidents one of so many is tried, where trying takes long.
  int share = 1;
  friend void PrintTo(const DamagedInput& input, std::ostream* out) { *out << input.name; }
};

constexpr std::size_t some_packets = 40;

std::unique_ptr<PacketStream> sender_of(std::string_view name) {
  for (const test::PacketPeer& peer : test::packet_peers)
    if (peer.name == name) return peer.stream();
  throw std::logic_error("no such format");
}

/// What a receiver of the format makes of a recording; a sender asks the codec for each packet as well.
void read_packets(Reading& reading, PacketStream& stream, const PacketFormat& format) {
  FrameQueue queue(64, format.type.size());
  const std::unique_ptr<FrameBuilder> builder = format.make_builder(queue);
  std::uint64_t given = 0;
  std::vector<std::byte> copy;
  while (const std::optional<LanePacket> packet = stream.next()) {
    (void)stream.codec().utc_of(packet->bytes);
    copy.assign(packet->bytes.begin(), packet->bytes.end());
    (void)stream.codec().shift(copy, given % 2 == 0 ? 7 : -7);
    if (!copy.empty()) {
      EXPECT_LT(stream.codec().damage(copy, given), stream.codec().causes().size());
    }
    // Whoever reads a byte beyond the datagram is found by the sanitizers.
    copy.assign(packet->bytes.begin(), packet->bytes.end());
    copy.shrink_to_fit();
    (void)builder->take(packet->lane, copy, static_cast<std::int64_t>(++given));
    reading.note(format.type, test::take_all(queue));
  }
  builder->finish(static_cast<std::int64_t>(given) + 1);
  reading.note(format.type, test::take_all(queue));
  EXPECT_EQ(test::counted_packets(builder->counters()), given);
}

std::vector<std::string> whole_stream(std::string_view name) {
  const std::unique_ptr<PacketStream> stream = sender_of(name);
  std::string bytes;
  for (std::size_t i = 0; i < some_packets; ++i) bytes += text_of(stream->next()->bytes);
  return {bytes};
}

/// In several ways.
std::vector<std::string> captures_of(std::string_view name) {
  std::vector<std::string> captures;
  for (const test::CaptureStyle& style :
       {test::CaptureStyle{},
        test::CaptureStyle{.is_big_endian = true, .has_nanoseconds = true, .has_vlan = true},
        test::CaptureStyle{.is_ipv6 = true, .link = 113}, test::CaptureStyle{.link = 101}}) {
    const std::unique_ptr<PacketStream> stream = sender_of(name);
    std::string bytes = test::capture_header(style);
    for (std::size_t i = 0; i < some_packets; ++i) {
      const LanePacket packet = *stream->next();
      bytes += test::captured(style, static_cast<std::uint16_t>(4000 + packet.lane), text_of(packet.bytes));
    }
    captures.push_back(bytes);
  }
  return captures;
}

/// Two interfaces and byte orders; a datagram in fragments, and several in one.
std::vector<std::string> pcapng_files() {
  std::vector<std::string> files;
  for (const bool is_big_endian : {false, true}) {
    const test::PcapngBlocks blocks(is_big_endian);
    const std::unique_ptr<PacketStream> stream = sender_of("gnuradio");
    const auto udp = [&] { return test::udp_packet(text_of(stream->next()->bytes), 4000); };
    std::string bytes = blocks.section() + blocks.interface(1, blocks.option(9, "\x09")) +
                        blocks.interface(101, blocks.option(14, blocks.number(3600, 8)));
    for (std::uint64_t i = 0; i < 8; ++i)
      bytes += blocks.packet(0, i, test::ethernet_packet(test::ipv4_packet(udp()), 0x0800, {0x88A8, 0x8100}));
    const std::string fragmented = udp(), first = text_of(stream->next()->bytes);
    bytes += blocks.packet(1, 9, test::ipv4_packet(fragmented.substr(0, 64), {.more_follow = true}));
    bytes += blocks.packet(1, 10, test::ipv4_packet(fragmented.substr(64), {.offset = 64}));
    bytes += blocks.packet(
        1, 11,
        test::ipv6_packet(
            test::ipv6_extension(17, test::udp_packet(first + text_of(stream->next()->bytes), 4000)), 0));
    files.push_back(bytes + blocks.block(5, blocks.number(0, 12) + blocks.option(5, blocks.number(1, 8))));
  }
  return files;
}

void read_capture(Reading& reading, const std::string& bytes, std::unique_ptr<const PacketCodec> codec,
                  const PacketFormat& format, std::vector<std::uint16_t> ports = {4000}) {
  PcapRecording recording({reading.file("a.pcap", bytes), std::move(ports)}, std::move(codec));
  read_packets(reading, recording, format);
}

constexpr std::int64_t first_utc_sent = test::first_second_sent * std::int64_t{1'000'000'000};

void read_lofar(Reading& reading, const std::string& bytes) {
  LofarRecording recording({reading.file("a.lofar", bytes)});
  read_packets(reading, recording, lofar_packets(recording.format(), {}, 0));
}

void read_lwa(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.lwa", bytes);
  LwaFormat format = read_lwa_format(path);
  // Damaged headers may name many.
  format.signals.resize(1);
  format.frequencies_hz.clear();
  LwaRecording recording(path, format);
  read_packets(reading, recording, lwa_packets(format, {}, 0));
}

void read_vdif(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.vdif", bytes);
  VdifFormat format = read_vdif_format(path);
  if (format.sample_hz == 0) format.sample_hz = test::peer_vdif().sample_hz;
  VdifRecording recording(path, format);
  read_packets(reading, recording, vdif_packets(format, {}, 0));
}

void read_samples(Reading& reading, const std::filesystem::path& file, SampleLayout layout) {
  SampleFileSource source({.pieces = {{file, std::move(layout)}}});
  source.start();
  reading.note(source.type(), test::take_all(source));
}

std::string some_values() {
  std::string values(3000, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i * 37);
  return values;
}

std::vector<std::string> filterbanks() {
  std::vector<std::string> files;
  for (const int bits : {1, 4, 8, 16, 32})
    files.push_back(text_of(encode(SigprocHeader{.source_name = "takt",
                                                 .nbits = bits,
                                                 .nchans = 8,
                                                 .nifs = 2,
                                                 .fch1_mhz = 1500,
                                                 .foff_mhz = -0.5,
                                                 .tsamp_s = 1e-3,
                                                 .tstart_mjd = 59759.0625})) +
                    some_values());
  // A table of frequencies, a promise, and a keyword whose size is inferred.
  std::string rare = text_of(encode(SigprocHeader{.source_name = "",
                                                  .nbits = 8,
                                                  .is_signed = true,
                                                  .nchans = 3,
                                                  .table_mhz = {1500, 1490, 1475},
                                                  .tsamp_s = 1e-3,
                                                  .tstart_mjd = 59759.0625,
                                                  .nsamples = 2000}));
  rare.insert(16, std::string("\x0a\0\0\0telescop_x\x07\0\0\0", 18));
  files.push_back(rare + some_values());
  return files;
}

void read_filterbank(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.fil", bytes);
  read_samples(reading, path, layout_of(read_sigproc_header(path), 16));
}

std::vector<std::string> dada_files() {
  std::vector<std::string> files;
  for (const char* what :
       {"NBIT 8\nNDIM 2\nNPOL 2\nNCHAN 4\n", "NBIT 16\nNDIM 1\nNPOL 1\nNCHAN 3\n",
        "NBIT 32\nNDIM 2\nNPOL 1\nNCHAN 1\n", "NBIT 8\nNDIM 2\nNPOL 2\nNCHAN 3\nORDER TPFT\nINNER_T 5\n",
        "NBIT 2\nNDIM 1\nNPOL 1\nNCHAN 3\nENCODING OffsetBinary\n"}) {
    std::string text = std::string(
                           "HDR_SIZE 512\nTSAMP 1\nFREQ 1400\nBW -64\nUTC_START 2013-07-02-01:37:40\n"
                           "OBS_OFFSET 640\nPICOSECONDS 12\nSOURCE J0835-4510\n") +
                       what;
    text.resize(512, '\0');
    files.push_back(text + some_values());
  }
  return files;
}

void read_dada(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.dada", bytes);
  read_samples(reading, path, layout_of(read_dada_header(path), 16));
}

/// Two blocks, and one behind a gap.
std::vector<std::string> guppi_files() {
  std::vector<std::string> files;
  for (const char* bits : {"8", "16"}) {
    std::string file;
    for (const char* packet : {"0", "1", "5"}) {
      for (const auto& [key, value] :
           std::initializer_list<std::pair<const char*, const char*>>{{"BLOCSIZE", "960"},
                                                                      {"OBSNCHAN", "3"},
                                                                      {"NPOL", "4"},
                                                                      {"NBITS", bits},
                                                                      {"TBIN", "1e-3"},
                                                                      {"OBSFREQ", "1400"},
                                                                      {"OBSBW", "-3"},
                                                                      {"OVERLAP", "4"},
                                                                      {"PIPERBLK", "1"},
                                                                      {"PKTIDX", packet},
                                                                      {"STT_IMJD", "60310"},
                                                                      {"STT_SMJD", "5"},
                                                                      {"TELESCOP", "'GBT'"}}) {
        std::string card = key;
        card.resize(8, ' ');
        card += "= " + std::string(value);
        card.resize(80, ' ');
        file += card;
      }
      file += "END" + std::string(77, ' ') + some_values().substr(0, 960);
    }
    files.push_back(file);
  }
  return files;
}

void read_guppi_file(Reading& reading, const std::string& bytes) {
  SampleFileSource source({.pieces = read_guppi(reading.file("a.raw", bytes), 16)});
  source.start();
  reading.note(source.type(), test::take_all(source));
}

std::vector<std::string> mark5b_files() {
  std::string file;
  for (int i = 0; i < 3; ++i) {
    std::vector<std::byte> head(mark5b_header_bytes);
    encode_mark5b({.frame = static_cast<std::uint16_t>(i), .day = 821, .second = 19801, .fraction = i * 100},
                  head);
    file.append(reinterpret_cast<const char*>(head.data()), head.size());
    while (file.size() < static_cast<std::size_t>(i + 1) * mark5b_frame_bytes)
      file += static_cast<char>(file.size() * 7);
  }
  return {file};
}

void read_mark5b(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.m5b", bytes);
  const Mark5bFormat format{.channels = 4, .bits = 2, .sample_hz = 1e6, .near_unix_second = 1'400'000'000};
  VdifFormat vdif = vdif_format(format);
  vdif.packets = 1;
  Mark5bRecording recording(path, format);
  read_packets(reading, recording, vdif_packets(vdif, {}, 0));
}

std::vector<std::string> sigmf_descriptions() {
  return {R"({"global": {"core:datatype": "ci16_be", "core:sample_rate": 1000, "core:num_channels": 2,
    "core:version": "1.0.0"}, "captures": [{"core:sample_start": 1, "core:header_bytes": 3,
    "core:frequency": 433.92e6, "core:datetime": "2023-07-02T01:37:40.5Z"}], "annotations": []})",
          R"({"global": {"core:datatype": "rf32_le", "core:sample_rate": 48000.0, "core:offset": 7,
    "core:version": "1.0.0"}, "captures": [], "annotations": []})",
          R"({"global": {"core:datatype": "cu8", "core:sample_rate": 1e3, "core:trailing_bytes": 5,
    "core:extensions": [{"name": "antenna", "version": "1.0.0", "optional": true}]}, "captures": [
    {"core:sample_start": 0, "core:header_bytes": 4, "core:datetime": "2024-01-01T00:00:00Z"},
    {"core:sample_start": 100, "core:header_bytes": 6, "core:datetime": "2024-01-01T00:00:09Z"},
    {"core:sample_start": 300, "core:global_index": 400}], "annotations": [
    {"core:sample_start": 3, "core:sample_count": 5000, "core:label": "burst"}]})"};
}

void read_sigmf_pair(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.sigmf-meta", bytes);
  (void)reading.file("a.sigmf-data", some_values());
  const SigmfHeader header = read_sigmf(path);
  read_samples(reading, header.data, layout_of(header, {.samples = 16}));
}

/// RIFF of 16 bits with `auxi` before the samples, and RF64 of 24 bits with padding.
std::vector<std::string> wav_files() {
  const auto bytes_of = [](std::initializer_list<std::pair<std::uint64_t, int>> numbers) {
    std::string bytes;
    for (const auto& [number, size] : numbers) test::put(bytes, number, size, false);
    return bytes;
  };
  const auto chunk = [&](const std::string& name, const std::string& bytes) {
    return name + bytes_of({{bytes.size(), 4}}) + bytes;
  };
  const std::string auxi = bytes_of({{2024, 2},
                                     {1, 2},
                                     {1, 2},
                                     {2, 2},
                                     {3, 2},
                                     {4, 2},
                                     {5, 2},
                                     {600, 2},
                                     {0, 8},
                                     {0, 8},
                                     {7'100'000, 4}}) +
                           std::string(128, '\0');
  const auto format = [&](std::uint64_t bits) {
    return chunk("fmt ",
                 bytes_of({{1, 2}, {2, 2}, {48000, 4}, {48000 * bits / 4, 4}, {bits / 4, 2}, {bits, 2}}));
  };
  return {"RIFF" + bytes_of({{3300, 4}}) + "WAVE" + format(16) + chunk("auxi", auxi) +
              chunk("data", some_values()),
          "RF64" + bytes_of({{0xFFFFFFFF, 4}}) + "WAVE" +
              chunk("ds64", bytes_of({{3300, 8}, {3000, 8}, {500, 8}, {0, 4}})) + chunk("JUNK", "padding ") +
              format(24) + "data" + bytes_of({{0xFFFFFFFF, 4}}) + some_values()};
}

void read_wav_file(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.wav", bytes);
  read_samples(reading, path, layout_of(read_wav(path), {.samples = 16}));
}

/// Metadata of 1,000 bytes or so and samples, as POSIX' tar has them.
std::vector<std::string> sigmf_archives() {
  const auto member = [](const std::string& name, std::string bytes) {
    std::string head(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { head.replace(at, text.size(), text); };
    put(0, name);
    put(124, fmt::format("{:011o}", bytes.size()));
    put(156, "0");
    put(257, "ustar");
    put(148, "        ");
    unsigned sum = 0;
    for (const char letter : head) sum += static_cast<unsigned char>(letter);
    put(148, fmt::format("{:06o}", sum) + '\0');
    bytes.resize((bytes.size() + 511) / 512 * 512);
    return head + bytes;
  };
  std::vector<std::string> archives;
  for (const std::string& metadata : sigmf_descriptions())
    archives.push_back(member("a.sigmf-meta", metadata) + member("a.sigmf-data", some_values()) +
                       std::string(1024, '\0'));
  return archives;
}

void read_sigmf_archive(Reading& reading, const std::string& bytes) {
  const SigmfHeader header = read_sigmf(reading.file("a.sigmf", bytes));
  read_samples(reading, header.data, layout_of(header, {.samples = 16}));
}

std::string records_of(MseedVersion version) {
  constexpr std::int64_t begin = 1'600'000'000'000'000'000;
  std::vector<std::byte> records;
  for (const TraceEncoding encoding :
       {TraceEncoding::steim1, TraceEncoding::steim2, TraceEncoding::int32, TraceEncoding::float32}) {
    RecordWriter writer(encoding == TraceEncoding::steim1 ? "NL.WIT..BHN" : "NL.HGN.00.BHZ", 50, encoding,
                        version);
    std::vector<float> samples;
    for (int i = 0; i < 300; ++i) samples.push_back(static_cast<float>((i * i) % 1000 - 500));
    (void)writer.put(begin + static_cast<std::int64_t>(encoding) * 6'000'000'000, samples, records);
    (void)writer.flush(records);
  }
  return text_of(records);
}

std::vector<std::string> miniseed_files() {
  return {records_of(MseedVersion::two), records_of(MseedVersion::three)};
}

void read_miniseed(Reading& reading, const std::string& bytes) {
  MseedFileSource source({.files = {reading.file("a.mseed", bytes)}});
  source.start();
  reading.note(source.type(), test::take_all(source));
}

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

/// As the source `tcp`: one message after the other.
void read_wire_messages(Reading& reading, const std::string& bytes) {
  const FrameType type = some_wire_type();
  FrameQueue queue(64, type.size());
  WireDecoder decoder(type, 0, queue, {.may_repeat = true});
  std::span<const std::byte> rest = bytes_of(bytes);
  while (rest.size() >= wire_head_bytes) {
    (void)wire_type(rest);
    (void)read_wire_request(rest);
    const std::optional<std::size_t> length = wire_message_bytes(rest, type);
    if (!length) throw WorkError("what is no frame of takt's");
    if (*length > rest.size()) break;
    if (!decoder.take(rest.first(*length), 0)) break;
    rest = rest.subspan(*length);
    reading.note(type, test::take_all(queue));
  }
  // A message of ZeroMQ may be anything.
  (void)decoder.take(rest, 0);
  for (const Counter& counter : decoder.counters().details) reading.note(counter.value);
}

std::vector<std::string> wire_datagrams() {
  WireSynthesis stream({.type = some_wire_type(), .payload_bytes = 120});
  std::string bytes;
  for (std::size_t i = 0; i < some_packets; ++i)
    bytes += test::captured({}, 4000, text_of(stream.next()->bytes));
  return {test::capture_header({}) + bytes};
}

void read_wire_datagrams(Reading& reading, const std::string& bytes) {
  PcapRecording recording({reading.file("a.pcap", bytes), {4000}}, wire_codec());
  const WireSenderCodec sender({.type = some_wire_type(), .payload_bytes = 120});
  const PacketFormat format = wire_packets({.type = some_wire_type(), .payload_bytes = 120});
  FrameQueue queue(64, format.type.size());
  const std::unique_ptr<FrameBuilder> builder = format.make_builder(queue);
  while (const std::optional<LanePacket> packet = recording.next()) {
    std::vector<std::byte> copy(packet->bytes.begin(), packet->bytes.end());
    (void)builder->take(0, copy, 0);
    reading.note(format.type, test::take_all(queue));
    (void)sender.utc_of(copy);
    (void)sender.shift(copy, 7);
    (void)sender.damage(copy, copy.size());
  }
  builder->finish(1);
  reading.note(format.type, test::take_all(queue));
  for (const Counter& counter : builder->counters().details) reading.note(counter.value);
}

FrameType some_items() {
  FrameType type;
  type.element = ElementType::complex_float32;
  type.axes = {{"time", 64, {}}};
  type.rate_hz = 1000;
  return type;
}

/// Messages of GNU Radio with tags of every kind, each with its length before it.
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
    test::put(length, message.size(), 2, false);
    bytes += length + message;
  }
  return {bytes};
}

void read_tagged_messages(Reading& reading, const std::string& bytes) {
  const FrameType type = with_sample_flags(some_items());
  FrameQueue queue(64, type.size());
  ItemFramer framer(type, 0, queue);
  for (std::size_t at = 0; at + 2 <= bytes.size();) {
    const std::size_t length = static_cast<unsigned char>(bytes[at]) |
                               static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 1])) << 8;
    const std::string message = bytes.substr(at + 2, length);
    at += 2 + length;
    const std::optional<GnuradioHeader> header = read_gnuradio_header(bytes_of(message));
    if (!header) continue;
    ASSERT_LE(header->bytes, message.size());
    framer.take(header->offset, bytes_of(message).subspan(header->bytes), 0);
    reading.note(type, test::take_all(queue));
  }
  framer.finish(0);
  reading.note(type, test::take_all(queue));
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

/// A server of one connection, which answers as it should and then sends these bytes.
class HostileServer {
 public:
  HostileServer(std::string greeting, std::string packets) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener_, 1) != 0)
      throw std::runtime_error("no port is free");
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, greeting = std::move(greeting), packets = std::move(packets)] {
      const int client = ::accept(listener_, nullptr, nullptr);
      converse(client, greeting, packets);
      ::close(client);
    });
  }
  ~HostileServer() {
    thread_.join();
    ::close(listener_);
  }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  static void converse(int client, const std::string& greeting, const std::string& packets) {
    std::string line;
    for (char byte = 0; ::recv(client, &byte, 1, 0) == 1;) {
      if (byte != '\n') {
        line += byte;
        continue;
      }
      const std::string& answer = line.starts_with("HELLO") ? greeting
                                  : line.starts_with("END") ? packets
                                                            : "OK\r\n";
      (void)!::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
      // A client that got half an answer would wait for the rest: there is none.
      if (line.starts_with("END") || (line.starts_with("HELLO") && std::ranges::count(greeting, '\n') < 2))
        return;
      line.clear();
    }
  }

  int listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

/// The greeting, its length before it, and the packets.
std::vector<std::string> seedlink_streams() {
  const std::string records = records_of(MseedVersion::two);
  std::string three, four;
  for (std::size_t at = 0, number = 1; at + 512 <= records.size(); at += 512, ++number) {
    three += "SL00000" + std::to_string(number % 10) + records.substr(at, 512);
    std::string packet = "SE2D";
    test::put(packet, 512, 4, false);
    test::put(packet, number, 8, false);
    four += packet + "\6NL_HGN" + records.substr(at, 512);
  }
  const std::string old = "SeedLink v3.1\r\nstation\r\n",
                    recent = "SeedLink v4.0 :: SLPROTO:4.0\r\nstation\r\n";
  return {static_cast<char>(old.size()) + old + three + "END",
          static_cast<char>(recent.size()) + recent + four + "END"};
}

void read_seedlink(Reading& reading, const std::string& bytes) {
  const std::size_t length = std::min<std::size_t>(bytes.empty() ? 0 : bytes[0] & 0x7F, bytes.size());
  HostileServer server(bytes.substr(bytes.empty() ? 0 : 1, length),
                       bytes.size() > length + 1 ? bytes.substr(1 + length) : "");
  SeedlinkSession session(server.address(), {"NL.HGN.00.BHZ", "NL.WIT..BHN"}, SeedlinkVersion::newest);
  const TraceGrid grid{.channels = 2, .rows = 25, .rate_hz = 50};
  FrameQueue queue(512, trace_frame_type(grid).size());
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
      reading.note(trace_frame_type(grid), test::take_all(queue));
    }
  }
  joiner.finish(0);
  reading.note(trace_frame_type(grid), test::take_all(queue));
  session.close();
}

const DamagedInput damaged_inputs[] = {
    {"captures_of_lofar", [] { return captures_of("lofar"); }, 300,
     [](Reading& reading, const std::string& bytes) {
       read_capture(reading, bytes, std::make_unique<LofarCodec>(test::peer_lofar().clock_hz),
                    lofar_packets(test::peer_lofar(), {}, 0), {4000, 4001, 4002});
     }},
    {"captures_of_vdif", [] { return captures_of("vdif"); }, 300,
     [](Reading& reading, const std::string& bytes) {
       read_capture(reading, bytes, std::make_unique<VdifCodec>(test::peer_vdif()),
                    vdif_packets(test::peer_vdif(), {}, 0), {4000, 4001});
     }},
    {"captures_of_spead", [] { return captures_of("spead"); }, 300,
     [](Reading& reading, const std::string& bytes) {
       read_capture(reading, bytes, std::make_unique<SpeadCodec>(test::peer_spead(), first_utc_sent),
                    spead_packets(test::peer_spead(), {}, 0));
     }},
    {"captures_of_gnuradio", [] { return captures_of("gnuradio"); }, 300,
     [](Reading& reading, const std::string& bytes) {
       read_capture(reading, bytes, std::make_unique<GnuradioCodec>(test::peer_gnuradio(), first_utc_sent),
                    gnuradio_packets(test::peer_gnuradio(), {}, 0));
     }},
    {"captures_of_lwa", [] { return captures_of("lwa"); }, 100,
     [](Reading& reading, const std::string& bytes) {
       read_capture(reading, bytes, std::make_unique<LwaCodec>(test::peer_lwa()),
                    lwa_packets(test::peer_lwa(), {}, 0));
     }},
    {"captures_in_pcapng", pcapng_files, 300,
     [](Reading& reading, const std::string& bytes) {
       read_capture(reading, bytes, std::make_unique<GnuradioCodec>(test::peer_gnuradio(), first_utc_sent),
                    gnuradio_packets(test::peer_gnuradio(), {}, 0));
     }},
    {"lwa_files", [] { return whole_stream("lwa"); }, 100, read_lwa},
    {"lofar_files", [] { return whole_stream("lofar"); }, 200, read_lofar},
    {"vdif_files", [] { return whole_stream("vdif"); }, 300, read_vdif},
    {"filterbanks", filterbanks, 200, read_filterbank},
    {"dada_files", dada_files, 200, read_dada},
    {"guppi_files", guppi_files, 1100, read_guppi_file},
    {"mark5b_files", mark5b_files, 32, read_mark5b, 10},
    {"sigmf_descriptions", sigmf_descriptions, 400, read_sigmf_pair},
    {"sigmf_archives", sigmf_archives, 1200, read_sigmf_archive},
    {"wav_files", wav_files, 120, read_wav_file},
    {"miniseed_files", miniseed_files, 64, read_miniseed, 2},
    {"takt_messages", wire_messages, 200, read_wire_messages},
    {"takt_datagrams", wire_datagrams, 200, read_wire_datagrams},
    {"gnuradio_messages", tagged_messages, 200, read_tagged_messages},
    {"spead_descriptors", descriptors, 200, read_descriptor},
    {"seedlink_streams", seedlink_streams, 120, read_seedlink, 10},
};

class DamagedInputs : public testing::TestWithParam<DamagedInput> {};

std::size_t largest_resident_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss);
}

TEST_P(DamagedInputs, are_read_counted_or_refused_with_a_message_in_bounded_memory) {
  const DamagedInput& input = GetParam();
  const test::TemporaryFolder folder;
  const std::vector<std::string> valid = input.valid();
  std::vector<std::uint64_t> expected;
  for (const std::string& bytes : valid) {
    Reading reading(folder);
    input.read(reading, bytes);
    EXPECT_NE(reading.result(), 0U) << "nothing was read";
    expected.push_back(reading.result());
  }
  const std::size_t before = largest_resident_kib();
  Random random(1);
  const int mutations = std::max(test::mutation_count(600) / input.share, 1);
  int refused = 0, changed = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::size_t which = random.below(valid.size());
    const std::string bytes = random.below(2) == 0 ? test::mutated_bytes(valid[which], input.head, random)
                                                   : test::mutated(valid[which], random);
    Reading reading(folder);
    try {
      input.read(reading, bytes);
      if (reading.result() != expected[which]) ++changed;
    } catch (const ConfigError& error) {
      EXPECT_STRNE(error.what(), "");
      ++refused;
    } catch (const WorkError& error) {
      EXPECT_STRNE(error.what(), "");
      ++refused;
    } catch (const std::exception& error) {
      std::ofstream(std::filesystem::temp_directory_path() / "takt-damaged-input", std::ios::binary) << bytes;
      FAIL() << "mutation " << i << ": " << error.what();
    }
    if (HasFailure()) FAIL() << "mutation " << i;
  }
  // Otherwise nothing was tried.
  EXPECT_GT(refused + changed, mutations / 4);
  EXPECT_LT(refused, mutations * 95 / 100);
  // The sanitizers keep a quarter of this themselves.
  EXPECT_LT(largest_resident_kib() - before, std::size_t{1} << 20);
}

INSTANTIATE_TEST_SUITE_P(Of, DamagedInputs, testing::ValuesIn(damaged_inputs),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace takt::sensors
