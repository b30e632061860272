#include "sensors/psrfits/file.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "core/leap_seconds.hpp"
#include "sensors/psrfits/header.hpp"
#include "sensors/psrfits/keywords.hpp"

namespace takt::sensors {

namespace {

/// Reads the decoded samples of the table's rows, one after the other.
class PsrfitsRows final : public RowReader {
 public:
  PsrfitsRows(const std::filesystem::path& path, std::shared_ptr<const PsrfitsHeader> header,
              std::size_t first_row, std::size_t rows)
      : file_(path), header_(std::move(header)), row_(first_row), end_row_(first_row + rows) {
    file_.go_to_table("SUBINT");
    file_.take_values_as_they_are(header_->data);
    decoded_.resize(header_->block * header_->values());
  }

  std::size_t read(std::span<std::byte> rows) override {
    const std::size_t row_bytes = header_->values() * sizeof(float);
    std::size_t done = 0;
    while ((done + 1) * row_bytes <= rows.size() && fill()) {
      const std::size_t count = std::min(rows.size() / row_bytes - done, held_ - used_);
      std::memcpy(rows.data() + done * row_bytes, decoded_.data() + used_ * header_->values(),
                  count * row_bytes);
      used_ += count;
      done += count;
    }
    return done;
  }

  std::uint64_t skip(std::uint64_t rows) override {
    std::uint64_t done = std::min<std::uint64_t>(rows, held_ - used_);
    used_ += static_cast<std::size_t>(done);
    while (done < rows && row_ < end_row_) {
      if (rows - done < samples_of(row_)) {
        if (!fill()) break;
        used_ = static_cast<std::size_t>(rows - done);
        done = rows;
      } else {
        done += samples_of(row_++);
      }
    }
    return done;
  }

 private:
  [[nodiscard]] std::size_t samples_of(std::size_t row) const {
    return row + 1 == header_->rows ? header_->last_block : header_->block;
  }

  /// Returns whether unused samples are available.
  bool fill() {
    if (used_ < held_) return true;
    if (row_ == end_row_) return false;
    if (const std::string why = other_frequencies(file_, *header_, row_); !why.empty()) throw WorkError(why);
    read_values();
    apply_scales();
    used_ = 0;
    held_ = samples_of(row_++);
    return true;
  }

  void read_values() {
    if (header_->bits == 32) return file_.read(header_->data, row_, decoded_);
    if (header_->bits == 16) {
      integers_.resize(decoded_.size());
      file_.read(header_->data, row_, integers_);
      std::ranges::transform(integers_, decoded_.begin(),
                             [](std::int16_t value) { return static_cast<float>(value); });
      return;
    }
    const auto bits = static_cast<unsigned>(header_->bits);
    bytes_.resize(decoded_.size() * bits / 8);
    file_.read(header_->data, row_, bytes_);
    const unsigned in_byte = 8 / bits, mask = (1U << bits) - 1, sign = 1U << (bits - 1);
    const bool is_signed = header_->is_signed && header_->zero == 0;
    for (std::size_t i = 0; i < decoded_.size(); ++i) {
      const auto place = static_cast<unsigned>(i % in_byte);
      const unsigned code = static_cast<unsigned>(bytes_[i / in_byte]) >> (8 - bits - place * bits) & mask;
      decoded_[i] = is_signed ? static_cast<float>(static_cast<int>(code ^ sign) - static_cast<int>(sign))
                              : static_cast<float>(code);
    }
  }

  void apply_scales() {
    const std::size_t values = header_->values(), channels = header_->channels;
    scales_.assign(values, 1);
    offsets_.assign(values, 0);
    weights_.assign(channels, 1);
    if (header_->scales != 0) file_.read(header_->scales, row_, scales_);
    if (header_->offsets != 0) file_.read(header_->offsets, row_, offsets_);
    if (header_->weights != 0) file_.read(header_->weights, row_, weights_);
    const auto zero = static_cast<float>(header_->zero - header_->zero_off);
    for (std::size_t sample = 0; sample < header_->block; ++sample) {
      float* const of_sample = decoded_.data() + sample * values;
      for (std::size_t i = 0; i < values; ++i) {
        const float weight = weights_[i % channels];
        of_sample[i] = weight == 0 ? std::numeric_limits<float>::quiet_NaN()
                                   : ((of_sample[i] + zero) * scales_[i] + offsets_[i]) * weight;
      }
    }
  }

