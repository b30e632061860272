#pragma once
/// miniSEED records, version 2 by way of libmseed, version 3 by version3.hpp.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensors/mseed/trace_record.hpp"

namespace takt::sensors {

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
  double rate_hz = 0;
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
  /// Records left out because their channel had another sample rate before.
  std::uint64_t other_rate = 0;
};

/// The records of these channels (none: of all) in the files. A channel has the rate of its first record;
/// records of its other rates are left out and counted. Throws ConfigError when a file cannot be read or
/// holds no record, when a channel is in none of them, when there is no record with samples, or when the
/// rates of channels differ.
[[nodiscard]] RecordIndex index_records(const std::vector<std::filesystem::path>& files,
                                        const std::vector<std::string>& channels);

}  // namespace takt::sensors
