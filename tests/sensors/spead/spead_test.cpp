/// Tests that SPEAD packets are decoded by the specification, and their samples placed correctly.

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gmock/gmock.h>

#include "sensors/emulator/fault_injector.hpp"
#include "sensors/option_error.hpp"
#include "sensors/spead/builder.hpp"
#include "sensors/spead/descriptor.hpp"
#include "sensors/spead/samples.hpp"
#include "sensors/spead/synthesis.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace spead_spead_test {

test::Bytes bytes_of(std::initializer_list<int> values) {
  test::Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

/// Written by hand from the specification: heap 7 of 12 bytes; a time of 0x1234 in item 0x1600, samples from
/// byte 4 on in item 0x4300; the payload's first 6 bytes.
const test::Bytes packet_64_48 = bytes_of({0x53, 4,  2,  6,  0,  0, 0,    6,     // header: 6 items
                                           0x80, 1,  0,  0,  0,  0, 0,    7,     // heap counter
                                           0x80, 2,  0,  0,  0,  0, 0,    12,    // heap length
                                           0x80, 3,  0,  0,  0,  0, 0,    0,     // payload offset
                                           0x80, 4,  0,  0,  0,  0, 0,    6,     // payload length
                                           0x96, 0,  0,  0,  0,  0, 0x12, 0x34,  // time
                                           0x43, 0,  0,  0,  0,  0, 0,    4,     // samples
                                           10,   11, 12, 13, 14, 15});
const test::Bytes packet_64_40 = bytes_of({0x53, 4,    3,  5,  0,  0, 0,    6,     //
                                           0x80, 0,    1,  0,  0,  0, 0,    7,     //
                                           0x80, 0,    2,  0,  0,  0, 0,    12,    //
                                           0x80, 0,    3,  0,  0,  0, 0,    0,     //
                                           0x80, 0,    4,  0,  0,  0, 0,    6,     //
                                           0x80, 0x16, 0,  0,  0,  0, 0x12, 0x34,  //
                                           0x00, 0x43, 0,  0,  0,  0, 0,    4,     //
                                           10,   11,   12, 13, 14, 15});

TEST(Spead, packets_of_both_flavours_are_decoded_by_the_specification) {
  for (const auto& [bytes, flavour] : {std::pair(packet_64_48, SpeadFlavour::spead_64_48),
                                       std::pair(packet_64_40, SpeadFlavour::spead_64_40)}) {
    // 15 bits hold the items of 64-48: 0x9600 has the mode bit and 0x1600.
    SpeadPacket packet;
    ASSERT_EQ(decode_spead(bytes, flavour, 0x4300, 0x1600, packet), SpeadVerdict::good);
    EXPECT_EQ(packet.heap_counter, 7u);
    EXPECT_EQ(packet.heap_length, 12u);
    EXPECT_EQ(packet.payload_offset, 0u);
    EXPECT_EQ(packet.timestamp, 0x1234u);
    EXPECT_EQ(packet.item_offset, 4u);
    EXPECT_EQ(test::Bytes(packet.payload.begin(), packet.payload.end()), bytes_of({10, 11, 12, 13, 14, 15}));
    const std::array items{SpeadPointer{true, 1, 7},           SpeadPointer{true, 2, 12},
                           SpeadPointer{true, 3, 0},           SpeadPointer{true, 4, 6},
                           SpeadPointer{true, 0x1600, 0x1234}, SpeadPointer{false, 0x4300, 4}};
    test::Bytes encoded;
    encode_spead(flavour, items, packet.payload, encoded);
    EXPECT_EQ(encoded, bytes);
    const auto other =
        flavour == SpeadFlavour::spead_64_40 ? SpeadFlavour::spead_64_48 : SpeadFlavour::spead_64_40;
    EXPECT_EQ(decode_spead(bytes, other, 0, 0, packet), SpeadVerdict::header);
  }
}

TEST(Spead, hostile_packets_of_any_bytes_are_refused) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    test::Bytes bytes = packet_64_48;
    for (std::size_t changes = random() % 4; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    bytes.resize(random() % 3 == 0 ? random() % bytes.size() : bytes.size());
    SpeadPacket packet;
    if (decode_spead(bytes, SpeadFlavour::spead_64_48, 0x4300, 0x1600, packet) != SpeadVerdict::good)
      continue;
    ASSERT_LE(packet.payload.size(), bytes.size());
  }
  SpeadPacket packet;
  test::Bytes bytes = packet_64_48;
  bytes[6] = std::byte{0xFF};
  EXPECT_EQ(decode_spead(bytes, SpeadFlavour::spead_64_48, 0, 0, packet), SpeadVerdict::size);
  EXPECT_EQ(decode_spead({}, SpeadFlavour::spead_64_48, 0, 0, packet), SpeadVerdict::header);
}

