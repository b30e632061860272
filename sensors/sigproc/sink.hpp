#pragma once
/// A SIGPROC filterbank file (.fil), as PRESTO, sigproc, your and others read it.

#include <cstdint>
#include <memory>
#include <string>

#include "sensors/missing_values.hpp"
#include "sensors/output_series.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct SigprocOptions {
  OutputOptions output;
  /// The mask is a file with `.mask` behind its name beside each file: one byte for each value, in its order.
  MissingPolicy missing;
  /// Of each value of uint8: 8, 4, 2 or 1, the first of a byte in its lowest bits; larger values are the
  /// largest that fits. Of float32: 32, or 16, the nearest integer from 0 to 65535. 0: as the elements are.
  int bits = 0;
  std::string source_name = "takt";
  /// Numbers of SIGPROC's lists; 0 is `fake`.
  int telescope_id = 0;
  int machine_id = 0;
};

/// Takes frames `[time][stokes][channel]` of float32 (32 bits a value, or rounded to 16) or uint8 (8 bits, or
/// fewer). `time` and `stokes` may be left out; the last axis is `channel` or `beamlet` and has evenly spaced
/// coordinates in Hz.
///
/// Channels are written from the highest frequency to the lowest (foff < 0), as most programs expect them.
/// From the first frame on the file has a complete header, and it holds whole frames always. Frames that are
/// missing in the sequence are filled and counted, so that sample n stays at tstart + n tsamp; a new epoch
/// begins a new file, with its own tstart. Missing are whole frames, values that are NaN in frames whose
/// header tells of missing parts, and integers whose part is flagged.
class SigprocSink final : public Sink {
 public:
  /// Throws ConfigError when frames of this type cannot be in such a file, with the reason.
  SigprocSink(SigprocOptions options, const FrameType& type);
  ~SigprocSink() override;

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void note(const std::string& line) override;
  void begin_file() override;
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void keep_book(const OutputBook& book) override;
  [[nodiscard]] std::string location() const override;
  /// Frames written and frames filled in; files.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
