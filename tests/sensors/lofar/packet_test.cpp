/// Tests the decoding of LOFAR packets, their verdicts, and their exact times.

#include "sensors/lofar/packet.hpp"

#include <array>
#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

using test::make_packet;

/// 3 beamlets, so that no size is a square or a power of two by chance.
LofarFormat format_of_test() {
  LofarFormat format;
  format.beamlets = 3;
  format.station = 214;
  return format;
}

LofarVerdict verdict_of(const test::Bytes& packet, const LofarFormat& format = format_of_test()) {
  LofarHeader header;
  return judge(packet, format, header);
}

test::Bytes good_packet(std::uint64_t block = 323528554687526) {
  return make_packet(format_of_test(), 0, block, test::Bytes(192, std::byte{7}));
}

TEST(LofarPacket, a_header_is_decoded_from_its_bytes) {
  // Written by hand from the layout: version 3; flags 0x0182 = RSP board 2, clock 200 MHz, bit mode 1 (8
  // bits); configuration 9; station field 214 * 32 + 3 = 0x1AC3; 122 beamlets; 16 samples; second 1656466200
  // = 0x62BBAB18; sequence 26.
  constexpr std::array<unsigned char, 16> raw{3,    0x82, 0x01, 9,    0xC3, 0x1A, 122, 16,
                                              0x18, 0xAB, 0xBB, 0x62, 26,   0,    0,   0};
  const LofarHeader header = decode_header(std::as_bytes(std::span(raw)));
  EXPECT_EQ(header.version, 3);
  EXPECT_EQ(header.rsp_board, 2);
  EXPECT_FALSE(header.payload_error);
  EXPECT_EQ(header.clock_hz, 200'000'000);
  EXPECT_EQ(header.bits, 8);
  EXPECT_EQ(header.reserved, 0);
  EXPECT_EQ(header.configuration, 9);
  EXPECT_EQ(header.station, 214);
  EXPECT_EQ(header.lane, 3);
  EXPECT_EQ(header.beamlets, 122);
  EXPECT_EQ(header.samples, 16);
  EXPECT_EQ(header.second, 1656466200u);
  EXPECT_EQ(header.sequence, 26u);

  std::array<std::byte, lofar_header_bytes> written{};
  encode_header(header, written);
  EXPECT_EQ(std::memcmp(written.data(), raw.data(), raw.size()), 0);
}

TEST(LofarPacket, each_cause_of_refusal_is_distinguished) {
  ASSERT_EQ(verdict_of(good_packet()), LofarVerdict::good);
  const auto with_byte = [](std::size_t offset, unsigned value) {
    test::Bytes packet = good_packet();
    packet[offset] = static_cast<std::byte>(value);
    return packet;
  };
  EXPECT_EQ(verdict_of(with_byte(0, 2)), LofarVerdict::version);
  EXPECT_EQ(verdict_of(with_byte(2, 0x05)), LofarVerdict::version) << "a reserved bit";
  EXPECT_EQ(verdict_of(with_byte(1, 0xC0)), LofarVerdict::error_bit);
  EXPECT_EQ(verdict_of(with_byte(1, 0x00)), LofarVerdict::clock);
  EXPECT_EQ(verdict_of(with_byte(2, 0x00)), LofarVerdict::bit_mode);
  EXPECT_EQ(verdict_of(with_byte(2, 0x03)), LofarVerdict::bit_mode) << "the mode that does not exist";
  EXPECT_EQ(verdict_of(with_byte(6, 4)), LofarVerdict::size);
  EXPECT_EQ(verdict_of(with_byte(7, 15)), LofarVerdict::size);
  EXPECT_EQ(verdict_of(with_byte(4, 0)), LofarVerdict::station);
  EXPECT_EQ(verdict_of(with_byte(14, 0x10)), LofarVerdict::sequence);

  test::Bytes no_time = good_packet();
  std::fill_n(no_time.begin() + 8, 4, std::byte{0xFF});
  EXPECT_EQ(verdict_of(no_time), LofarVerdict::second);

  test::Bytes longer = good_packet();
  longer.push_back(std::byte{0});
  EXPECT_EQ(verdict_of(longer), LofarVerdict::size);
}