/// Heaps of 3 kB with a time, whose first packet is shorter, two per frame; 16 other bytes precede their
/// samples, and 9 follow.
SpeadFormat spead_format(ElementType element, bool is_big_endian, SpeadFlavour flavour) {
  SpeadFormat format;
  format.flavour = flavour;
  format.element = element;
  format.is_big_endian = is_big_endian;
  format.frame.axes = {{"time", 2 * 3072 / size_of(element), {}}};
  format.frame.rate_hz = 100;
  format.heaps = 2;
  format.item = 0x1100;
  format.offset = 16;
  format.heap_bytes = 16 + 3072 + 9;
  format.payload_bytes = 512;
  format.first_payload_bytes = 496;
  format.timestamp = 0x1600;
  format.heap_ticks = 4096;
  format.ticks_per_second = 200 * 4096;
  format.since_s = 1'600'000'000;
  return format;
}

/// Returns the samples of a synthetic stream, by a walk over the packets without pieces or frames.
std::vector<float> samples_of(const SpeadSynthesisOptions& options) {
  SpeadSynthesis stream(options);
  std::vector<test::Bytes> heaps(options.heaps + 1, test::Bytes(options.format.heap_bytes));
  while (const auto packet = stream.next()) {
    SpeadPacket read;
    EXPECT_EQ(decode_spead(packet->bytes, options.format.flavour, 0, 0, read), SpeadVerdict::good);
    if (read.is_stop) continue;
    std::ranges::copy(read.payload, heaps.at(read.heap_counter - 1).begin() +
                                        static_cast<std::ptrdiff_t>(read.payload_offset));
  }
  std::vector<float> samples;
  for (std::uint64_t heap = 0; heap < options.heaps; ++heap) {
    std::vector<float> of_heap(options.format.sample_bytes() / number_bytes(options.format.element));
    decode_numbers(options.format.element, options.format.is_big_endian,
                   std::span(heaps[heap]).subspan(16, 3072), reinterpret_cast<std::byte*>(of_heap.data()));
    samples.insert(samples.end(), of_heap.begin(), of_heap.end());
  }
  return samples;
}

TEST(Spead, every_fault_is_detected_and_all_other_data_are_placed) {
  for (const ElementType element : {ElementType::complex_int8, ElementType::int16, ElementType::float32})
    for (const bool is_big_endian : {false, true}) {
      SpeadSynthesisOptions options;
      options.format = spead_format(element, is_big_endian,
                                    is_big_endian ? SpeadFlavour::spead_64_40 : SpeadFlavour::spead_64_48);
      options.second = 1'600'000'100;
      options.heaps = 400;
      options.signal.noise = 20;
      const PacketFormat packets = spead_packets(options.format, {.window = 64}, 2);
      FrameQueue queue(400, packets.type.size());
      const auto builder = packets.make_builder(queue);
      SpeadSynthesis stream(options);
      std::uint64_t now = 0;
      FaultInjector injector({.drop = 0.02, .duplicate = 0.02, .reorder = 0.05, .corrupt = 0.02}, 1, 5,
                             stream.codec(), [&](const LanePacket& packet) {
                               (void)builder->take(0, packet.bytes, static_cast<std::int64_t>(++now));
                             });
      while (const auto packet = stream.next()) injector.take(*packet);
      injector.finish();
      builder->finish(0);

      const FaultCounts& faults = injector.counts();
      const SourceCounters counters = builder->counters();
      const auto value = [&](const std::string& name) { return test::value_of(counters.details, name); };
      for (std::size_t cause = 0; cause < stream.codec().causes().size(); ++cause)
        EXPECT_EQ(value("refused_" + std::string(stream.codec().causes()[cause])), faults.corrupted[cause]);
      EXPECT_EQ(value("refused_timestamp"), 0u);
      EXPECT_EQ(value("packets_duplicate"), faults.duplicated);
      EXPECT_EQ(value("packets_lost"), faults.dropped + faults.corrupted_in_all());
      EXPECT_EQ(value("end_marks"), 1u);
      EXPECT_EQ(value("packets_late"), 0u);

      const std::vector<float> expected = samples_of(options);
      const auto frames = test::take_all(queue);
      ASSERT_EQ(frames.size(), 200u);
      std::size_t missing = 0;
      for (std::size_t f = 0; f < frames.size(); ++f) {
        EXPECT_EQ(frames[f].header.utc_ns,
                  1'600'000'100'000'000'000 + static_cast<std::int64_t>(f) * 10'000'000);
        const auto* const numbers = reinterpret_cast<const float*>(frames[f].bytes.data());
        const std::size_t count = frames[f].bytes.size() / sizeof(float);
        for (std::size_t i = 0; i < count; ++i) {
          if (std::isnan(numbers[i]))
            ++missing;
          else
            ASSERT_EQ(numbers[i], expected[f * count + i]) << "frame " << f << ", number " << i;
        }
      }
      // 7 packets per heap; those with samples contain 480 to 512 bytes of them, the last one 32.
      EXPECT_GT(missing, 0u);
      EXPECT_LE(missing * number_bytes(element), value("packets_lost") * 512);
    }
}

