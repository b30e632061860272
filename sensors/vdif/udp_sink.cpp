#include "sensors/vdif/udp_sink.hpp"

#include <algorithm>
#include <cstring>

namespace takt::sensors {

VdifUdpSink::VdifUdpSink(const VdifUdpSinkOptions& options, const FrameType& type)
    : options_(options), packetizer_(options.packets, type) {}

void VdifUdpSink::open() {
  sender_.emplace(std::vector{options_.to});
}

void VdifUdpSink::write(const FrameView& frame) {
  std::span<const std::byte> packets = packetizer_.packets_of(frame);
  const std::size_t prefix = options_.has_sequence ? sizeof number_ : 0;
  packet_.resize(prefix + packetizer_.packet_bytes());
  for (; !packets.empty(); packets = packets.subspan(packetizer_.packet_bytes())) {
    std::memcpy(packet_.data(), &number_, prefix);
    std::ranges::copy(packets.first(packetizer_.packet_bytes()), packet_.data() + prefix);
    sender_->put({0, packet_});
    ++number_;
  }
  sender_->flush();
}

std::optional<std::vector<std::byte>> VdifUdpSink::save() const {
  StateWriter state;
  packetizer_.save(state);
  return state.add(number_).take();
}

void VdifUdpSink::resume(std::span<const std::byte> state) {
  StateReader reader(state);
  packetizer_.load(reader);
  reader.get(number_).end();
  open();
}

std::string VdifUdpSink::location() const {
  return "udp://" + options_.to.to_string();
}

std::vector<Counter> VdifUdpSink::counters() const {
  return {{"datagrams_sent", "datagrams", sender_ ? sender_->datagrams() : 0},
          {"vdif_frames_invalid", "frames", packetizer_.invalid().value()},
          {"time_rounded_by", "ns", packetizer_.largest_shift().value()}};
}

}  // namespace takt::sensors
