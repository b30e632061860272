#include "sensors/files/sample_parts.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/leap_seconds.hpp"

namespace takt::sensors {

namespace {

/// Describes the frames of a layout for messages.
std::string describe(const SampleLayout& layout) {
  return fmt::format("{} of {} bytes per sample, {} samples/s", layout.type.to_string(), layout.row_bytes,
                     layout.row_hz);
}

/// Returns the axis with other coordinates; empty if there is none.
std::string other_axis(const FrameType& a, const FrameType& b) {
  for (std::size_t i = 0; i < std::min(a.axes.size(), b.axes.size()); ++i)
    if (a.axes[i].coordinates != b.axes[i].coordinates) return a.axes[i].name;
  return {};
}

/// Rates within the rounding error of a header are equal.
constexpr double rate_tolerance = 1e-9;

constexpr std::uint64_t all_there_are = std::numeric_limits<std::uint64_t>::max();

/// Times are compared and added on the TAI scale, which counts leap seconds as rows do. 0 means no time and
/// stays 0.
std::int64_t elapsed_scale(std::int64_t utc_ns) {
  return utc_ns == 0 ? 0 : leap_seconds().tai_ns(utc_ns);
}

/// Contiguous rows of a file.
class FlatRows final : public RowReader {
 public:
  explicit FlatRows(const SamplePart& part)
      : file_(part.piece->file, part.piece->layout.compression), row_bytes_(part.piece->layout.row_bytes) {
    file_.seekg(static_cast<std::streamoff>(part.run.offset));
    left_ = part.run.rows > all_there_are / row_bytes_ ? all_there_are : part.run.rows * row_bytes_;
    const std::optional<std::uint64_t> size = file_.size();
    const std::uint64_t declared_end = part.piece->layout.end, held_end = size.value_or(all_there_are);
    const std::uint64_t end = declared_end > 0 ? std::min(declared_end, held_end) : held_end;
    left_ = std::min(left_, end - std::min(end, part.run.offset));
    is_size_known_ = size.has_value();
  }

  std::size_t read(std::span<std::byte> rows) override {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(rows.size(), left_));
    file_.read(reinterpret_cast<char*>(rows.data()), static_cast<std::streamsize>(wanted));
    const auto read = static_cast<std::size_t>(file_.gcount());
    if (file_.bad() || (is_size_known_ && read < wanted))
      throw WorkError(
          fmt::format("{}: reading failed: {}", file_.path().string(),
                      file_.eof() ? "the file was shortened during the run" : std::strerror(errno)));
    left_ -= read;
    if (read < rows.size()) left_over_ = read % row_bytes_;
    return read / row_bytes_;
  }

  std::uint64_t skip(std::uint64_t rows) override {
    if (is_size_known_) {
      const std::uint64_t skipped = std::min(rows, left_ / row_bytes_);
      file_.seekg(static_cast<std::streamoff>(skipped * row_bytes_), std::ios::cur);
      left_ -= skipped * row_bytes_;
      if (skipped < rows) left_over_ = left_;
      return skipped;
    }
    std::vector<std::byte> scratch(std::max<std::size_t>(1, scratch_bytes / row_bytes_) * row_bytes_);
    std::uint64_t skipped = 0;
    while (skipped < rows) {
      const std::size_t now = std::min<std::uint64_t>(scratch.size(), (rows - skipped) * row_bytes_);
      const std::size_t got = read(std::span(scratch).first(now));
      skipped += got;
      if (got * row_bytes_ < now) break;
    }
    return skipped;
  }

  std::uint64_t bytes_left_over() const override { return left_over_; }
  std::string fault() const override { return file_.fault(); }

 private:
  static constexpr std::size_t scratch_bytes = 1 << 20;
  InputStream file_;
  const std::size_t row_bytes_;
  /// Upper bound of the piece's unread bytes.
  std::uint64_t left_ = 0;
  bool is_size_known_ = false;
  std::uint64_t left_over_ = 0;
};

}  // namespace

void check_alike(const SamplePiece& first, const SamplePiece& other) {
  const SampleLayout &a = first.layout, &b = other.layout;
  const bool is_same_form = a.type.element == b.type.element && a.type.to_string() == b.type.to_string() &&
                            a.row_bytes == b.row_bytes && a.rows == b.rows &&
                            std::abs(a.row_hz - b.row_hz) <= rate_tolerance * std::max(a.row_hz, b.row_hz);
  const std::string axis = other_axis(a.type, b.type);
  const char* const expected =
      "the files of one stream must have one layout: use another source for other files";
  if (!is_same_form)
    throw ConfigError(fmt::format("{}: {}, but {}: {}; {}", other.file.string(), describe(b),
                                  first.file.string(), describe(a), expected));
  // The times of a frame's rows follow from the rate.
  if (!axis.empty() && axis != "time" && axis != "sample")
    throw ConfigError(fmt::format("{}: the coordinates of '{}' differ from those in {}; {}",
                                  other.file.string(), axis, first.file.string(), expected));
}

std::vector<SamplePiece> ordered(std::vector<SamplePiece> pieces) {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].layout.utc_ns != 0) last = pieces[i].layout.utc_ns;
    order.emplace_back(last, i);
  }
  std::ranges::sort(order);
  std::vector<SamplePiece> sorted;
  for (const auto& [utc, number] : order) sorted.push_back(std::move(pieces[number]));
  return sorted;
}

std::vector<SamplePart> parts_of(const std::vector<SamplePiece>& pieces) {
  std::vector<SamplePart> parts;
  for (const SamplePiece& piece : pieces) {
    const SampleLayout& layout = piece.layout;
    const SampleRun whole{.offset = layout.offset,
                          .rows = all_there_are,
                          .utc_ns = elapsed_scale(layout.utc_ns),
                          .first_sample = layout.first_sample};
    if (layout.runs.empty()) parts.push_back({&piece, whole});
    for (std::size_t i = 0; i < layout.runs.size(); ++i) {
      parts.push_back({&piece, layout.runs[i], i > 0, i + 1 == layout.runs.size()});
      parts.back().run.utc_ns = elapsed_scale(layout.runs[i].utc_ns);
      // Whether the first part begins an epoch depends on the previous piece.
      if (i > 0) continue;
      parts.back().run.begins_epoch = false;
      if (!layout.runs[i].begins_epoch) parts.back().run.utc_ns = elapsed_scale(layout.utc_ns);
    }
  }
  return parts;
}

std::unique_ptr<RowReader> open_rows(const SamplePart& part) {
  const SamplePiece& piece = *part.piece;
  return piece.layout.open ? piece.layout.open(piece.file) : std::make_unique<FlatRows>(part);
}

std::int64_t counted_from(const SamplePart& part) {
  const std::int64_t header_ns = part.piece->layout.counted_from_ns;
  return header_ns != 0 ? header_ns : utc_scale(part.run.utc_ns, 0);
}

bool is_certain(std::int64_t from_ns, std::int64_t utc_ns) {
  constexpr std::int64_t ns_per_second = 1'000'000'000;
  return from_ns == 0 || leap_seconds().is_certain(from_ns / ns_per_second, utc_ns / ns_per_second);
}

std::int64_t utc_scale(std::int64_t begin_ns, std::int64_t since_ns) {
  return begin_ns == 0 ? since_ns : leap_seconds().utc_ns(begin_ns + since_ns);
}

}  // namespace takt::sensors
