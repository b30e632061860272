#pragma once
/// miniSEED records: version 2 by version2.hpp and libmseed, version 3 by version3.hpp.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sensors/mseed/trace_record.hpp"

namespace takt::sensors {

/// Returns nothing if the bytes are no record, or a damaged one. Without `with_samples` only the header is
/// decoded, and `samples` has the right size.
[[nodiscard]] std::optional<TraceRecord> decode_record(std::span<const std::byte> bytes,
                                                       bool with_samples = true);

/// The position of a record in a file.
struct RecordPlace {
  std::size_t file = 0;
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
  std::int64_t start_ns = 0;
  /// Index in RecordIndex::channels.
  std::size_t channel = 0;
  std::size_t samples = 0;
  std::uint8_t publication = 0;
  /// Whether a leap second lies within the record, by its flags or by the next record's time.
  bool has_leap_second = false;
  /// Samples superseded by records of a higher publication, as pairs of the first one and one after the last.
  std::vector<std::pair<std::size_t, std::size_t>> superseded = {};
};

struct RecordIndex {
  std::vector<std::filesystem::path> files;
  /// In alphabetical order, or in the order of the request.
  std::vector<std::string> channels;
  /// In time order.
  std::vector<RecordPlace> records;
  /// Common rate of all channels.
  double rate_hz = 0;
  /// Bytes outside records.
  std::uint64_t bytes_left_over = 0;
  /// Records with a sample encoding that takt does not support.
  std::uint64_t unknown_encoding_records = 0;
  /// Records without samples (logs), and those of the channels that have another sample rate.
  std::uint64_t log_records = 0, other_rate_records = 0;
  /// Samples superseded by a higher publication.
  std::uint64_t superseded_samples = 0;
  /// Warnings about truncated compressed files and channels of several rates, one sentence each.
  std::vector<std::string> warnings;
};

/// The selection of records.
struct RecordChoice {
  /// `NET.STA.LOC.CHA`, with `--` for an empty location, and the wildcards `?` and `*`: all channels that
  /// match, in alphabetical order. Empty: all channels.
  std::vector<std::string> channels;
  /// Samples per second; 0: the rate of the first record of every channel.
  double rate_hz = 0;
};

/// Returns `NL.HGN..BHZ` for `NL.HGN.--.BHZ`.
[[nodiscard]] std::string plain_channel(const std::string& channel);

/// Returns the selected records of the files. Among records of the same samples, the highest publication
/// version (version 3) or quality (version 2: M, Q, D, R) is used. Throws ConfigError if a file is not
/// readable or holds no record, or all records are logs. Also throws if a channel is in none of them, or the
/// channels' sample rates differ.
[[nodiscard]] RecordIndex index_records(const std::vector<std::filesystem::path>& files,
                                        const RecordChoice& choice);

}  // namespace takt::sensors
