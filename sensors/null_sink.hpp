#pragma once
/// A sink that discards frames, for measurements.

#include "core/saved_state.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

class NullSink final : public Sink {
 public:
  void open() override {}
  void write(const FrameView&) override {}
  void close() override {}
  [[nodiscard]] bool may_be_shared() const override { return true; }
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override { return saved(); }
  [[nodiscard]] std::string location() const override { return {}; }
};

}  // namespace takt::sensors
