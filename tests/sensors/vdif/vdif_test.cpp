/// VDIF: real recordings, streams over UDP with exactly counted faults, files written and read back, and
/// invalid input.

#include <cmath>
#include <fstream>
#include <random>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/emulator/emulator.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/transport/udp_source.hpp"
#include "sensors/vdif/builder.hpp"
#include "sensors/vdif/recording.hpp"
#include "sensors/vdif/sink.hpp"
#include "sensors/vdif/synthesis.hpp"
#include "sensors/vdif/udp_sink.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace vdif_vdif_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::filesystem::path vdif_recording(const char* name) {
  return test::test_data().empty() ? std::filesystem::path() : test::test_data() / "vdif" / name;
}

std::unique_ptr<Source> vdif_file(const std::filesystem::path& file, const VdifFormat& format,
                                  const Assembly& assembly = {}) {
  return std::make_unique<PacketFileSource>(PacketFileOptions{}, vdif_packets(format, assembly, 0),
                                            [=] { return std::make_unique<VdifRecording>(file, format); });
}

const float* floats(const test::KeptFrame& frame) {
  return reinterpret_cast<const float*>(frame.bytes.data());
}

TEST(Vdif, a_recording_of_eight_threads_has_the_values_of_other_programs) {
  const std::filesystem::path path = vdif_recording("sample.vdif");
  if (path.empty() || !std::filesystem::exists(path)) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA";
  VdifFormat format = read_vdif_format(path);
  EXPECT_EQ(format.sample_hz, 32e6);
  EXPECT_EQ(format.bits, 2);
  EXPECT_FALSE(format.is_complex);
  EXPECT_THAT(format.threads, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  format.packets = 2;
  const auto source = vdif_file(path, format);
  EXPECT_EQ(source->type().to_string(), "float32[beamlet=8][time=40000][polarisation=1]");
  source->start();
  const std::vector<test::KeptFrame> frames = test::take_all(*source);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].header.missing_parts, 0U);
  // 2014-06-16T05:56:07 UTC.
  EXPECT_EQ(frames[0].header.utc_ns, 1'402'898'167'000'000'000);
  // The first frame of the file belongs to thread 1.
  const float* const thread = floats(frames[0]) + 40000;
  EXPECT_THAT(std::vector(thread, thread + 4), testing::ElementsAre(1, 1, 1, -3.3165F));
  std::map<float, int> counts;
  for (std::size_t i = 0; i < 20000; ++i) ++counts[thread[i]];
  EXPECT_THAT(counts, testing::ElementsAre(testing::Pair(-3.3165F, 3281), testing::Pair(-1, 6599),
                                           testing::Pair(1, 6624), testing::Pair(3.3165F, 3496)));
}

TEST(Vdif, complex_samples_of_several_channels_become_beamlets) {
  const std::filesystem::path path = vdif_recording("sample_mwa.vdif");
  if (path.empty() || !std::filesystem::exists(path)) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA";
  VdifFormat format = read_vdif_format(path);
  EXPECT_THAT([&] { validate(format); },
              ThrowsMessage<OptionError>(HasSubstr("the sample rate is not known")));
  format.sample_hz = 1.28e6;
  format.packets = 10;
  const auto source = vdif_file(path, format);
  EXPECT_EQ(source->type().to_string(), "complex_float32[beamlet=2][time=1280][polarisation=1]");
  source->start();
  const std::vector<test::KeptFrame> frames = test::take_all(*source);
  ASSERT_EQ(frames.size(), 1U);
  // The raw bytes: [time][channel][real, imaginary] after 32 bytes of header in each 544.
  const std::string bytes = test::read_file(path);
  for (std::size_t packet = 0; packet < 10; ++packet)
    for (std::size_t t = 0; t < 128; ++t)
      for (std::size_t channel = 0; channel < 2; ++channel)
        for (std::size_t part = 0; part < 2; ++part)
          ASSERT_EQ(
              floats(frames[0])[(channel * 1280 + packet * 128 + t) * 2 + part],
              static_cast<unsigned char>(bytes[packet * 544 + 32 + t * 4 + channel * 2 + part]) - 128.0F);
}

