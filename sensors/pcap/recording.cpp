#include "sensors/pcap/recording.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// Largest number of ports kept for the message: a damaged capture may contain any.
constexpr std::size_t most_other_ports = 16;

}  // namespace

void validate(const PcapOptions& options) {
  if (options.ports.empty())
    throw OptionError("ports", "no port is given: expected the destination ports of the stream");
  for (auto port = options.ports.begin(); port != options.ports.end(); ++port)
    if (*port == 0 || std::find(options.ports.begin(), port, *port) != port)
      throw OptionError("ports",
                        fmt::format("port {} is not valid: expected different ports above 0", *port));
}

PcapRecording::PcapRecording(const PcapOptions& options, std::unique_ptr<const PacketCodec> codec)
    : options_((validate(options), options)),
      codec_(std::move(codec)),
      file_(options.file),
      usual_(options.ports.size()) {}

std::optional<LanePacket> PcapRecording::next() {
  CapturedDatagram datagram;
  while (!has_rest_) {
    if (!file_.next(datagram)) {
      if (any_) return {};
      throw WorkError(nothing_message());
    }
    const auto found = std::ranges::find(options_.ports, datagram.port);
    if (found != options_.ports.end()) {
      any_ = true;
      take(static_cast<std::size_t>(found - options_.ports.begin()), datagram);
      continue;
    }
    other_ports_.add();
    if (others_.size() < most_other_ports || others_.contains(datagram.port)) ++others_[datagram.port];
  }
  return next_piece();
}

/// Finds the packets in a datagram.
void PcapRecording::take(std::size_t lane, const CapturedDatagram& datagram) {
  rest_ = {lane, datagram.bytes, datagram.utc_ns};
  const std::size_t piece = codec_->coalesced(datagram.bytes, usual_[lane]);
  piece_bytes_ = piece > 0 ? piece : datagram.bytes.size();
  if (datagram.bytes.size() < datagram.whole_bytes) {
    if (cut_.value() == 0) {
      first_cut_has_.set(datagram.bytes.size());
      first_cut_needs_.set(datagram.whole_bytes);
    }
    cut_.add();
    // The coalesced packets before the truncation are complete.
    rest_.bytes = rest_.bytes.first(piece > 0 ? rest_.bytes.size() / piece * piece : 0);
    if (rest_.bytes.empty()) return;
  }
  has_rest_ = true;
  if (piece == 0) return;
  coalesced_.add();
  split_.add((rest_.bytes.size() + piece - 1) / piece);
  split_bytes_.set(piece);
}

LanePacket PcapRecording::next_piece() {
  LanePacket packet = rest_;
  packet.bytes = rest_.bytes.first(std::min(piece_bytes_, rest_.bytes.size()));
  rest_.bytes = rest_.bytes.subspan(packet.bytes.size());
  has_rest_ = !rest_.bytes.empty();
  usual_[packet.lane] = piece_bytes_;
  return packet;
}

std::string PcapRecording::nothing_message() const {
  const std::uint64_t packets = file_.counts().records.packets.value();
  std::vector<std::string> others;
  for (const auto& [port, count] : others_) others.push_back(fmt::format("{} ({})", port, count));
  std::string message =
      fmt::format("{}: no datagram was sent to {} {}; {}", file_.path().string(),
                  options_.ports.size() > 1 ? "ports" : "port", fmt::join(options_.ports, ", "),
                  !others.empty() ? fmt::format("there are datagrams to {}", fmt::join(others, ", "))
                  : packets == 0  ? "it has no packets"
                                  : fmt::format("its {} packets are not UDP", packets));
  for (const std::string& warning : warnings()) message += "; " + warning;
  return message;
}

std::vector<Counter> PcapRecording::counters() const {
  std::vector<Counter> counters = file_.counters();
  counters.push_back({"captured_other_ports", "packets", other_ports_.value()});
  counters.push_back({"captured_coalesced", "packets", coalesced_.value()});
  counters.push_back({"captured_split", "datagrams", split_.value()});
  counters.push_back({"refused_cut", "packets", cut_.value() + file_.counts().cut.value()});
  return counters;
}

std::vector<std::string> PcapRecording::warnings() const {
  std::vector<std::string> all = file_.warnings();
  const std::string name = file_.path().filename().string();
  if (const std::uint64_t count = coalesced_.value())
    all.push_back(
        fmt::format("{}: {} captured packets hold several datagrams each, coalesced by the capturing host "
                    "(segmentation offload, GRO): they were split into {}, of {} bytes",
                    name, count, split_.value(), split_bytes_.value()));
  if (const std::uint64_t count = file_.fragments().reassembled.value())
    all.push_back(fmt::format(
        "{}: {} datagrams in {} IP fragments were reassembled; they exceed the packet size of the network",
        name, count, file_.fragments().fragments.value()));
  if (const std::uint64_t count = cut_.value())
    all.push_back(
        fmt::format("{}: {} datagrams are cut by the capture's snapshot length, the first one to {} "
                    "of {} bytes: capture whole packets, 'tcpdump -s 0'",
                    name, count, first_cut_has_.value(), first_cut_needs_.value()));
  if (const std::uint64_t count = file_.counts().cut.value())
    all.push_back(
        fmt::format("{}: {} packets are cut by the capture's snapshot length within their headers, "
                    "or are cut IP fragments: capture whole packets, 'tcpdump -s 0'",
                    name, count));
  return all;
}

}  // namespace takt::sensors
