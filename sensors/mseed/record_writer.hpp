#pragma once
/// miniSEED records of samples that come piece by piece.

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

/// Makes records of one channel's samples: of version 2 with 512 bytes, of version 3 with no more than 448
/// bytes of samples, which is the same for most channels. Integers are the nearest ones; beyond what the
/// encoding holds they are clipped and counted. A Steim-2 record ends before a sample that differs from the
/// one before it by 2^29 or more.
class RecordWriter {
 public:
  /// Throws ConfigError when the name is not NET.STA.LOC.CHA with lengths that fit: 2, 5, 2 and 3; of version
  /// 3 8 each, the channel as BHZ or, with longer codes, B_H_Z.
  RecordWriter(const std::string& channel, double rate_hz, TraceEncoding encoding,
               MseedVersion version = MseedVersion::two);
  ~RecordWriter();
  RecordWriter(RecordWriter&&) noexcept;

  /// Samples that follow those put before, the first one taken at this moment where none are held. Appends
  /// the records that are full. Returns how many there were.
  std::size_t put(std::int64_t start_ns, std::span<const float> samples, std::vector<std::byte>& records);
  /// Appends what is held, in a record that is not full. Returns how many records there were.
  std::size_t flush(std::vector<std::byte>& records);
  /// Samples that were beyond the encoding's numbers.
  [[nodiscard]] std::uint64_t clipped() const;

  /// The samples held and their time, for another writer of the channel that goes on.
  void save(StateWriter& state) const;
  void load(StateReader& state);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
