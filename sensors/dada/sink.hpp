#pragma once
/// A PSRDADA file: 4096 bytes of header, then samples.

#include <memory>
#include <string>

#include "sensors/missing_values.hpp"
#include "sensors/output_series.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct DadaOptions {
  OutputOptions output;
  std::string source_name = "takt";
  std::string telescope = "unset";
  std::string instrument = "takt";
  /// The mask is a file with `.mask` behind its name beside each file: one byte for each sample, in its
  /// order, without a header.
  MissingPolicy missing;
};

/// Takes `complex_float32[beamlet][time][polarisation]` (NDIM 2) and `float32[time][channel]` (NDIM 1) of
/// known rate, with evenly spaced frequencies or none, and writes 32-bit floats in the order time, channel,
/// polarisation.
///
/// Frames that are missing in the sequence, and values that are missing (NaN in frames whose header tells of
/// missing parts), are zeros, or what the options say, and counted. A new epoch begins a new file. UTC_START
/// is a whole second, PICOSECONDS what is beyond it.
class DadaSink final : public Sink {
 public:
  /// Throws ConfigError when frames of this type cannot be in such a file, with the reason.
  DadaSink(DadaOptions options, const FrameType& type);
  ~DadaSink() override;

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void note(const std::string& line) override;
  void begin_file() override;
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void keep_book(const OutputBook& book) override;
  [[nodiscard]] std::string location() const override;
  /// Frames written and filled in, values missing, files.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