TEST(Spead, heaps_without_times_are_numbered_by_their_counters) {
  SpeadSynthesisOptions options;
  options.format.frame.axes = {{"time", 1000, {}}};
  options.format.frame.rate_hz = 50;
  options.heaps = 10;
  const PacketFormat packets = spead_packets(options.format, {.window = 8}, 0);
  FrameQueue queue(20, packets.type.size());
  const auto builder = packets.make_builder(queue);
  SpeadSynthesis stream(options);
  // The receiver starts during heap 3; heap 6 is lost completely.
  for (std::size_t i = 0; const auto packet = stream.next(); ++i)
    if (i > 7 && i / 3 != 5) (void)builder->take(0, packet->bytes, 0);
  builder->finish(0);
  const auto frames = test::take_all(queue);
  // The received part of heap 3 precedes the beginning.
  ASSERT_EQ(frames.size(), 6u);
  for (const test::KeptFrame& frame : frames) EXPECT_EQ(frame.header.missing_parts, 0u);
  EXPECT_EQ(frames[2].header.sequence, 3u);
  EXPECT_EQ(builder->counters().lost, 1u);
  EXPECT_EQ(test::value_of(builder->counters().details, "packets_early"), 1u);
  EXPECT_EQ(test::value_of(builder->counters().details, "packets_lost"), 3u);
}

