/// Header fields of packets: each one that changes the meaning is obeyed, or its packets are counted by cause
/// and a warning explains it.

#include <cstring>

#include <gmock/gmock.h>

#include "sensors/gnuradio/builder.hpp"
#include "sensors/gnuradio/fields.hpp"
#include "sensors/lofar/builder.hpp"
#include "sensors/lofar/fields.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/spead/builder.hpp"
#include "sensors/spead/fields.hpp"
#include "sensors/spead/synthesis.hpp"
#include "tests/sensors/packets/packet_peers.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace packets_packet_fields_test {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

using Packets = std::vector<std::vector<std::byte>>;

struct Taken {
  std::vector<Counter> counters;
  std::vector<std::string> warnings;
  [[nodiscard]] std::uint64_t count(std::string_view name) const { return test::value_of(counters, name); }
};

Taken take(const PacketFormat& format, const Packets& packets) {
  FrameQueue queue(200, format.type.size());
  const std::unique_ptr<FrameBuilder> builder = format.make_builder(queue);
  for (const std::vector<std::byte>& packet : packets) (void)builder->take(0, packet, 0);
  builder->finish(0);
  return {builder->counters().details, builder->warnings({"port 1"})};
}

Packets some_packets(PacketStream& stream, std::size_t count) {
  Packets packets;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<LanePacket> packet = stream.next();
    packets.emplace_back(packet->bytes.begin(), packet->bytes.end());
  }
  return packets;
}

