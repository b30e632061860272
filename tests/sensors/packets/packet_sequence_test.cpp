/// Tests that several recordings of packets are read as one, in time order.

#include "sensors/packets/packet_sequence.hpp"

#include <array>
#include <map>

#include <gmock/gmock.h>

namespace takt::sensors {
namespace packets_packet_sequence_test {

using testing::ElementsAre;

/// Packets of one byte, their time in seconds.
class TimeCodec final : public PacketCodec {
 public:
  [[nodiscard]] double packets_per_second() const override { return 1; }
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override {
    if (packet.empty() || packet[0] == std::byte{0}) return {};
    return std::to_integer<std::int64_t>(packet[0]) * 1'000'000'000;
  }
  [[nodiscard]] std::span<const std::string_view> causes() const override { return {}; }
  std::size_t damage(std::vector<std::byte>&, std::uint64_t) const override { return 0; }
};

class TimeStream final : public PacketStream {
 public:
  TimeStream(std::string packets, std::size_t& open) : packets_(std::move(packets)), open_(open) { ++open_; }
  ~TimeStream() override { --open_; }
  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override {
    if (next_ == packets_.size()) return {};
    return LanePacket{0, std::as_bytes(std::span(packets_)).subspan(next_++, 1)};
  }
  [[nodiscard]] std::vector<Counter> counters() const override { return {{"packets", "packets", next_}}; }
  [[nodiscard]] std::vector<std::string> warnings() const override { return {"of " + packets_.substr(0, 1)}; }

 private:
  TimeCodec codec_;
  std::string packets_;
  std::size_t next_ = 0;
  std::size_t& open_;
};

TEST(PacketSequence, recordings_follow_each_other_by_their_first_packets_and_are_counted_together) {
  const std::map<std::string, std::string> files{
      {"late", "xyz"}, {"early", "ab"}, {"untimed", std::string(1, '\0')}, {"empty", ""}};
  std::size_t open = 0, most_open = 0;
  const auto open_file = [&](const std::filesystem::path& file) {
    auto stream = std::make_unique<TimeStream>(files.at(file.string()), open);
    most_open = std::max(most_open, open);
    return stream;
  };
  // The one without a time stays after its predecessor in the list.
  PacketSequence sequence({"late", "untimed", "early", "empty"}, open_file);
  std::string read;
  while (const std::optional<LanePacket> packet = sequence.next())
    read += std::to_integer<char>(packet->bytes[0]);
  EXPECT_EQ(read, std::string("abxyz") + '\0');
  ASSERT_EQ(sequence.counters().size(), 1U);
  EXPECT_EQ(sequence.counters()[0].value, 6U);
  EXPECT_EQ(sequence.warnings().size(), 4U);
  EXPECT_LE(most_open, 2U) << "the first one, whose codec is used, and the one being read";
  EXPECT_EQ(sequence.codec().packets_per_second(), 1);
}

TEST(PacketSequence, one_recording_is_read_directly) {
  std::size_t open = 0;
  const auto stream = open_packets(
      {"a"}, [&](const std::filesystem::path&) { return std::make_unique<TimeStream>("pq", open); });
  EXPECT_EQ(open, 1U);
  EXPECT_EQ(std::to_integer<char>(stream->next()->bytes[0]), 'p');
}

}  // namespace packets_packet_sequence_test
}  // namespace takt::sensors
