#pragma once
/// A captured stream of packets of any format.

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
  /// To which the stream was sent: one a lane.
  std::vector<std::uint16_t> ports;
};

/// Throws OptionError.
void validate(const PcapOptions& options);

/// Packets in the order of the capture, as a receiver on these ports would have got them. Datagrams that the
/// capturing host had coalesced are split (PacketCodec::coalesced); cut ones are refused; those to other
/// ports are passed over. Each is counted.
class PcapRecording final : public PacketStream {
 public:
  /// `codec` is the format's. Throws OptionError, and ConfigError as CaptureFile.
  PcapRecording(const PcapOptions& options, std::unique_ptr<const PacketCodec> codec);

  [[nodiscard]] const PacketCodec& codec() const override { return *codec_; }
  /// Throws WorkError where the capture is damaged, and at its end when nothing was sent to these
  /// ports, with the ports that something was sent to.
  [[nodiscard]] std::optional<LanePacket> next() override;
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
  /// Of the datagram that was read last: packets that were not handed over, and their length.
  LanePacket rest_;
  std::size_t piece_bytes_ = 0;
  bool has_rest_ = false;
  /// Length of the packet before, of each lane.
  std::vector<std::size_t> usual_;
  Tally other_ports_, cut_, first_cut_has_, first_cut_needs_, coalesced_, split_, split_bytes_;
};

}  // namespace takt::sensors