TEST(LofarPacket, a_packet_cut_anywhere_is_refused_for_its_size) {
  const test::Bytes packet = good_packet();
  for (std::size_t size = 0; size < packet.size(); ++size)
    EXPECT_EQ(verdict_of(test::Bytes(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size))),
              LofarVerdict::size);
}

TEST(LofarPacket, any_station_is_accepted_by_default) {
  LofarFormat format = format_of_test();
  format.station = std::nullopt;
  EXPECT_EQ(verdict_of(good_packet(), format), LofarVerdict::good);
}

TEST(LofarPacket, random_bytes_are_refused) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 20'000; ++round) {
    test::Bytes packet(random() % 2 == 0 ? 16 + 192 : random() % 400);
    for (std::byte& byte : packet) byte = static_cast<std::byte>(random());
    // Version, flags and shape are valid by chance with 2^-8 * 2^-13 * 2^-16 and less.
    EXPECT_NE(verdict_of(packet), LofarVerdict::good);
  }
}

TEST(LofarPacket, absolute_blocks_follow_the_clock_in_integers) {
  // Second 1 at 200 MHz holds clocks from 200,000,000; divided by 1024 that is 195312.5, rounded up.
  EXPECT_EQ(absolute_block(0, 0, 200'000'000), 0u);
  EXPECT_EQ(absolute_block(1, 0, 200'000'000), 195'313u);
  EXPECT_EQ(absolute_block(2, 0, 200'000'000), 390'625u);
  EXPECT_EQ(absolute_block(1, 0, 160'000'000), 156'250u);
  // 1656466200 * 195312.5 + 26.
  EXPECT_EQ(absolute_block(1656466200, 26, 200'000'000), 323528554687526u);
}

TEST(LofarPacket, block_time_is_the_inverse_of_absolute_block) {
  for (const std::int64_t clock : {200'000'000, 160'000'000})
    for (std::uint64_t second = 1656466199; second < 1656466203; ++second) {
      const std::uint64_t boundary = absolute_block(static_cast<std::uint32_t>(second), 0, clock);
      for (std::uint64_t block = boundary - 20; block < boundary + 20; ++block) {
        const BlockTime time = block_time(block, clock);
        EXPECT_EQ(absolute_block(time.second, time.sequence, clock), block);
        EXPECT_EQ(time.second, block < boundary ? second - 1 : second);
      }
    }
}

TEST(LofarPacket, packets_stay_sixteen_blocks_apart_across_a_second) {
  // Hand-derived: an even second at 200 MHz has 195,313 blocks (0 to 195312). From 195306 the next packet
  // begins at 195322, that is 9 blocks into the odd second.
  const std::uint64_t block = absolute_block(1656466200, 195'306, 200'000'000);
  EXPECT_EQ(block_time(block + 16, 200'000'000), (BlockTime{1656466201, 9}));
}

TEST(LofarPacket, blocks_have_exact_utc) {
  EXPECT_EQ(utc_of_block(195'313, 200'000'000), 1'000'002'560);  // half a block after the second
  EXPECT_EQ(utc_of_block(156'250, 160'000'000), 1'000'000'000);
  EXPECT_EQ(utc_of_block(323528554687526, 200'000'000), 1656466200'000'133'120);  // 26 * 5120 ns
}

TEST(LofarPacket, nibbles_are_widened_with_their_sign_high_one_first) {
  const test::Bytes packed{std::byte{0x7F}, std::byte{0x80}, std::byte{0x19}};
  test::Bytes wide(6);
  widen_nibbles(packed, wide);
  const std::array<std::int8_t, 6> expected{7, -1, -8, 0, 1, -7};
  EXPECT_EQ(std::memcmp(wide.data(), expected.data(), 6), 0);
}

}  // namespace
}  // namespace takt::sensors
