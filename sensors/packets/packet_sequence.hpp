#pragma once
/// Several recordings of packets as one stream.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sensors/packets/packet_stream.hpp"

namespace takt::sensors {

/// Recordings in the order of the times of their first packets; one without a time follows the one named
/// before it. Gaps and overlaps are the assembler's to count: packets tell their times. One recording is open
/// at a time.
class PacketSequence final : public PacketStream {
 public:
  using Open = std::function<std::unique_ptr<PacketStream>(const std::filesystem::path& file)>;

  /// Opens each file once, to read its first packet. Throws what `open` and PacketStream::next throw.
  PacketSequence(std::vector<std::filesystem::path> files, Open open);

  [[nodiscard]] const PacketCodec& codec() const override { return first_->codec(); }
  [[nodiscard]] std::optional<LanePacket> next() override;
  /// Of all recordings: equal names are added up.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  void close();

  const Open open_;
  /// In the order in which they are read.
  std::vector<std::filesystem::path> files_;
  std::size_t next_ = 0;
  /// The first recording, whose codec is that of all of them, and the one being read.
  std::unique_ptr<PacketStream> first_, current_;
  /// Guards `current_`, of which other threads ask, and what the recordings that ended have said.
  mutable std::mutex mutex_;
  std::vector<Counter> counters_;
  std::vector<std::string> warnings_;
};

/// The recording of one file, or the sequence of several.
[[nodiscard]] std::unique_ptr<PacketStream> open_packets(const std::vector<std::filesystem::path>& files,
                                                         const PacketSequence::Open& open);

}  // namespace takt::sensors
