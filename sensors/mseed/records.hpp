#pragma once
/// miniSEED records, version 2 by version2.hpp and libmseed, version 3 by version3.hpp.

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
  std::uint8_t publication = 0;
  /// Whether a leap second lies within the record, by its flags or by the next record's time.
  bool has_leap_second = false;
  /// Samples that records of a higher publication replace, as pairs of first and one behind the last.
  std::vector<std::pair<std::size_t, std::size_t>> superseded = {};
};

struct RecordIndex {
  std::vector<std::filesystem::path> files;
  /// In alphabetical order, or as they were named.
  std::vector<std::string> channels;
  /// In order of time.
  std::vector<RecordPlace> records;
  /// Of all channels.
  double rate_hz = 0;
  /// What belongs to no record.
  std::uint64_t bytes_left_over = 0;
  /// Records whose samples are encoded in a way that takt does not decode.
  std::uint64_t unknown_encoding_records = 0;
  /// Records without samples (logs), and those of the channels that have another sample rate.
  std::uint64_t log_records = 0, other_rate_records = 0;
  /// Samples of which a higher publication has another version.
  std::uint64_t superseded_samples = 0;
  /// Compressed files that ended too early, channels of several rates: a sentence each.
  std::vector<std::string> warnings;
};

/// Which records are wanted.
struct RecordChoice {
  /// `NET.STA.LOC.CHA`, with `--` for an empty location, and `?` and `*`, which stand for one and any number
  /// of letters: all channels that match, in alphabetical order. None: all channels.
  std::vector<std::string> channels;
  /// Samples a second; 0: the rate of the first record of every channel.
  double rate_hz = 0;
};

/// `NL.HGN..BHZ` of `NL.HGN.--.BHZ`.
[[nodiscard]] std::string plain_channel(const std::string& channel);

/// The records of these channels in the files. Of records of the same samples those of the highest
/// publication version (version 3) or quality (version 2: M, Q, D, R) are used. Throws ConfigError when a
/// file cannot be read or holds no record, when all records are logs, when a channel is in none of them, or
/// when the channels' sample rates differ.
[[nodiscard]] RecordIndex index_records(const std::vector<std::filesystem::path>& files,
                                        const RecordChoice& choice);

}  // namespace takt::sensors
