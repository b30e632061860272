#pragma once
/// VDIF files.

#include "sensors/files/output_series.hpp"
#include "sensors/sink.hpp"
#include "sensors/vdif/packetizer.hpp"

namespace takt::sensors {

struct VdifSinkOptions {
  OutputOptions output;
  VdifPacketOptions packets;
};

/// Frames as VdifPacketizer converts them. Missing frames leave a gap in the headers'
/// times.
class VdifSink final : public Sink {
 public:
  /// Throws ConfigError with the reason if frames of this type cannot be in such a file.
  VdifSink(VdifSinkOptions options, const FrameType& type);

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void note(const std::string& line) override;
  void begin_file() override;
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void use_output_book(const OutputBook& book) override;
  [[nodiscard]] std::string location() const override;
  /// Counts the VDIF frames written, those marked as invalid, and the files.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  OutputSeries series_;
  VdifPacketizer packetizer_;
};

}  // namespace takt::sensors
