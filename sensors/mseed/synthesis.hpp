#pragma once
/// miniSEED 2 records for senders: synthetic, or from files.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sensors/mseed/record_writer.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/packets/packet_stream.hpp"
#include "sensors/synthetic/made_signal.hpp"

namespace takt::sensors {

/// The record length of SeedLink 3.
inline constexpr std::size_t seedlink_record_bytes = 512;

/// Returns the channel from a version 2 header, `NET.STA.LOC.CHA`; empty if the record is too short.
[[nodiscard]] std::string channel_in_header(std::span<const std::byte> record);

class MseedCodec final : public PacketCodec {
 public:
  /// Records per second of a channel.
  explicit MseedCodec(double records_per_second) : records_per_second_(records_per_second) {}

  [[nodiscard]] double packets_per_second() const override { return records_per_second_; }
  [[nodiscard]] std::optional<std::int64_t> utc_of(std::span<const std::byte> packet) const override;
  [[nodiscard]] std::span<const std::string_view> causes() const override;
  /// Sets an invalid quality: station and channel stay readable.
  std::size_t damage(std::vector<std::byte>& packet, std::uint64_t choice) const override;
  /// Shifts by whole tenths of milliseconds. Returns false if the header has no time.
  bool shift(std::span<std::byte> packet, std::int64_t packets) const override;

 private:
  double records_per_second_;
};

struct MseedSynthesisOptions {
  /// `NET.STA.LOC.CHA`, a lane each.
  std::vector<std::string> channels{"XX.TAKT.00.HHZ"};
  double rate_hz = 100;
  MadeSignal signal{.noise = 100};
  double tone_hz = 0;
  /// Unix second of the first sample.
  std::int64_t second = 0;
};

/// Steim-2 records of 512 bytes and 100 samples, alternating between the channels, without end.
class MseedSynthesis final : public PacketStream {
 public:
  /// Samples per record: the number that Steim-2 fits into 512 bytes for any values.
  static constexpr std::size_t samples_per_record = 100;

  /// Throws OptionError and ConfigError.
  explicit MseedSynthesis(MseedSynthesisOptions options);

  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  const MseedSynthesisOptions options_;
  const MseedCodec codec_;
  const SampledSignal signal_;
  std::vector<RecordWriter> writers_;
  std::vector<float> numbers_;
  std::vector<std::byte> record_;
  std::uint64_t number_ = 0;
};

/// Records of files in time order; lanes are channels in alphabetical order.
class MseedRecording final : public PacketStream {
 public:
  /// Throws ConfigError, also for a record that is not of version 2 or not of 512 bytes.
  MseedRecording(const std::vector<std::filesystem::path>& files, const std::vector<std::string>& channels);

  [[nodiscard]] const std::vector<std::string>& channels() const { return index_.channels; }
  [[nodiscard]] const PacketCodec& codec() const override { return codec_; }
  [[nodiscard]] std::optional<LanePacket> next() override;

 private:
  const RecordIndex index_;
  const MseedCodec codec_;
  std::vector<std::ifstream> files_;
  std::vector<std::byte> record_;
  std::size_t number_ = 0;
};

}  // namespace takt::sensors
