#pragma once
/// The pieces of a recording in reading order, as parts without a jump.

#include <cstdint>
#include <memory>
#include <vector>

#include "sensors/files/sample_layout.hpp"

namespace takt::sensors {

/// Rows of a piece without a jump in position or time: the piece, or one of its layout's runs.
struct SamplePart {
  const SamplePiece* piece = nullptr;
  /// Its time on the TAI scale.
  SampleRun run;
  /// Whether the first row follows the previous one regardless of the piece's time.
  bool follows = false;
  bool is_last_of_piece = true;
};

/// Throws ConfigError with both names if the layouts of two pieces differ.
void check_alike(const SamplePiece& first, const SamplePiece& other);

/// Sorts by time; a piece without a time stays after its predecessor.
[[nodiscard]] std::vector<SamplePiece> ordered(std::vector<SamplePiece> pieces);

/// Returns the parts of the pieces, which it borrows.
[[nodiscard]] std::vector<SamplePart> parts_of(const std::vector<SamplePiece>& pieces);

/// Opens a part's rows: by its layout's `open`, or contiguous in the file. Throws ConfigError if the file is
/// not readable.
[[nodiscard]] std::unique_ptr<RowReader> open_rows(const SamplePart& part);

/// Returns the UTC from which the header of a part counts elapsed time; 0: no time.
[[nodiscard]] std::int64_t counted_from(const SamplePart& part);

/// Reports whether the table of leap seconds covers the time from `from_ns` to `utc_ns`, or there is no time.
[[nodiscard]] bool is_certain(std::int64_t from_ns, std::int64_t utc_ns);

/// Returns the UTC `since_ns` after `begin_ns` on the TAI scale. If `begin_ns` is 0 (no time), returns
/// `since_ns`.
[[nodiscard]] std::int64_t utc_scale(std::int64_t begin_ns, std::int64_t since_ns);

}  // namespace takt::sensors