TEST(Vdif, a_file_whose_headers_are_damaged_is_refused) {
  const std::filesystem::path path = vdif_recording("sample_drao_corrupted.vdif");
  if (path.empty() || !std::filesystem::exists(path)) GTEST_SKIP() << "no recordings: set TAKT_TEST_DATA";
  EXPECT_THAT([&] { (void)read_vdif_format(path); }, ThrowsMessage<ConfigError>(HasSubstr("damaged")));
}

TEST(Vdif, three_stray_bytes_in_a_file_cost_one_frame) {
  const test::TemporaryFolder folder;
  VdifFormat format;
  format.threads = {0, 1};
  format.payload_bytes = 200;
  format.bits = 8;
  format.sample_hz = 2e4;
  VdifSynthesis stream({.format = format, .second = 1'656'466'200});
  std::string whole;
  for (int i = 0; i < 40; ++i) {
    const LanePacket packet = *stream.next();
    whole.append(reinterpret_cast<const char*>(packet.bytes.data()), packet.bytes.size());
  }
  const std::size_t each = whole.size() / 40;
  for (const std::size_t frame : {1, 2, 5, 20, 38}) {
    const std::string path = folder.file("a.vdif", std::string(whole).insert(frame * each + each / 2, "abc"));
    VdifFormat read = read_vdif_format(path);
    EXPECT_THAT(read.threads, testing::ElementsAre(0, 1)) << frame;
    EXPECT_EQ(read.payload_bytes, 200U);
    if (read.sample_hz == 0) read.sample_hz = format.sample_hz;
    const auto source = vdif_file(path, read);
    source->start();
    (void)test::take_all(*source);
    EXPECT_GE(test::value_of(source->counters().details, "packets_received"), 39U) << frame;
  }
}

TEST(Vdif, headers_survive_encoding_and_their_time_is_that_of_the_calendar) {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> bytes(32);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    // Bits without meaning here: two of the second word, the last two words.
    bytes[7] &= std::byte{0x3F};
    std::fill(bytes.begin() + 24, bytes.end(), std::byte{0});
    const VdifHeader header = decode_vdif(bytes);
    if (header.is_legacy) bytes.resize(16);
    std::vector<std::byte> again(bytes.size());
    encode_vdif(header, again);
    ASSERT_EQ(again, bytes);
  }
  // Half-years begin on 1 January and 1 July: 2000-01-01, 2014-01-01 (29th), 2015-07-01.
  EXPECT_EQ((VdifHeader{.second = 5, .epoch = 0}).unix_second(), 946'684'805);
  EXPECT_EQ((VdifHeader{.second = 0, .epoch = 28}).unix_second(), 1'388'534'400);
  EXPECT_EQ((VdifHeader{.second = 0, .epoch = 31}).unix_second(), 1'435'708'800);
  for (const std::int64_t second : {946'684'800LL, 1'388'534'399LL, 1'402'898'167LL, 1'900'000'000LL}) {
    const VdifTime time = vdif_time(second);
    EXPECT_EQ((VdifHeader{.second = time.second, .epoch = time.epoch}).unix_second(), second);
    EXPECT_LT(time.second, 185U * 86400);
  }
}

/// Three threads of 800 packets/s of 20 samples.
VdifFormat small_vdif(bool has_sequence) {
  VdifFormat format;
  format.threads = {4, 0, 9};
  format.bits = 8;
  format.payload_bytes = 24;
  format.sample_hz = 800 * 24;
  format.packets = 4;
  format.has_sequence = has_sequence;
  return format;
}

TEST(Vdif, streams_over_udp_are_received_and_their_faults_counted) {
  for (const bool has_sequence : {false, true}) {
    const VdifFormat format = small_vdif(has_sequence);
    UdpOptions udp;
    udp.ports = {0};
    udp.depth = 2000;
    UdpSource source(udp, vdif_packets(format, {}, 0));
    source.start();
    VdifSynthesis stream(
        {.format = format, .signal = {.noise = 20}, .second = 1'600'000'000, .packets = 1500});
    EmulatorOptions options;
    options.destinations.assign(3, {"127.0.0.1", source.ports().front()});
    options.packet_rate = 60'000;
    options.faults = {.drop = 0.02, .duplicate = 0.02, .reorder = 0.02, .corrupt = 0.05, .garbage = 0.01};
    const EmulatorReport report = emulate(stream, options, std::atomic<bool>(false));
    const auto count = [&](const std::string& name) {
      return test::value_of(source.counters().details, name);
    };
    const auto seen = [&] {
      std::uint64_t sum = 0;
      for (const Counter& counter : source.counters().details)
        if (counter.name.starts_with("refused_") || counter.name == "packets_received" ||
            counter.name == "packets_duplicate")
          sum += counter.value;
      return sum;
    };
    for (int i = 0; i < 20'000 && seen() < report.datagrams; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    source.stop();
    const std::vector<test::KeptFrame> frames = test::take_all(source);
    EXPECT_EQ(seen(), report.datagrams);
    EXPECT_EQ(count("packets_received") + count("packets_lost"), report.packets);
    EXPECT_EQ(count("packets_lost"), report.faults.dropped + report.faults.corrupted_in_all());
    EXPECT_EQ(count("packets_duplicate"), report.faults.duplicated);
    const auto causes = stream.codec().causes();
    for (std::size_t i = 0; i < causes.size(); ++i)
      EXPECT_GE(count("refused_" + std::string(causes[i])), report.faults.corrupted[i]) << causes[i];
    EXPECT_EQ(frames.size(), 375U);
    // Existing samples equal the sent ones, missing ones are NaN.
    VdifSynthesis again(
        {.format = format, .signal = {.noise = 20}, .second = 1'600'000'000, .packets = 1500});
    std::size_t missing = 0;
    for (std::size_t number = 0; const auto packet = again.next(); ++number) {
      const std::size_t lane = number % 3, index = number / 3;
      std::vector<float> sent(24);
      VdifSamples(8, 1).decode(packet->bytes.subspan(format.prefix_bytes() + 32), sent);
      const float* const got = floats(frames[index / 4]) + (lane * 4 + index % 4) * 24;
      if (std::isnan(got[0])) {
        ++missing;
        EXPECT_TRUE(std::all_of(got, got + 24, [](float value) { return std::isnan(value); }));
      } else {
        ASSERT_TRUE(std::equal(sent.begin(), sent.end(), got)) << number;
      }
    }
    EXPECT_EQ(missing, count("packets_lost"));
  }
}

TEST(Vdif, random_bytes_and_damaged_packets_are_counted_once_and_refused) {
  std::mt19937 random(11);
  const VdifFormat format = small_vdif(true);
  const PacketFormat packets = vdif_packets(format, {.window = 8}, 0);
  FrameQueue queue(64, packets.type.size());
  const auto builder = packets.make_builder(queue);
  VdifSynthesis stream({.format = format, .second = 1'600'000'000, .packets = 4000});
  std::uint64_t taken = 0, good = 0;
  while (const auto packet = stream.next()) {
    test::Bytes bytes(packet->bytes.begin(), packet->bytes.end());
    if (random() % 2 == 0)
      for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (random() % 8 == 0) bytes.resize(random() % 100);
    ++taken;
    good += builder->take(random() % 3, bytes, 0) ? 1 : 0;
    for (; queue.front() != nullptr; queue.pop()) queue.take();
  }
  builder->finish(0);
  std::uint64_t counted = 0, refused = 0;
  for (const Counter& counter : builder->counters().details) {
    if (counter.name.starts_with("refused_")) refused += counter.value;
    for (const char* name : {"received", "late", "duplicate", "early", "implausible"})
      if (counter.name == std::string("packets_") + name) counted += counter.value;
  }
  EXPECT_EQ(refused + good, taken);
  EXPECT_EQ(counted, good);
}

TEST(Vdif, sent_frames_are_received_bit_by_bit) {
  FrameType type;
  type.element = ElementType::complex_float32;
  type.axes = {{"beamlet", 1, {}}, {"time", 400, {}}, {"polarisation", 2, {}}};
  type.rate_hz = 250;
  VdifFormat format;
  format.threads = {0, 1};
  format.bits = 8;
  format.is_complex = true;
  format.payload_bytes = 200;
  format.has_sequence = true;
  format.sample_hz = 100'000;
  format.packets = 4;
  format.polarisations = 2;
  UdpOptions options;
  options.ports = {0};
  options.depth = 64;
  UdpSource source(options, vdif_packets(format, {.window = 32}, 0));
  source.start();
  VdifUdpSink sink({.packets = {.bits = 8, .payload_bytes = 200, .station = 17},
                    .to = {"127.0.0.1", source.ports()[0]},
                    .has_sequence = true},
                   type);
  sink.open();
  std::mt19937 random(4);
  std::vector<std::vector<float>> sent(50, std::vector<float>(1600));
  for (std::size_t i = 0; i < sent.size(); ++i) {
    for (float& value : sent[i]) value = static_cast<float>(static_cast<int>(random() % 256) - 128);
    FrameHeader header{.sequence = i,
                       .utc_ns = 1'600'000'000'000'000'000 + static_cast<std::int64_t>(i) * 4'000'000};
    sink.write({&header, std::as_bytes(std::span(sent[i]))});
  }
  sink.close();
  EXPECT_EQ(test::value_of(sink.counters(), "datagrams_sent"), 50u * 4 * 2);
  for (int i = 0; i < 20'000 && test::value_of(source.counters().details, "packets_received") < 400; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  source.stop();
  const std::vector<test::KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 50u);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].header.utc_ns, 1'600'000'000'000'000'000 + static_cast<std::int64_t>(i) * 4'000'000);
    EXPECT_TRUE(std::equal(sent[i].begin(), sent[i].end(), floats(frames[i]))) << i;
  }
}

TEST(Vdif, written_frames_are_read_back_bit_by_bit) {
  test::TemporaryFolder folder;
  for (const bool is_complex : {false, true}) {
    FrameType type;
    type.element = is_complex ? ElementType::complex_float32 : ElementType::float32;
    type.axes = {{"beamlet", 2, {}}, {"time", 64, {}}, {"polarisation", 2, {}}};
    type.rate_hz = 250;
    const std::filesystem::path path = folder / (is_complex ? "complex.vdif" : "real.vdif");
    VdifSink sink({.output = {.path = path}, .packets = {.bits = 2, .station = 17}}, type);
    sink.open();
    std::vector<std::vector<float>> frames(5);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      for (std::size_t n = 0; n < type.data_size().count / sizeof(float); ++n)
        frames[i].push_back(std::vector<float>{-3.3165F, -1, 1, 3.3165F}[random() % 4]);
      FrameHeader header{.sequence = i,
                         .utc_ns = 1'600'000'000'500'000'000 + static_cast<std::int64_t>(i) * 4'000'000};
      // One missing value, and one missing frame.
      if (i == 3) continue;
      if (i == 1) frames[i][7] = std::nanf("");
      sink.write({&header, std::as_bytes(std::span(frames[i]))});
    }
    sink.close();
    VdifFormat format = read_vdif_format(path);
    EXPECT_EQ(format.sample_hz, 16000) << "as the extended header tells";
    EXPECT_EQ(format.station, 17);
    EXPECT_THAT(format.threads, testing::ElementsAre(0, 1, 2, 3));
    format.packets = 64 / format.samples();
    format.polarisations = 2;
    const auto source = vdif_file(path, format);
    source->start();
    const std::vector<test::KeptFrame> read = test::take_all(*source);
    ASSERT_EQ(read.size(), 4U);
    EXPECT_EQ(read[0].header.utc_ns, 1'600'000'000'500'000'000);
    EXPECT_EQ(read[3].header.sequence, 4U) << "the frame that was not written leaves a hole";
    for (const std::size_t i : {0U, 2U, 4U})
      EXPECT_TRUE(std::equal(frames[i].begin(), frames[i].end(), floats(read[i < 3 ? i : i - 1])));
    EXPECT_EQ(read[1].header.missing_parts, 1U);
    EXPECT_TRUE(std::isnan(floats(read[1])[7]));
    const auto nans = std::count_if(floats(read[1]), floats(read[1]) + frames[1].size(),
                                    [](float value) { return std::isnan(value); });
    EXPECT_EQ(static_cast<std::size_t>(nans), format.samples() * (is_complex ? 2 : 1));
  }
}

TEST(Vdif, a_file_that_lost_its_framing_is_read_on_after_the_fault) {
  test::TemporaryFolder folder;
  VdifFormat format = small_vdif(false);
  format.threads = {0};
  VdifSynthesis stream({.format = format, .second = 1'600'000'000, .packets = 40});
  std::string bytes;
  for (std::size_t i = 0; const auto packet = stream.next(); ++i) {
    bytes.append(reinterpret_cast<const char*>(packet->bytes.data()), packet->bytes.size());
    if (i == 20) bytes += "xyz";
  }
  std::ofstream(folder / "a.vdif", std::ios::binary) << bytes;
  VdifFormat read = read_vdif_format(folder / "a.vdif");
  read.sample_hz = format.sample_hz;
  read.packets = 4;
  const auto source = vdif_file(folder / "a.vdif", read);
  source->start();
  EXPECT_EQ(test::take_all(*source).size(), 10U);
  EXPECT_EQ(test::value_of(source->counters().details, "packets_received"), 40U);
  EXPECT_EQ(test::value_of(source->counters().details, "refused_size"), 1U) << "the bytes between two frames";
}

TEST(Vdif, invalid_formats_are_refused_with_what_was_expected) {
  const auto refusal = [](auto change) {
    VdifFormat format = small_vdif(false);
    change(format);
    try {
      (void)vdif_packets(format, {}, 0);
    } catch (const OptionError& error) {
      return error.option() + ": " + error.what();
    }
    return std::string();
  };
  EXPECT_THAT(refusal([](VdifFormat& f) {
                f.threads = {1, 1};
              }),
              HasSubstr("threads: thread 1 is given twice"));
  EXPECT_THAT(refusal([](VdifFormat& f) { f.channels = 3; }), HasSubstr("channels: 3 channels"));
  EXPECT_THAT(refusal([](VdifFormat& f) { f.payload_bytes = 12; }), HasSubstr("payload: "));
  EXPECT_THAT(refusal([](VdifFormat& f) { f.bits = 33; }), HasSubstr("bits: "));
  EXPECT_THAT(refusal([](VdifFormat& f) { f.sample_hz = 1000; }), HasSubstr("a whole number"));
  EXPECT_THAT(refusal([](VdifFormat& f) { f.polarisations = 2; }), HasSubstr("polarisations: 3 threads"));
  test::TemporaryFolder folder;
  std::ofstream(folder / "a") << "no VDIF at all, and nothing that looks like it";
  EXPECT_THAT([&] { (void)read_vdif_format(folder / "a"); },
              ThrowsMessage<ConfigError>(HasSubstr("not a VDIF file")));
}

}  // namespace vdif_vdif_test
}  // namespace takt::sensors