/// Correlators write NaN for flagged data: these are missing, like lost data.
TEST(Spead, nan_is_missing_and_its_packets_are_marked_in_the_header) {
  for (const ElementType element :
       {ElementType::float32, ElementType::complex_float32, ElementType::float64, ElementType::int16}) {
    SpeadSynthesisOptions options;
    options.format.element = element;
    options.format.frame.axes = {{"time", 1000, {}}};
    options.format.frame.rate_hz = 50;
    options.format.payload_bytes = 1000;
    options.heaps = 4;
    const PacketFormat packets = spead_packets(options.format, {.window = 8}, 0);
    FrameQueue queue(10, packets.type.size());
    const auto builder = packets.make_builder(queue);
    const std::size_t width = number_bytes(element), numbers_of_element = numbers_of(element),
                      parts = (1000 * width * numbers_of_element + 999) / 1000;
    SpeadSynthesis stream(options);
    // Heap 0 is complete; in heap 1 the second number of packet 1 is NaN, and its fourth one infinite; heap 2
    // has the same, and loses its first packet.
    for (std::size_t i = 0; const auto packet = stream.next(); ++i) {
      test::Bytes bytes(packet->bytes.begin(), packet->bytes.end());
      const std::size_t heap = i / parts, part = i % parts;
      if (heap == 2 && part == 0) continue;
      if ((heap == 1 || heap == 2) && part == 1 && element != ElementType::int16) {
        std::byte* const payload = bytes.data() + bytes.size() - 1000;
        const double values[] = {std::nan(""), std::numeric_limits<double>::infinity()};
        for (std::size_t v = 0; v < 2; ++v) {
          const auto narrow = static_cast<float>(values[v]);
          if (width == sizeof(double))
            std::memcpy(payload + (1 + 2 * v) * width, &values[v], width);
          else
            std::memcpy(payload + (1 + 2 * v) * width, &narrow, width);
        }
      }
      (void)builder->take(0, bytes, 0);
    }
    builder->finish(0);
    const auto frames = test::take_all(queue);
    ASSERT_EQ(frames.size(), 4u);
    const bool is_integer = element == ElementType::int16;
    const auto missing_of = [&](std::size_t frame) {
      std::size_t count = 0;
      for (std::size_t at = 0; at < frames[frame].bytes.size(); at += is_integer ? 4 : width) {
        double value = 0;
        if (width == sizeof(double)) {
          std::memcpy(&value, frames[frame].bytes.data() + at, width);
        } else {
          float narrow = 0;
          std::memcpy(&narrow, frames[frame].bytes.data() + at, sizeof narrow);
          value = static_cast<double>(narrow);
        }
        count += std::isnan(value) ? 1 : 0;
      }
      return count;
    };
    // Both parts of a complex element are missing; a packet has 1000 bytes.
    EXPECT_EQ(missing_of(0), 0u);
    EXPECT_EQ(missing_of(1), is_integer ? 0u : numbers_of_element);
    EXPECT_EQ(missing_of(2), is_integer ? 500u : 1000 / width + numbers_of_element);
    EXPECT_EQ(frames[0].header.missing_parts, 0u);
    EXPECT_EQ(frames[1].header.missing_parts, is_integer ? 0u : 1u);
    EXPECT_EQ(frames[2].header.missing_parts, is_integer ? 1u : 2u);
    EXPECT_EQ(frames[1].header.missing_mask, is_integer ? 0u : 2u);
    EXPECT_EQ(frames[2].header.missing_mask, is_integer ? 1u : 3u);
    EXPECT_EQ(test::value_of(builder->counters().details, "packets_lost"), 1u);
  }
}

TEST(Spead, reports_the_actual_layout_of_heaps) {
  SpeadSynthesisOptions options;
  options.format = spead_format(ElementType::int16, false, SpeadFlavour::spead_64_48);
  options.second = 1'600'000'100;
  options.heaps = 5;
  SpeadFormat expected = options.format;
  expected.offset = 0;
  expected.first_payload_bytes = 0;
  const PacketFormat packets = spead_packets(expected, {}, 0);
  FrameQueue queue(40, packets.type.size());
  const auto builder = packets.make_builder(queue);
  SpeadSynthesis stream(options);
  while (const auto packet = stream.next()) (void)builder->take(0, packet->bytes, 0);
  EXPECT_THAT(builder->warnings({}), testing::Contains(testing::HasSubstr("'offset: 16'")));
  expected.heap_bytes = 0;
  const PacketFormat longer = spead_packets(expected, {}, 0);
  const auto other = longer.make_builder(queue);
  SpeadSynthesis again(options);
  while (const auto packet = again.next()) (void)other->take(0, packet->bytes, 0);
  EXPECT_THAT(other->warnings({}),
              testing::Contains(testing::HasSubstr("heaps have 3097 bytes: expected 3072")));
}

TEST(Spead, reports_another_flavour_and_another_payload_size) {
  SpeadSynthesisOptions options;
  options.format = spead_format(ElementType::int16, false, SpeadFlavour::spead_64_48);
  options.second = 1'600'000'100;
  options.heaps = 5;
  const auto warnings_of = [&](const SpeadFormat& expected) {
    const PacketFormat packets = spead_packets(expected, {}, 0);
    FrameQueue queue(40, packets.type.size());
    const auto builder = packets.make_builder(queue);
    SpeadSynthesis stream(options);
    while (const auto packet = stream.next()) (void)builder->take(0, packet->bytes, 0);
    return builder->warnings({});
  };
  EXPECT_THAT(warnings_of(options.format), testing::IsEmpty());
  SpeadFormat other = options.format;
  other.flavour = SpeadFlavour::spead_64_40;
  EXPECT_THAT(
      warnings_of(other),
      testing::Contains(testing::HasSubstr("the packets are SPEAD-64-48: expected 64-40: 'flavour: 64-48'")));
  other = options.format;
  const std::size_t sent = other.payload_bytes;
  other.payload_bytes = sent - 8;
  other.first_payload_bytes = 0;
  EXPECT_THAT(warnings_of(other), testing::Contains(testing::HasSubstr(fmt::format("'payload: {}'", sent))));
}

