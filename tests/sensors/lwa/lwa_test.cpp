/// LWA: headers byte by byte, streams with counted losses, files, header fields that change the meaning.

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/emulator/fault_injector.hpp"
#include "sensors/lwa/builder.hpp"
#include "sensors/lwa/fields.hpp"
#include "sensors/lwa/recording.hpp"
#include "sensors/lwa/synthesis.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace lwa_lwa_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

LwaFormat tbn_format() {
  LwaFormat format{.mode = LwaMode::tbn, .signals = {3, 5}, .sample_hz = 100e3, .packets = 2};
  format.frequencies_hz = {38e6, 38e6};
  return format;
}

LwaFormat drx_format() {
  LwaFormat format{.mode = LwaMode::drx,
                   .signals = {drx_signal(1, 1), drx_signal(1, 2)},
                   .sample_hz = 19.6e6,
                   .packets = 2};
  format.frequencies_hz = {38e6, 74e6};
  return format;
}

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(LwaPackets, headers_have_the_documented_layout) {
  // As LSL (lsl.sim.drx) and bifrost lay them out: ID, then frame count. DRX: beam 2, tuning 1, polarisation
  // 1: 0x80 | 1 << 3 | 2 = 0x8A; decimation 10; time offset 3; tuning word 0x40000000, a quarter of the
  // clock; flags 5.
  const auto drx = bytes_of({0xDE, 0xC0, 0xDE, 0x5C, 0x8A, 0, 0, 7,   0,    0, 0, 9, 0, 10, 0, 3,
                             4,    0xA0, 0,    0,    0,    0, 0, 100, 0x40, 0, 0, 0, 0, 0,  0, 5});
  const LwaHeader beam = decode_lwa(LwaMode::drx, drx);
  EXPECT_EQ(beam, (LwaHeader{.frame_count = 7,
                             .signal = drx_signal(2, 1),
                             .polarisation = 1,
                             .time_tag = 0x04A0000000000064,
                             .tuning_word = 0x40000000,
                             .second_count = 9,
                             .decimation = 10,
                             .time_offset = 3,
                             .flags = 5}));
  EXPECT_EQ(beam.tuning_hz(), 49e6);
  EXPECT_EQ(beam.clocks(), 0x04A0000000000061U);
  std::vector<std::byte> again(32);
  encode_lwa(LwaMode::drx, beam, again);
  EXPECT_EQ(again, drx);
  // TBN: frame 0x010203 of its second; input 6 is stand 3, polarisation 1; gain 20.
  const auto tbn =
      bytes_of({0xDE, 0xC0, 0xDE, 0x5C, 0, 1, 2, 3, 0x40, 0, 0, 0, 0, 6, 0, 20, 4, 0xA0, 0, 0, 0, 0, 0, 100});
  const LwaHeader stand = decode_lwa(LwaMode::tbn, tbn);
  EXPECT_EQ(stand.signal, 3);
  EXPECT_EQ(stand.polarisation, 1);
  EXPECT_EQ(stand.gain, 20);
  EXPECT_EQ(stand.frame_count, 0x010203U);
  EXPECT_EQ(stand.tuning_word, 0x40000000U);
  EXPECT_EQ(stand.reserved, 0);
  again.resize(24);
  encode_lwa(LwaMode::tbn, stand, again);
  EXPECT_EQ(again, tbn);
  EXPECT_EQ(decode_lwa(LwaMode::tbn, bytes_of({0xDE, 0xC0, 0xDE, 0x5C, 0, 0, 0, 0, 0, 0, 0, 0,
                                               0x80, 6,    0,    0,    0, 0, 0, 0, 0, 0, 0, 0}))
                .reserved,
            0x8000)
      << "the mark of wide-band data";
}

TEST(LwaPackets, samples_are_signed_and_the_real_part_is_in_the_upper_half) {
  std::vector<float> numbers(4);
  decode_lwa_samples(LwaMode::drx, bytes_of({0x7F, 0x81}), numbers.data());
  EXPECT_THAT(numbers, ElementsAre(7, -1, -8, 1));
  decode_lwa_samples(LwaMode::tbn, bytes_of({0x7F, 0x80, 0xFF, 1}), numbers.data());
  EXPECT_THAT(numbers, ElementsAre(127, -128, -1, 1));
  // All values, both ways.
  for (const LwaMode mode : {LwaMode::tbn, LwaMode::drx})
    for (int value = 0; value < 256; ++value) {
      const std::vector<std::byte> byte{static_cast<std::byte>(value)};
      std::vector<float> decoded(mode == LwaMode::tbn ? 1 : 2);
      decode_lwa_samples(mode, byte, decoded.data());
      std::vector<std::byte> encoded(1);
      encode_lwa_samples(mode, decoded, encoded);
      EXPECT_EQ(encoded, byte) << value;
    }
}

