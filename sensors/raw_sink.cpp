#include "sensors/raw_sink.hpp"

#include <utility>

namespace takt::sensors {

RawSink::RawSink(RawOptions options, const FrameType& type)
    : has_headers_(options.headers),
      frame_bytes_((options.flags ? type.size() : type.data_size()).count),
      series_(std::move(options.output)) {}

void RawSink::open() {
  series_.open();
}

void RawSink::write(const FrameView& frame) {
  const std::span<const std::byte> header =
      has_headers_ ? std::as_bytes(std::span(frame.header, 1)).first(written_header_bytes)
                   : std::span<const std::byte>();
  const std::span<const std::byte> bytes = frame.bytes.first(frame_bytes_);
  (void)series_.turn_to(*frame.header, header.size() + bytes.size());
  series_.append({header, bytes});
}

void RawSink::close() {
  series_.close();
}

void RawSink::begin_file() {
  series_.begin_file();
}

std::string RawSink::location() const {
  return series_.location();
}

std::vector<Counter> RawSink::counters() const {
  return {{"files", "files", series_.files()}};
}

std::vector<std::string> RawSink::warnings() const {
  return series_.warnings();
}

}  // namespace takt::sensors
