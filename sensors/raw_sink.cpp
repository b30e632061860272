#include "sensors/raw_sink.hpp"

namespace takt::sensors {

RawSink::RawSink(RawOptions options) : options_(std::move(options)) {}

void RawSink::open() {
  file_.open(options_.path);
}

void RawSink::write(const FrameView& frame) {
  if (options_.headers)
    file_.append({std::as_bytes(std::span(frame.header, 1)), frame.bytes});
  else
    file_.append({frame.bytes});
}

void RawSink::close() {
  file_.close();
}

std::string RawSink::location() const {
  return options_.path.string();
}

}  // namespace takt::sensors