TEST(Spead, times_that_do_not_fit_an_item_are_refused_by_the_sender) {
  SpeadSynthesisOptions options;
  options.format = spead_format(ElementType::int16, false, SpeadFlavour::spead_64_40);
  // 2^40 ticks are 15.5 days.
  options.second = 1'600'000'000 + 1'342'177;
  EXPECT_NO_THROW(validate(options));
  options.second = 1'600'000'000 + 1'342'178;
  EXPECT_THROW(validate(options), OptionError);
}

TEST(Spead, invalid_formats_are_refused) {
  const auto expect_refused = [](const char* option, auto change) {
    SpeadFormat format = spead_format(ElementType::int16, false, SpeadFlavour::spead_64_48);
    change(format);
    try {
      validate(format);
      ADD_FAILURE() << option << " was taken";
    } catch (const OptionError& error) {
      EXPECT_EQ(error.option(), option) << error.what();
    }
  };
  expect_refused("payload", [](SpeadFormat& format) { format.payload_bytes = 511; });
  expect_refused("first_payload", [](SpeadFormat& format) { format.first_payload_bytes = 514; });
  expect_refused("heaps", [](SpeadFormat& format) { format.heaps = 5; });
  expect_refused("heap", [](SpeadFormat& format) { format.heap_bytes = 3000; });
  expect_refused("heap_ticks", [](SpeadFormat& format) { format.heap_ticks = 0; });
  expect_refused("rate", [](SpeadFormat& format) { format.frame.rate_hz = 0; });
}

/// As spead2's encode_descriptor (src/send_heap.cpp) lays it out, byte by byte: item 0x1234 `xy`, `d`,
/// little-endian int16 of shape (3, 5), 64-48.
test::Bytes descriptor_by_hand() {
  test::Bytes bytes = bytes_of({0x53, 4,    2,   6, 0, 0, 0,    10,    // header: 10 items
                                0x80, 1,    0,   0, 0, 0, 0,    1,     // heap counter
                                0x80, 2,    0,   0, 0, 0, 0,    0,     // heap length, filled in below
                                0x80, 3,    0,   0, 0, 0, 0,    0,     // payload offset
                                0x80, 4,    0,   0, 0, 0, 0,    0,     // payload length, filled in below
                                0x80, 0x14, 0,   0, 0, 0, 0x12, 0x34,  // number
                                0,    0x10, 0,   0, 0, 0, 0,    0,     // name
                                0,    0x11, 0,   0, 0, 0, 0,    2,     // description
                                0,    0x13, 0,   0, 0, 0, 0,    3,     // format: none
                                0,    0x12, 0,   0, 0, 0, 0,    3,     // shape
                                0,    0x15, 0,   0, 0, 0, 0,    17,    // numpy's header
                                'x',  'y',  'd',                       //
                                0,    0,    0,   0, 0, 0, 3,           //
                                0,    0,    0,   0, 0, 0, 5});
  for (const char c : std::string("{'descr': '<i2', 'fortran_order': False, 'shape': (3, 5)}"))
    bytes.push_back(static_cast<std::byte>(c));
  bytes[23] = bytes[39] = static_cast<std::byte>(bytes.size() - 88);
  return bytes;
}

