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

/// Accepts float32[time][channel] (or [time]) of known rate, and writes the records of
/// RecordWriter. A channel's record ends at missing samples (NaN), at a missing frame, and with an
/// epoch. With rotated files, an incomplete record goes into the next file. Values are rounded to
/// integers.
class MseedSink final : public Sink {
 public:
  /// Throws ConfigError with the reason if frames of this type cannot be in such a file.
  MseedSink(MseedSinkOptions options, const FrameType& type);
  ~MseedSink() override;

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void note(const std::string& line) override;
  void begin_file() override;
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void use_output_book(const OutputBook& book) override;
  [[nodiscard]] std::string location() const override;
  /// Counts records written, samples missing, samples that their encoding cannot hold, and files.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