  FitsFile file_;
  const std::shared_ptr<const PsrfitsHeader> header_;
  std::size_t row_, end_row_;
  /// For one row of the table: number of its samples, and of the used ones.
  std::size_t held_ = 0, used_ = 0;
  std::vector<float> decoded_, scales_, offsets_, weights_;
  std::vector<std::int16_t> integers_;
  std::vector<unsigned char> bytes_;
};

SampleLayout layout_of(const PsrfitsHeader& header, std::size_t samples) {
  check_frame(static_cast<double>(header.values()) * static_cast<double>(samples));
  SampleLayout layout;
  layout.row_bytes = header.values() * sizeof(float);
  layout.rows = samples;
  layout.row_hz = 1 / header.sample_s;
  Axis time{"time", samples, {}}, channel{"channel", header.channels, {}};
  for (std::size_t i = 0; i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) * header.sample_s);
  for (const double mhz : header.frequencies_mhz) channel.coordinates.push_back(mhz * 1e6);
  layout.type.element = ElementType::float32;
  layout.type.rate_hz = layout.row_hz / static_cast<double>(samples);
  layout.type.axes = {std::move(time)};
  if (header.polarisations > 1)
    layout.type.axes.push_back({header.is_stokes ? "stokes" : "polarisation", header.polarisations, {}});
  layout.type.axes.push_back(std::move(channel));
  take_as_they_are(layout, false);
  return layout;
}

}  // namespace

std::vector<SamplePiece> read_psrfits(const std::filesystem::path& path, std::size_t samples) {
  FitsFile file(path);
  HeaderNotes notes(psrfits_keywords(), file.path());
  const auto header = std::make_shared<PsrfitsHeader>(read_psrfits_header(file, notes));
  const std::vector<std::uint64_t> starts = row_starts(file, *header);
  SampleLayout layout = layout_of(*header, samples);
  layout.time_rounded_ns = static_cast<std::uint64_t>(std::llround(header->rounded_s * 1e9));
  layout.description = notes.description();
  layout.warnings = notes.warnings();
  layout.warnings.insert(layout.warnings.end(), header->warnings.begin(), header->warnings.end());
  std::vector<SamplePiece> pieces;
  for (std::size_t row = 0; row < std::max<std::size_t>(header->rows, 1);) {
    std::size_t end = row + 1;
    while (end < header->rows && starts[end] == starts[end - 1] + header->block) ++end;
    SamplePiece piece{path, layout};
    if (pieces.empty())
      piece.layout.verify = [shared = std::shared_ptr<const PsrfitsHeader>(header), path] {
        FitsFile whole(path);
        whole.go_to_table("SUBINT");
        for (std::size_t each = 1; each < shared->rows; ++each)
          if (const std::string why = other_frequencies(whole, *shared, each); !why.empty())
            throw ConfigError(why);
      };
    if (!pieces.empty()) piece.layout.warnings.clear();
    piece.layout.counted_from_ns = header->start_ns;
    const auto since = row < starts.size() ? static_cast<long double>(starts[row]) : 0;
    if (header->start_ns != 0)
      piece.layout.utc_ns = leap_seconds().utc_ns_after(
          header->start_ns, std::llround(since * static_cast<long double>(header->sample_s) * 1e9L));
    piece.layout.first_sample = row < starts.size() ? starts[row] : 0;
    const std::size_t count = std::min(end, header->rows) - std::min(row, header->rows);
    if (end >= header->rows && header->missing_rows > 0) {
      piece.layout.declared_rows = (count + header->missing_rows) * header->block;
      piece.layout.declared_by = "NAXIS2";
    }
    piece.layout.open = [shared = std::shared_ptr<const PsrfitsHeader>(header), row,
                         count](const std::filesystem::path& at) {
      return std::make_unique<PsrfitsRows>(at, shared, row, count);
    };
    pieces.push_back(std::move(piece));
    row = end;
  }
  return pieces;
}

}  // namespace takt::sensors
