#pragma once
/// Several packet recordings as one stream.

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

/// Reads recordings in the order of their first packets' times; one without a time follows its predecessor
/// in the list. The assembler detects gaps and overlaps by the packets' times. One recording is open at a
/// time.
class PacketSequence final : public PacketStream {
 public:
  using Open = std::function<std::unique_ptr<PacketStream>(const std::filesystem::path& file)>;

  /// Opens each file once to read its first packet. Throws the errors of `open` and PacketStream::next.
  PacketSequence(std::vector<std::filesystem::path> files, Open open);

  [[nodiscard]] const PacketCodec& codec() const override { return first_->codec(); }
  [[nodiscard]] std::optional<LanePacket> next() override;
  [[nodiscard]] const std::filesystem::path& file() const override { return current_->file(); }
  /// Sums over all recordings: counters of equal names are added.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  void close();

  const Open open_;
  /// In reading order.
  std::vector<std::filesystem::path> files_;
  std::size_t next_ = 0;
  /// The first recording, whose codec serves all of them, and the current one.
  std::unique_ptr<PacketStream> first_, current_;
  /// Guards `current_`, which other threads query, and the counters of finished recordings.
  mutable std::mutex mutex_;
  std::vector<Counter> counters_;
  std::vector<std::string> warnings_;
};

/// Returns `a.vdif`, or `a.vdif and 2 other files`, for messages.
[[nodiscard]] std::string name_of_files(const std::vector<std::filesystem::path>& files);

/// Opens the recording of one file, or the sequence of several.
[[nodiscard]] std::unique_ptr<PacketStream> open_packets(const std::vector<std::filesystem::path>& files,
                                                         const PacketSequence::Open& open);

}  // namespace takt::sensors
