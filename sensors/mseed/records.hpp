#pragma once
/// miniSEED 2 records, by way of libmseed.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/saved_state.hpp"

namespace takt::sensors {

/// A piece of a channel's trace.
struct TraceRecord {
  /// `NET.STA.LOC.CHA`; the location may be empty.
  std::string channel;
  /// Of the first sample, with the record's time correction: nanoseconds since 1970.
  std::int64_t start_ns = 0;
  double rate_hz = 0;
  /// As floats: of integers 24 bits are kept.
  std::vector<float> samples;
};

/// Nothing where the bytes are no record, or are damaged. Without `with_samples` the header alone is looked
/// at, and `samples` has the right size.
[[nodiscard]] std::optional<TraceRecord> decode_record(std::span<const std::byte> bytes,
                                                       bool with_samples = true);

/// Where a record lies in a file.
struct RecordPlace {
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  std::int64_t start_ns = 0;
  /// Index in RecordIndex::channels.
  std::size_t channel = 0;
  std::size_t samples = 0;
};

struct RecordIndex {
  std::vector<std::filesystem::path> files;
  /// In alphabetical order.
  std::vector<std::string> channels;
  /// In order of time.
  std::vector<RecordPlace> records;
  /// Of all channels.
  double rate_hz = 0;
  /// What belongs to no record.
  std::uint64_t bytes_left_over = 0;
};

/// The records of these channels (none: of all) in the files. Throws ConfigError when a file cannot be read
/// or holds no record, when a channel is in none of them, or when sample rates differ.
[[nodiscard]] RecordIndex index_records(const std::vector<std::filesystem::path>& files,
                                        const std::vector<std::string>& channels);

enum class TraceEncoding : std::uint8_t { steim2, int32, float32 };

/// Makes records of 512 bytes of one channel's samples, piece by piece.
class RecordWriter {
 public:
  /// Throws ConfigError when the name is not NET.STA.LOC.CHA with lengths that fit (2, 5, 2, 3).
  RecordWriter(const std::string& channel, double rate_hz, TraceEncoding encoding);
  ~RecordWriter();
  RecordWriter(RecordWriter&&) noexcept;

  /// Samples that follow those put before, the first one taken at this moment where none are held. Appends
  /// the records that are full.
  void put(std::int64_t start_ns, std::span<const float> samples, std::vector<std::byte>& records);
  /// The samples held and their time, for another writer of the channel that goes on.
  void save(StateWriter& state) const;
  void load(StateReader& state);
  /// Appends what is held, in a record that is not full.
  void flush(std::vector<std::byte>& records);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