/// 40 packets of a station, with changes from the 20th on.
template <class Change>
Taken lofar_with(Change change) {
  const LofarFormat format = test::small_format(1, 4);
  static const Packets good = [&] {
    LofarSynthesis stream({.format = format, .second = 1'656'466'200});
    return some_packets(stream, 40);
  }();
  Packets packets = good;
  for (std::size_t i = 20; i < packets.size(); ++i) change(packets[i]);
  return take(lofar_packets(format, {.window = 8}, 0), packets);
}

TEST(LofarFields, change_the_count_that_their_table_names) {
  struct Case {
    const char* field;
    std::size_t byte;
    unsigned bits;
    const char* counter;
  };
  const auto changed = [](const Case& each) {
    return lofar_with(
        [&](std::vector<std::byte>& packet) { packet[each.byte] ^= static_cast<std::byte>(each.bits); });
  };
  for (const Case& each : {Case{"version", 0, 1, "refused_version"},
                           {"version", 0, 0x60, "refused_version"},
                           {"RSP board", 1, 2, "packets_of_other_set_up"},
                           {"payload error", 1, 0x40, "refused_error_bit"},
                           {"clock", 1, 0x80, "refused_clock"},
                           {"bit mode", 2, 3, "refused_bit_mode"},
                           {"reserved", 2, 0x80, "refused_version"},
                           {"reserved", 1, 0x20, "refused_version"},
                           {"configuration", 3, 1, "packets_of_other_set_up"},
                           {"station", 4, 0x20, "refused_station"},
                           {"beamlets", 6, 2, "refused_size"},
                           {"samples", 7, 1, "refused_size"},
                           {"block", 15, 0x40, "refused_sequence"}}) {
    EXPECT_EQ(changed(each).count(each.counter), 20U) << each.field;
    EXPECT_NE(lofar_fields().find(each.field), nullptr) << each.field;
    EXPECT_THAT(std::string(lofar_fields().find(each.field)->meaning), HasSubstr(each.counter));
  }
  EXPECT_EQ(lofar_with([](std::vector<std::byte>& packet) {
              for (std::size_t i = 8; i < 12; ++i) packet[i] = std::byte{0xFF};
            }).count("refused_second"),
            20U);
  // Version 4 has the same header.
  EXPECT_EQ(
      lofar_with([](std::vector<std::byte>& packet) { packet[0] = std::byte{4}; }).count("packets_received"),
      40U);
  const Taken set_up = changed({"configuration", 3, 1, ""});
  EXPECT_EQ(set_up.count("packets_received"), 40U);
  EXPECT_THAT(set_up.warnings, Contains(HasSubstr("the station's set-up changed in 20 packets")));
  const Taken lane = changed({"lane", 4, 9, ""});
  EXPECT_THAT(lane.warnings, Contains(HasSubstr("receives lane 9 by its header: expected 0 to 3")));
  EXPECT_THAT(lofar_with([](std::vector<std::byte>&) {}).warnings, IsEmpty());
}

/// 40 packets of heaps; `change` is called with the items of those from the 20th on.
template <class Change>
Taken spead_with(Change change, SpeadFormat format = test::peer_spead()) {
  SpeadSynthesis stream({.format = format, .second = test::first_second_sent});
  Packets packets = some_packets(stream, 40);
  for (std::size_t i = 20; i < packets.size(); ++i) {
    std::vector<SpeadPointer> items;
    const std::size_t count = read_spead_word(packets[i]) & 0xFFFF;
    for (std::size_t item = 1; item <= count; ++item)
      items.push_back(
          decode_pointer(read_spead_word(std::span(packets[i]).subspan(item * spead_word)), format.flavour));
    const std::vector<std::byte> payload(
        packets[i].begin() + static_cast<std::ptrdiff_t>((1 + count) * spead_word), packets[i].end());
    change(items);
    encode_spead(format.flavour, items, payload, packets[i]);
  }
  return take(spead_packets(test::peer_spead(), {.window = 8}, 0), packets);
}

SpeadPointer immediate(SpeadItem item, std::uint64_t value) {
  return {.is_immediate = true, .id = static_cast<std::uint32_t>(item), .value = value};
}

TEST(SpeadFields, that_are_unused_are_counted_and_reported) {
  EXPECT_THAT(spead_with([](auto&) {}).warnings, IsEmpty());
  const Taken others = spead_with([](std::vector<SpeadPointer>& items) {
    items.push_back({.is_immediate = true, .id = 0x1700, .value = 5});
    items.push_back({.is_immediate = false, .id = 0x1701, .value = 0});
    items.push_back({.is_immediate = true, .id = 0, .value = 0});
  });
  EXPECT_EQ(others.count("packets_received"), 40U);
  EXPECT_EQ(others.count("items_unused"), 40U);
  EXPECT_THAT(others.warnings, Contains(HasSubstr("unused items in heaps: 5888")));
  const Taken controls = spead_with(
      [](std::vector<SpeadPointer>& items) { items.push_back(immediate(SpeadItem::stream_control, 0)); });
  EXPECT_EQ(controls.count("other_controls"), 20U);
  EXPECT_EQ(controls.count("end_marks"), 0U);
  const Taken ends = spead_with([](std::vector<SpeadPointer>& items) {
    items.push_back(immediate(SpeadItem::stream_control, spead_stop));
  });
  EXPECT_EQ(ends.count("end_marks"), 20U);
}

TEST(SpeadFields, of_the_wrong_mode_are_reported) {
  // Heaps have four packets; the first one contains time and samples.
  const Taken time = spead_with([](std::vector<SpeadPointer>& items) {
    for (SpeadPointer& item : items)
      if (item.id == test::peer_spead().timestamp) item.is_immediate = false;
  });
  EXPECT_THAT(time.warnings,
              Contains(HasSubstr("item 5632, the time, is addressed in 5 packets: expected immediate")));
  const Taken samples = spead_with([](std::vector<SpeadPointer>& items) {
    for (SpeadPointer& item : items)
      if (item.id == test::peer_spead().item) item.is_immediate = true;
  });
  EXPECT_THAT(samples.warnings,
              Contains(HasSubstr("item 6144, the samples, is immediate in 5 packets: expected addressed")));
  for (const SpeadItem needed :
       {SpeadItem::heap_counter, SpeadItem::payload_offset, SpeadItem::payload_length}) {
    const Taken addressed = spead_with([&](std::vector<SpeadPointer>& items) {
      for (SpeadPointer& item : items)
        if (item.id == static_cast<std::uint32_t>(needed)) item.is_immediate = false;
    });
    EXPECT_EQ(addressed.count("refused_items"), 20U);
  }
}

TEST(SpeadFields, reveal_other_flavours_and_versions) {
  SpeadFormat other = test::peer_spead();
  other.flavour = SpeadFlavour::spead_64_40;
  // Its times do not fit 40 bits.
  other.timestamp = 0;
  SpeadSynthesis stream({.format = other, .second = test::first_second_sent});
  Packets packets = some_packets(stream, 8);
  const PacketFormat format = spead_packets(test::peer_spead(), {.window = 8}, 0);
  const Taken known = take(format, packets);
  EXPECT_EQ(known.count("refused_header"), 8U);
  EXPECT_THAT(known.warnings, Contains(HasSubstr("SPEAD-64-40: expected 64-48: 'flavour: 64-40'")));
  for (std::vector<std::byte>& packet : packets) packet[2] = std::byte{1}, packet[3] = std::byte{7};
  const Taken unknown = take(format, packets);
  EXPECT_EQ(unknown.count("refused_header"), 8U);
  EXPECT_THAT(unknown.warnings,
              Contains(HasSubstr("SPEAD-64-56, which is not supported: expected 64-40 or 64-48")));
  for (std::vector<std::byte>& packet : packets) packet[1] = std::byte{5};
  EXPECT_EQ(take(format, packets).count("refused_header"), 8U);
  for (const char* field : {"magic", "version", "widths", "reserved", "other items", "6 (stream control)"})
    EXPECT_NE(spead_fields().find(field), nullptr) << field;
}

TEST(GnuradioFields, of_another_header_type_name_the_key_to_change) {
  GnuradioUdpFormat format = test::peer_gnuradio();
  const auto note_of = [&](std::size_t bytes, bool expects_number) {
    format.has_sequence = expects_number;
    const Taken taken =
        take(gnuradio_packets(format, {.window = 8}, 0), Packets(5, std::vector<std::byte>(bytes)));
    EXPECT_EQ(taken.count("refused_size"), 5U);
    EXPECT_EQ(taken.warnings.size(), 1U);
    return taken.warnings.empty() ? std::string() : taken.warnings.front();
  };
  EXPECT_THAT(note_of(128, true),
              AllOf(HasSubstr("have 128 bytes: expected 136"), HasSubstr("header: none")));
  EXPECT_THAT(note_of(136, false),
              AllOf(HasSubstr("have 136 bytes: expected 128"), HasSubstr("header: sequence")));
  EXPECT_THAT(note_of(138, true), HasSubstr("header type 2"));
  EXPECT_THAT(note_of(500, true), HasSubstr("see 'payload' and 'header'"));
  EXPECT_EQ(gnuradio_fields().find("size")->use, KeywordUse::refused);
}

}  // namespace packets_packet_fields_test
}  // namespace takt::sensors