TEST(SpeadDescriptors, have_the_format_of_spead2) {
  const test::Bytes bytes = descriptor_by_hand();
  const auto read = decode_descriptor(bytes, SpeadFlavour::spead_64_48);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, 0x1234U);
  EXPECT_EQ(read->name, "xy");
  EXPECT_EQ(read->description, "d");
  EXPECT_EQ(read->shape, (std::vector<std::uint64_t>{3, 5}));
  EXPECT_EQ(read->to_string(), "integers of 16 bits, little-endian, [3, 5]");
  EXPECT_TRUE(describes(*read, ElementType::int16, false, 30));
  EXPECT_FALSE(describes(*read, ElementType::int16, true, 30));
  EXPECT_FALSE(describes(*read, ElementType::int16, false, 28));
  EXPECT_FALSE(describes(*read, ElementType::float32, false, 30));
  EXPECT_EQ(encode_descriptor(*read, SpeadFlavour::spead_64_48), bytes);
  // A time of 48 bits has a format: `u` and two bytes with the number of bits.
  const SpeadDescriptor time{.id = 7, .name = "t", .kind = 'u', .bits = 48};
  const test::Bytes encoded = encode_descriptor(time, SpeadFlavour::spead_64_48);
  EXPECT_EQ(test::Bytes(encoded.end() - 3, encoded.end()), bytes_of({'u', 0, 48}));
  EXPECT_EQ(decode_descriptor(encoded, SpeadFlavour::spead_64_48)->to_string(),
            "integers without sign of 48 bits, big-endian, []");
  for (std::size_t cut = 0; cut < bytes.size(); ++cut)
    EXPECT_FALSE(decode_descriptor(std::span(bytes).first(cut), SpeadFlavour::spead_64_48));
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    test::Bytes bad = bytes;
    for (std::size_t changes = 1 + random() % 4; changes > 0; --changes)
      bad[random() % bad.size()] = static_cast<std::byte>(random());
    (void)decode_descriptor(bad, random() % 2 == 0 ? SpeadFlavour::spead_64_48 : SpeadFlavour::spead_64_40);
  }
}

TEST(SpeadDescriptors, identify_items_and_reveal_unexpected_types) {
  SpeadSynthesisOptions options;
  options.format = spead_format(ElementType::complex_int8, false, SpeadFlavour::spead_64_40);
  options.second = 1'600'000'100;
  options.heaps = 40;
  options.has_descriptors = true;
  // The descriptors take three packets.
  options.format.payload_bytes = 128;
  options.format.first_payload_bytes = 0;
  SpeadFormat by_name = options.format;
  by_name.item = by_name.timestamp = 0;
  by_name.item_name = "samples";
  by_name.timestamp_name = "timestamp";
  std::array<std::vector<test::KeptFrame>, 2> frames;
  for (const bool has_names : {false, true}) {
    const PacketFormat packets = spead_packets(has_names ? by_name : options.format, {.window = 64}, 2);
    FrameQueue queue(100, packets.type.size());
    const auto builder = packets.make_builder(queue);
    SpeadSynthesis stream(options);
    while (const auto packet = stream.next()) builder->take(0, packet->bytes, 1);
    builder->finish(1);
    frames[has_names ? 1 : 0] = test::take_all(queue);
    EXPECT_EQ(test::value_of(builder->counters().details, "descriptors"), 2U);
    EXPECT_EQ(builder->counters().lost, 0U);
    EXPECT_THAT(builder->warnings({}), testing::IsEmpty());
  }
  ASSERT_EQ(frames[0].size(), 20U);
  ASSERT_EQ(frames[1].size(), 20U);
  for (std::size_t k = 0; k < 20; ++k) {
    EXPECT_EQ(frames[0][k].header.utc_ns, frames[1][k].header.utc_ns);
    EXPECT_EQ(frames[0][k].bytes, frames[1][k].bytes);
  }
  // Samples of an unexpected type cause a warning.
  by_name.element = ElementType::int16;
  by_name.frame.axes = {{"time", 3072, {}}};
  const PacketFormat packets = spead_packets(by_name, {.window = 64}, 2);
  FrameQueue queue(100, packets.type.size());
  const auto builder = packets.make_builder(queue);
  SpeadSynthesis stream(options);
  for (int i = 0; i < 30; ++i) builder->take(0, stream.next()->bytes, 1);
  EXPECT_THAT(builder->warnings({}),
              testing::Contains("the stream describes item 4352 'samples' as integers of 8 bits, "
                                "little-endian, [1536, 2]: expected 3072 bytes of int16, little-endian"));
}

}  // namespace spead_spead_test
}  // namespace takt::sensors
