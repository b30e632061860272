#pragma once
/// A captured packet stream of any format.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensors/packets/packet_stream.hpp"
#include "sensors/pcap/capture_file.hpp"

namespace takt::sensors {

struct PcapOptions {
  std::filesystem::path file;
  /// Destination ports of the stream: one per lane.
  std::vector<std::uint16_t> ports;
};

/// Throws OptionError.
void validate(const PcapOptions& options);

/// Packets in capture order, as a receiver on these ports would have received them. Datagrams coalesced by
/// the capturing host are split (PacketCodec::coalesced); truncated ones are refused; those to other ports
/// are skipped. All are counted.
class PcapRecording final : public PacketStream {
 public:
  /// `codec` is the format's. Throws OptionError, and ConfigError as CaptureFile.
  PcapRecording(const PcapOptions& options, std::unique_ptr<const PacketCodec> codec);

  [[nodiscard]] const PacketCodec& codec() const override { return *codec_; }
  /// Throws WorkError at the end of a capture without datagrams to these ports; the message lists the ports
  /// that have some.
  [[nodiscard]] std::optional<LanePacket> next() override;
  [[nodiscard]] const std::filesystem::path& file() const override { return file_.path(); }
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  void take(std::size_t lane, const CapturedDatagram& datagram);
  LanePacket next_piece();
  [[nodiscard]] std::string nothing_message() const;

  const PcapOptions options_;
  const std::unique_ptr<const PacketCodec> codec_;
  CaptureFile file_;
  bool any_ = false;
  std::map<std::uint16_t, std::uint64_t> others_;
  /// The last datagram's packets that were not handed over, and their length.
  LanePacket rest_;
  std::size_t piece_bytes_ = 0;
  bool has_rest_ = false;
  /// Length of the previous packet of each lane.
  std::vector<std::size_t> usual_;
  Tally other_ports_, cut_, first_cut_has_, first_cut_needs_, coalesced_, split_, split_bytes_;
};

}  // namespace takt::sensors