TEST(LwaPackets, clocks_are_nanoseconds_to_the_nearest_one) {
  EXPECT_EQ(utc_of_clocks(clocks_of_second(1'700'000'000)), 1'700'000'000'000'000'000);
  // 49 clocks are 250 ns; one is 5.102 ns, three are 15.306, four 20.408. 2262-04-11T23:47:16, and all later
  // time tags.
  EXPECT_EQ(utc_of_clocks(clocks_of_second(9'223'372'036)), 9'223'372'036'000'000'000);
  EXPECT_EQ(utc_of_clocks(~std::uint64_t{0}), 9'223'372'036'000'000'000);
  EXPECT_EQ(utc_of_clocks(49), 250);
  EXPECT_EQ(utc_of_clocks(1), 5);
  EXPECT_EQ(utc_of_clocks(3), 15);
  EXPECT_EQ(utc_of_clocks(clocks_of_second(2) - 1), 1'999'999'995);
}

/// Counters and frames of a stream's packets.
struct Built {
  std::vector<test::KeptFrame> frames;
  SourceCounters counters;
  std::vector<std::string> warnings;
  [[nodiscard]] std::uint64_t count(std::string_view name) const {
    return test::value_of(counters.details, name);
  }
};

Built build(const LwaFormat& format, const std::vector<std::vector<std::byte>>& packets) {
  const PacketFormat made = lwa_packets(format, {.window = 8}, 0);
  FrameQueue queue(200, made.type.size());
  const std::unique_ptr<FrameBuilder> builder = made.make_builder(queue);
  for (const std::vector<std::byte>& packet : packets) (void)builder->take(0, packet, 0);
  builder->finish(0);
  return {test::take_all(queue), builder->counters(), builder->warnings({})};
}

std::vector<std::vector<std::byte>> packets_of(const LwaSynthesisOptions& options) {
  LwaSynthesis stream(options);
  std::vector<std::vector<std::byte>> packets;
  while (const std::optional<LanePacket> packet = stream.next())
    packets.emplace_back(packet->bytes.begin(), packet->bytes.end());
  return packets;
}

LwaSynthesisOptions some(const LwaFormat& format, std::uint64_t packets = 20) {
  return {.format = format, .second = 1'700'000'000, .packets = packets};
}

TEST(LwaStreams, have_each_packets_samples_at_its_signal_time_and_polarisation) {
  for (const LwaFormat& format : {tbn_format(), drx_format()}) {
    LwaSynthesisOptions options = some(format);
    if (format.mode == LwaMode::drx) options.time_offset = 77;
    const std::vector<std::vector<std::byte>> packets = packets_of(options);
    ASSERT_EQ(packets.size(), 80U);
    const Built built = build(format, packets);
    ASSERT_EQ(built.frames.size(), 10U);
    EXPECT_EQ(built.frames[0].header.utc_ns, 1'700'000'000'000'000'000) << "the time offset is taken off";
    EXPECT_EQ(built.frames[9].header.utc_ns,
              utc_of_clocks(clocks_of_second(1'700'000'000) + 18 * format.clocks_per_packet()));
    const std::size_t samples = lwa_samples(format.mode), times = 2 * samples;
    for (std::size_t frame = 0; frame < 10; ++frame) {
      const auto* const values = reinterpret_cast<const float*>(built.frames[frame].bytes.data());
      for (std::size_t moment = 0; moment < 2; ++moment)
        for (std::size_t place = 0; place < 4; ++place) {
          std::vector<float> expected(2 * samples);
          decode_lwa_samples(
              format.mode,
              std::span(packets[(2 * frame + moment) * 4 + place]).subspan(lwa_header_bytes(format.mode)),
              expected.data());
          for (std::size_t i = 0; i < samples; i += 7) {
            const std::size_t at = 2 * (((place / 2) * times + moment * samples + i) * 2 + place % 2);
            ASSERT_EQ(values[at], expected[2 * i]);
            ASSERT_EQ(values[at + 1], expected[2 * i + 1]);
          }
        }
    }
    EXPECT_THAT(built.warnings, IsEmpty());
  }
}

TEST(LwaStreams, with_faults_have_the_counts_of_the_sender) {
  for (const LwaFormat& format : {tbn_format(), drx_format()}) {
    LwaFormat narrow = format;
    narrow.packets = 1;
    std::vector<std::vector<std::byte>> packets = packets_of(some(narrow, 60));
    const LwaCodec codec(narrow);
    std::mt19937_64 random(9);
    std::vector<std::uint64_t> damaged(codec.causes().size());
    std::uint64_t dropped = 0, repeated = 0;
    std::vector<std::vector<std::byte>> sent;
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const std::uint64_t choice = i < 8 || i + 8 > packets.size() ? 3 : random() % 10;
      if (choice == 0) {
        ++dropped;
        continue;
      }
      if (choice == 1) ++damaged[codec.damage(packets[i], random())];
      sent.push_back(packets[i]);
      if (choice == 2) {
        sent.push_back(packets[i]);
        ++repeated;
      }
    }
    const Built built = build(narrow, sent);
    std::uint64_t all_damaged = 0;
    for (std::size_t cause = 0; cause < damaged.size(); ++cause) {
      EXPECT_EQ(built.count("refused_" + std::string(codec.causes()[cause])), damaged[cause]);
      EXPECT_GT(damaged[cause], 0U);
      all_damaged += damaged[cause];
    }
    EXPECT_EQ(built.count("packets_lost"), dropped + all_damaged);
    EXPECT_EQ(built.count("packets_duplicate"), repeated);
    EXPECT_EQ(built.count("packets_received"), packets.size() - dropped - all_damaged);
    // Missing samples are NaN.
    std::size_t missing = 0;
    for (const test::KeptFrame& frame : built.frames) {
      missing += frame.header.missing_parts;
      const auto* const values = reinterpret_cast<const float*>(frame.bytes.data());
      std::size_t nan = 0;
      for (std::size_t i = 0; i < frame.bytes.size() / sizeof(float); ++i) nan += std::isnan(values[i]);
      EXPECT_EQ(nan, frame.header.missing_parts * 2 * lwa_samples(format.mode));
    }
    EXPECT_EQ(missing, dropped + all_damaged);
  }
}

/// Changes one field of all packets from the tenth on.
template <class Change>
Built with_changed_headers(const LwaFormat& format, Change change) {
  std::vector<std::vector<std::byte>> packets = packets_of(some(format));
  for (std::size_t i = 10; i < packets.size(); ++i) {
    LwaHeader header = decode_lwa(format.mode, packets[i]);
    change(header);
    encode_lwa(format.mode, header, packets[i]);
  }
  return build(format, packets);
}

TEST(LwaStreams, obey_refuse_or_count_every_field_that_changes_the_meaning) {
  const auto refused = [](const LwaFormat& format, std::string_view cause, auto change) {
    const Built built = with_changed_headers(format, change);
    EXPECT_EQ(built.count("refused_" + std::string(cause)), 70U) << cause;
  };
  for (const LwaFormat& format : {tbn_format(), drx_format()}) {
    refused(format, "sync", [](LwaHeader& header) { header.sync_word = 0x5CDEC0DE; });
    refused(format, "signal", [](LwaHeader& header) { header.signal = 2; });
    refused(format, "mode",
            [&](LwaHeader& header) { header.reserved = format.mode == LwaMode::tbn ? 0x4000 : 0x40; });
    const Built retuned = with_changed_headers(format, [](LwaHeader& header) { header.tuning_word += 1000; });
    EXPECT_EQ(retuned.count("packets_retuned"), 70U);
    EXPECT_THAT(retuned.warnings, Contains(HasSubstr("is tuned to 38.0000")));
    const Built between =
        with_changed_headers(format, [n = 0](LwaHeader& header) mutable { header.time_tag += 1 + 2 * ++n; });
    EXPECT_EQ(between.count("refused_time"), 70U);
    // Fields that do not affect the samples.
    const Built unused = with_changed_headers(format, [](LwaHeader& header) {
      header.frame_count = 77;
      header.second_count = 78;
    });
    EXPECT_EQ(unused.count("packets_received"), 80U);
    EXPECT_THAT(unused.warnings, IsEmpty());
  }
  refused(drx_format(), "rate", [](LwaHeader& header) { header.decimation = 20; });
  const Built flagged = with_changed_headers(drx_format(), [](LwaHeader& header) { header.flags = 4; });
  EXPECT_EQ(flagged.count("packets_flagged"), 70U);
  EXPECT_THAT(flagged.warnings,
              ElementsAre(HasSubstr("70 packets have unknown status flags, last 0x00000004")));
  const Built louder = with_changed_headers(tbn_format(), [](LwaHeader& header) { header.gain = 30; });
  EXPECT_EQ(louder.count("packets_of_other_gain"), 70U);
  EXPECT_THAT(louder.warnings, Contains(HasSubstr("another gain")));
  for (const HeaderKeyword& field : lwa_fields().rows)
    EXPECT_NE(field.use, KeywordUse::refused) << field.name;
}

void write_file(const std::filesystem::path& path, const std::vector<std::vector<std::byte>>& packets,
                std::string_view before = "") {
  std::ofstream file(path, std::ios::binary);
  file << before;
  for (const std::vector<std::byte>& packet : packets)
    file.write(reinterpret_cast<const char*>(packet.data()), static_cast<std::streamsize>(packet.size()));
}

TEST(LwaFiles, determine_their_format_and_yield_the_frames_of_the_stream) {
  const test::TemporaryFolder folder;
  for (LwaFormat format : {tbn_format(), drx_format()}) {
    const std::vector<std::vector<std::byte>> packets = packets_of(some(format));
    // The file begins within a packet.
    write_file(folder / "a.lwa", packets, std::string(100, '\x5C'));
    const LwaFormat found = read_lwa_format(folder / "a.lwa");
    EXPECT_EQ(found.mode, format.mode);
    EXPECT_EQ(found.signals, format.signals);
    EXPECT_NEAR(found.sample_hz, format.sample_hz, 1e-6);
    ASSERT_EQ(found.frequencies_hz.size(), format.frequencies_hz.size());
    for (std::size_t i = 0; i < format.frequencies_hz.size(); ++i)
      EXPECT_NEAR(found.frequencies_hz[i], format.frequencies_hz[i], 0.03) << "half a step of the word";
    PacketFileSource source({.recording = "a.lwa"}, lwa_packets(format, {.window = 8}, 0),
                            [&] { return std::make_unique<LwaRecording>(folder / "a.lwa", format); });
    source.start();
    const std::vector<test::KeptFrame> read = test::take_all(source),
                                       expected = build(format, packets).frames;
    ASSERT_EQ(read.size(), expected.size());
    for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i].bytes, expected[i].bytes);
    EXPECT_EQ(test::value_of(source.counters().details, "refused_size"), 1U);
  }
}

TEST(LwaFiles, that_are_invalid_are_refused) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "a") << std::string(20'000, 'x');
  EXPECT_THAT([&] { (void)read_lwa_format(folder / "a"); },
              ThrowsMessage<ConfigError>(HasSubstr("not an LWA file")));
  // One packet of each signal: TBN's rate is unknown.
  write_file(folder / "b", packets_of(some(tbn_format(), 1)));
  EXPECT_THAT([&] { (void)read_lwa_format(folder / "b"); },
              ThrowsMessage<ConfigError>(HasSubstr("with an unknown sample rate")));
}

TEST(LwaFormats, that_are_invalid_are_refused_with_the_option) {
  const auto option = [](auto change) {
    LwaFormat format = drx_format();
    change(format);
    try {
      validate(format);
    } catch (const OptionError& error) {
      return std::string(error.option());
    }
    return std::string();
  };
  EXPECT_EQ(option([](LwaFormat&) {}), "");
  EXPECT_EQ(option([](LwaFormat& format) { format.sample_hz = 19.7e6; }), "sample_rate");
  EXPECT_EQ(option([](LwaFormat& format) { format.sample_hz = 1000; }), "sample_rate");
  EXPECT_EQ(option([](LwaFormat& format) { format.signals = {}; }), "beams");
  EXPECT_EQ(option([](LwaFormat& format) { format.signals[1] = format.signals[0]; }), "beams");
  EXPECT_EQ(option([](LwaFormat& format) { format.signals[0] = drx_signal(1, 0); }), "tunings");
  EXPECT_EQ(option([](LwaFormat& format) { format.frequencies_hz.pop_back(); }), "frequencies");
  EXPECT_EQ(option([](LwaFormat& format) { format.packets = 0; }), "packets");
}

TEST(LwaPackets, of_any_bytes_are_read_within_their_bounds) {
  std::mt19937_64 random(3);
  for (const LwaFormat& format : {tbn_format(), drx_format()}) {
    std::vector<std::vector<std::byte>> packets = packets_of(some(format, 40));
    const LwaCodec codec(format);
    for (std::vector<std::byte>& packet : packets) {
      for (int i = 0; i < 3; ++i) packet[random() % 40] = static_cast<std::byte>(random());
      if (random() % 8 == 0) packet.resize(random() % packet.size());
      packet.shrink_to_fit();
      (void)codec.utc_of(packet);
      (void)codec.coalesced(packet, 0);
      std::vector<std::byte> copy = packet;
      (void)codec.shift(copy, random() % 2 == 0 ? 70 : -70);
    }
    const Built built = build(format, packets);
    std::uint64_t counted = 0;
    for (const Counter& counter : built.counters.details)
      if (counter.name.starts_with("refused_") || counter.name == "packets_received" ||
          counter.name == "packets_late" || counter.name == "packets_duplicate" ||
          counter.name == "packets_early" || counter.name == "packets_implausible")
        counted += counter.value;
    EXPECT_EQ(counted, packets.size());
  }
}

}  // namespace lwa_lwa_test
}  // namespace takt::sensors
