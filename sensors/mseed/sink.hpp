#pragma once
/// miniSEED files.

#include <memory>
#include <string>
#include <vector>

#include "sensors/files/output_series.hpp"
#include "sensors/mseed/record_writer.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct MseedSinkOptions {
  OutputOptions output;
  /// `NET.STA.LOC.CHA` of each channel of a frame.
  std::vector<std::string> channels;
  TraceEncoding encoding = TraceEncoding::steim2;
  MseedVersion version = MseedVersion::two;
};

/// Takes float32[time][channel] (or [time]) of known rate, and writes the records that RecordWriter makes. A
/// channel's record ends where samples are missing (NaN), where a frame is missing, and with an epoch; where
/// files are rotated a record that has begun goes into the next one. Integers are the nearest
/// ones.
class MseedSink final : public Sink {
 public:
  /// Throws ConfigError when frames of this type cannot be in such a file, with the reason.
  MseedSink(MseedSinkOptions options, const FrameType& type);
  ~MseedSink() override;

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void note(const std::string& line) override;
  void begin_file() override;
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void keep_book(const OutputBook& book) override;
  [[nodiscard]] std::string location() const override;
  /// Records written, samples missing, samples that their encoding cannot hold, files.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
