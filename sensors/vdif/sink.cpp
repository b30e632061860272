#include "sensors/vdif/sink.hpp"

#include <utility>

namespace takt::sensors {

VdifSink::VdifSink(VdifSinkOptions options, const FrameType& type)
    : series_(std::move(options.output)), packetizer_(options.packets, type) {}

void VdifSink::open() {
  series_.open();
}
void VdifSink::write(const FrameView& frame) {
  const std::span<const std::byte> packets = packetizer_.packets_of(frame);
  (void)series_.turn_to(*frame.header, packets.size());
  series_.append({packets});
}
void VdifSink::close() {
  series_.close();
}
std::optional<std::vector<std::byte>> VdifSink::save() const {
  StateWriter state;
  series_.save(state);
  packetizer_.save(state);
  return state.take();
}
void VdifSink::resume(std::span<const std::byte> state) {
  StateReader reader(state);
  series_.resume(reader);
  packetizer_.load(reader);
  reader.end();
}
void VdifSink::use_output_book(const OutputBook& book) {
  series_.use_output_book(book);
}
void VdifSink::note(const std::string& line) {
  series_.note(line);
}
void VdifSink::begin_file() {
  series_.begin_file();
}
std::string VdifSink::location() const {
  return series_.location();
}
std::vector<Counter> VdifSink::counters() const {
  return {{"vdif_frames_written", "frames", packetizer_.made().value()},
          {"vdif_frames_invalid", "frames", packetizer_.invalid().value()},
          {"time_rounded_by", "ns", packetizer_.largest_shift().value()},
          {"files", "files", series_.files()}};
}
std::vector<std::string> VdifSink::warnings() const {
  return series_.warnings();
}

}  // namespace takt::sensors
