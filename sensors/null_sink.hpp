#pragma once
/// Throws the frames away, for measurements.

#include "sensors/sink.hpp"

namespace takt::sensors {

class NullSink final : public Sink {
 public:
  void open() override {}
  void write(const FrameView&) override {}
  void close() override {}
  [[nodiscard]] std::string location() const override { return {}; }
};

}  // namespace takt::sensors
