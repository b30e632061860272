#pragma once
/// A writer of miniSEED records for samples that arrive piece by piece.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/saved_state.hpp"
#include "sensors/mseed/trace_record.hpp"

namespace takt::sensors {

enum class MseedVersion : std::uint8_t { two = 2, three = 3 };

/// Encodes records of one channel's samples: version 2 with 512 bytes, version 3 with at most 448 bytes of
/// samples, which is equivalent for most channels. Values are rounded to integers; values beyond the
/// encoding's range are clipped and counted. A Steim-2 record ends before a sample that differs from its
/// predecessor by 2^29 or more.
class RecordWriter {
 public:
  /// Throws ConfigError if the name is not NET.STA.LOC.CHA with lengths up to 2, 5, 2 and 3; for version 3 up
  /// to 8 each, the channel as BHZ or, with longer codes, B_H_Z.
  RecordWriter(const std::string& channel, double rate_hz, TraceEncoding encoding,
               MseedVersion version = MseedVersion::two);
  ~RecordWriter();
  RecordWriter(RecordWriter&&) noexcept;

  /// Adds samples that follow the previous ones; the first one has this time if none are held. Appends the
  /// full records and returns their number.
  std::size_t put(std::int64_t start_ns, std::span<const float> samples, std::vector<std::byte>& records);
  /// Appends the held samples in an incomplete record. Returns the number of records.
  std::size_t flush(std::vector<std::byte>& records);
  /// Returns the number of samples beyond the encoding's range.
  [[nodiscard]] std::uint64_t clipped() const;

  /// Saves and loads the held samples and their time, for a writer that continues the channel.
  void save(StateWriter& state) const;
  void load(StateReader& state);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
