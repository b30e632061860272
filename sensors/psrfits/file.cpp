#include "sensors/psrfits/file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <fitsio.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "core/leap_seconds.hpp"
#include "sensors/psrfits/keywords.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t most_fits_channels = 1 << 24, most_fits_samples = 1 << 24, most_fits_polarisations = 64;
constexpr std::uint64_t fits_block = 2880;
constexpr double mjd_of_1970 = 40587, seconds_a_day = 86400;

/// RAII ownership of a FITS file. Errors contain the file's name and CFITSIO's reason.
class FitsFile {
 public:
  explicit FitsFile(const std::filesystem::path& path) : path_(path.string()) {
    int status = 0;
    // The literal name, without CFITSIO's filters.
    if (fits_open_diskfile(&file_, path_.c_str(), READONLY, &status) != 0)
      throw ConfigError(fmt::format("{}: not a readable FITS file ({})", path_, reason(status)));
  }
  FitsFile(const FitsFile&) = delete;
  FitsFile& operator=(const FitsFile&) = delete;
  ~FitsFile() {
    int status = 0;
    fits_close_file(file_, &status);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[noreturn]] void refuse(const std::string& what) const {
    throw ConfigError(fmt::format("{}: {}", path_, what));
  }

  void go_to_primary() {
    int status = 0, type = 0;
    fits_movabs_hdu(file_, 1, &type, &status);
    if (status != 0) refuse(reason(status));
  }
  void go_to_table(const char* name) {
    int status = 0;
    std::string copy = name;
    if (fits_movnam_hdu(file_, BINARY_TBL, copy.data(), 0, &status) != 0)
      refuse(fmt::format("it has no table {}: expected a PSRFITS search-mode file", name));
  }

  /// Calls `use` with each keyword of the header and its value, without quotes.
  template <class Use>
  void for_each_keyword(const Use& use) const {
    int status = 0, count = 0;
    fits_get_hdrspace(file_, &count, nullptr, &status);
    for (int i = 1; i <= count && status == 0; ++i) {
      std::array<char, FLEN_KEYWORD> name{};
      std::array<char, FLEN_VALUE> value{};
      if (fits_read_keyn(file_, i, name.data(), value.data(), nullptr, &status) != 0) {
        status = 0;
        continue;
      }
      use(std::string(name.data()), unquoted(value.data()));
    }
  }

  [[nodiscard]] std::optional<std::string> text(const char* keyword) const {
    std::array<char, FLEN_VALUE> value{};
    int status = 0;
    if (fits_read_keyword(file_, keyword, value.data(), nullptr, &status) != 0) return {};
    return unquoted(value.data());
  }
  /// Empty for `*` and an empty text, PSRFITS's notation of unknown values.
  [[nodiscard]] std::optional<double> number(const char* keyword) const {
    const std::optional<std::string> found = text(keyword);
    if (!found || found->empty() || *found == "*" || *found == "UNSET" || *found == "NULL") return {};
    double value = 0;
    int status = 0;
    if (fits_read_key(file_, TDOUBLE, keyword, &value, nullptr, &status) != 0 || !std::isfinite(value))
      refuse(fmt::format("{} is '{}': expected a number", keyword, excerpt(*found)));
    return value;
  }
  [[nodiscard]] std::size_t count(const char* keyword, std::optional<std::size_t> fallback,
                                  std::size_t most) const {
    const std::optional<double> value = number(keyword);
    if (!value && fallback) return *fallback;
    if (!value) refuse(fmt::format("{} is missing in SUBINT: expected 1 to {}", keyword, most));
    if (!(*value >= 1 && *value <= static_cast<double>(most)) || *value != std::floor(*value))
      refuse(fmt::format("{} is {}: expected 1 to {}", keyword, *value, most));
    return static_cast<std::size_t>(*value);
  }

  /// Returns the number of a column; 0 if there is none.
  [[nodiscard]] int column(const char* name) const {
    int status = 0, number = 0;
    std::string copy = name;
    return fits_get_colnum(file_, CASEINSEN, copy.data(), &number, &status) == 0 ? number : 0;
  }
  struct Column {
    int type = 0;
    std::size_t repeat = 0;
    double scale = 1, zero = 0;
  };
  [[nodiscard]] Column describe(int column) const {
    int status = 0, type = 0;
    long repeat = 0, width = 0;
    Column found;
    std::array<char, FLEN_VALUE> unused{};
    fits_get_coltype(file_, column, &type, &repeat, &width, &status);
    fits_get_bcolparms(file_, column, nullptr, nullptr, nullptr, nullptr, &found.scale, &found.zero, nullptr,
                       unused.data(), &status);
    if (status != 0) refuse(reason(status));
    found.type = type;
    found.repeat = static_cast<std::size_t>(std::max(repeat, 0L));
    return found;
  }
  [[nodiscard]] std::size_t rows() const {
    int status = 0;
    LONGLONG count = 0;
    if (fits_get_num_rowsll(file_, &count, &status) != 0) refuse(reason(status));
    return static_cast<std::size_t>(std::max<LONGLONG>(count, 0));
  }
  [[nodiscard]] std::uint64_t row_bytes() const {
    return static_cast<std::uint64_t>(std::clamp(number("NAXIS1").value_or(0), 0.0, 1e15));
  }
  /// Returns the table rows in the whole blocks of a file of this size, since CFITSIO reads whole blocks.
  [[nodiscard]] std::size_t rows_within(std::uint64_t file_bytes) const {
    int status = 0;
    LONGLONG header = 0, data = 0, end = 0;
    if (fits_get_hduaddrll(file_, &header, &data, &end, &status) != 0) refuse(reason(status));
    const auto row_bytes = static_cast<std::uint64_t>(number("NAXIS1").value_or(0)),
               begin = static_cast<std::uint64_t>(data), end_of_blocks = file_bytes / fits_block * fits_block;
    if (row_bytes == 0 || end_of_blocks < begin) return 0;
    return static_cast<std::size_t>((end_of_blocks - begin) / row_bytes);
  }

  /// Reads bytes and integers unchanged, without TZERO.
  void take_values_as_they_are(int column) {
    int status = 0;
    fits_set_tscale(file_, column, 1, 0, &status);
  }

  /// Reads the values of a column in one row, counted from 0.
  template <class Value>
  void read(int column, std::size_t row, std::vector<Value>& values) const {
    constexpr int type = std::is_same_v<Value, float>          ? TFLOAT
                         : std::is_same_v<Value, double>       ? TDOUBLE
                         : std::is_same_v<Value, std::int16_t> ? TSHORT
                                                               : TBYTE;
    int status = 0, any_null = 0;
    if (fits_read_col(file_, type, column, static_cast<LONGLONG>(row) + 1, 1,
                      static_cast<LONGLONG>(values.size()), nullptr, values.data(), &any_null, &status) != 0)
      throw WorkError(fmt::format("{}: reading row {} of SUBINT failed ({})", path_, row, reason(status)));
  }

 private:
  static std::string unquoted(std::string_view value) {
    if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'')
      value = value.substr(1, value.size() - 2);
    while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    return std::string(value);
  }
  static std::string reason(int status) {
    std::array<char, FLEN_STATUS> text{};
    fits_get_errstatus(status, text.data());
    fits_clear_errmsg();
    return text.data();
  }

  std::string path_;
  fitsfile* file_ = nullptr;
};

/// The headers' description of the samples.
struct PsrfitsHeader {
  std::size_t bits = 8, channels = 1, polarisations = 1, block = 1, rows = 0;
  /// Rows of the table that are missing in the truncated file.
  std::size_t missing_rows = 0;
  /// Samples of the last row: fewer than a block if NSTOT requires it.
  std::size_t last_block = 1;
  bool is_signed = false;
  double zero_off = 0, sample_s = 0, zero = 0;
  int data = 0, frequency = 0, weights = 0, offsets = 0, scales = 0, times = 0;
  std::int64_t start_ns = 0;
  std::vector<double> frequencies_mhz;
  bool is_stokes = false;
  std::vector<std::string> description, warnings;

  [[nodiscard]] std::size_t values() const { return polarisations * channels; }
};

std::string without_number(std::string name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.pop_back();
  return name;
}

void note_keywords(const FitsFile& file, HeaderNotes& notes) {
  file.for_each_keyword([&](const std::string& name, const std::string& value) {
    if (name.empty()) return;
    const bool is_known = psrfits_keywords().find(name) != nullptr;
    (void)notes.take(is_known ? name : without_number(name), value);
  });
}

void read_primary(FitsFile& file, PsrfitsHeader& header) {
  file.go_to_primary();
  if (file.text("FITSTYPE").value_or("") != "PSRFITS")
    file.refuse(fmt::format("FITSTYPE is '{}': expected PSRFITS",
                            excerpt(file.text("FITSTYPE").value_or("missing"))));
  const std::string mode = file.text("OBS_MODE").value_or("");
  if (mode != "SEARCH" && mode != "SRCH")
    file.refuse(
        fmt::format("OBS_MODE is '{}': expected SEARCH: folded profiles are not read", excerpt(mode)));
  const std::optional<double> day = file.number("STT_IMJD"), second = file.number("STT_SMJD"),
                              fraction = file.number("STT_OFFS");
  if (!day || !second) {
    header.warnings.push_back(fmt::format(
        "{}: STT_IMJD or STT_SMJD is missing: the time of the samples is not known", file.path()));
    return;
  }
  if (!(*day >= -1e5 && *day <= 1e5 && *second >= 0 && *second <= seconds_a_day) ||
      std::abs(fraction.value_or(0)) > seconds_a_day)
    file.refuse(
        fmt::format("it begins at MJD {} and {} s: expected a day and a second of the day", *day, *second));
  const auto whole = static_cast<std::int64_t>((*day - mjd_of_1970) * seconds_a_day);
  header.start_ns = (whole + static_cast<std::int64_t>(*second)) * 1'000'000'000 +
                    std::llround((*second - std::floor(*second) + fraction.value_or(0)) * 1e9);
}

/// TDIM of DATA defines the order of the axes; many writers count bytes there, or omit it.
void check_dimensions(const FitsFile& file, PsrfitsHeader& header) {
  const std::string text = file.text(fmt::format("TDIM{}", header.data).c_str()).value_or("");
  std::vector<std::size_t> dimensions;
  std::size_t values = 1;
  for (const char* at = text.c_str(); *at != '\0';) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(at, text.c_str() + text.size(), number);
    at = error == std::errc{} ? end : at + 1;
    if (error != std::errc{} || number == 1) continue;
    dimensions.push_back(number);
    values *= number;
  }
  std::vector<std::size_t> expected{header.channels, header.polarisations, header.block};
  std::erase(expected, 1U);
  if (values == header.values() * header.block && dimensions != expected)
    header.warnings.push_back(
        fmt::format("{}: TDIM of DATA is {}: expected ({},{},{}), in which order it is read", file.path(),
                    excerpt(text), header.channels, header.polarisations, header.block));
}

void check_data_column(FitsFile& file, PsrfitsHeader& header) {
  header.data = file.column("DATA");
  if (header.data == 0) file.refuse("SUBINT has no column DATA");
  const FitsFile::Column column = file.describe(header.data);
  const std::size_t bits_of_type = column.type == TBYTE    ? 8
                                   : column.type == TSHORT ? 16
                                   : column.type == TFLOAT ? 32
                                                           : 0;
  if (bits_of_type == 0)
    file.refuse(
        "its column DATA is of a type that is not read: expected bytes, integers of 16 bits or floats of 32");
  const std::size_t values = header.block * header.values();
  if (bits_of_type != std::max<std::size_t>(header.bits, 8))
    file.refuse(
        fmt::format("NBITS is {}, but its column DATA has elements of {} bits", header.bits, bits_of_type));
  if (column.repeat * bits_of_type != values * header.bits)
    file.refuse(fmt::format(
        "its column DATA has {} elements a row, but NSBLK {} x NPOL {} x NCHAN {} values of {} bits "
        "need {}",
        column.repeat, header.block, header.polarisations, header.channels, header.bits,
        values * header.bits / bits_of_type));
  if (column.scale != 1) file.refuse(fmt::format("TSCAL of DATA is {}: expected 1", column.scale));
  if (file.text(fmt::format("TNULL{}", header.data).c_str())) file.refuse("TNULL of DATA is not read");
  check_dimensions(file, header);
  header.zero = column.zero;
  file.take_values_as_they_are(header.data);
}

/// Returns the columns of scales, offsets and weights: 0 if absent; checks their sizes.
int column_of(const FitsFile& file, const char* name, std::size_t values) {
  const int column = file.column(name);
  if (column == 0) return 0;
  const std::size_t there = file.describe(column).repeat;
  if (there != values)
    file.refuse(fmt::format("its column {} has {} values a row: expected {}", name, there, values));
  return column;
}

void read_subint(FitsFile& file, PsrfitsHeader& header) {
  header.bits = file.count("NBITS", {}, 32);
  constexpr std::array<std::size_t, 6> known{1, 2, 4, 8, 16, 32};
  if (std::ranges::find(known, header.bits) == known.end())
    file.refuse(fmt::format("NBITS is {}: expected 1, 2, 4, 8, 16 or 32", header.bits));
  header.channels = file.count("NCHAN", {}, most_fits_channels);
  header.polarisations = file.count("NPOL", 1, most_fits_polarisations);
  header.block = file.count("NSBLK", {}, most_fits_samples);
  if (file.count("NBIN", 1, 1 << 30) != 1) file.refuse("NBIN is above 1: folded profiles are not read");
  if (const std::string type = file.text("INT_TYPE").value_or("TIME");
      type != "TIME" && !type.empty() && type != "*")
    file.refuse(fmt::format("INT_TYPE is '{}': expected TIME", excerpt(type)));
  header.sample_s = file.number("TBIN").value_or(0);
  if (!(header.sample_s > 1e-12 && header.sample_s < 1e9))
    file.refuse(fmt::format("TBIN is {}: expected the seconds a sample lasts", header.sample_s));
  header.is_signed = file.number("SIGNINT").value_or(0) != 0;
  header.zero_off = file.number("ZERO_OFF").value_or(0);
  header.is_stokes = file.text("POL_TYPE").value_or("").starts_with("IQUV");
  if (header.values() * header.block % (8 / std::min<std::size_t>(header.bits, 8)) != 0)
    file.refuse(fmt::format("a row of {} values of {} bits is not a whole number of bytes",
                            header.values() * header.block, header.bits));
  header.rows = file.rows();
  // A damaged header must not exhaust the memory.
  std::error_code error;
  // A byte of gzip expands to at most 1032.
  constexpr std::uintmax_t most_a_byte = 1032;
  const auto size = std::filesystem::file_size(file.path(), error);
  if (!error && file.row_bytes() > 0) {
    const std::size_t most =
        is_compressed(file.path()) ? size * most_a_byte / file.row_bytes() : file.rows_within(size);
    const std::size_t held = std::min(header.rows, most);
    header.missing_rows = header.rows - held;
    header.rows = held;
  }
  check_data_column(file, header);
  header.frequency = column_of(file, "DAT_FREQ", header.channels);
  header.weights = column_of(file, "DAT_WTS", header.channels);
  header.offsets = column_of(file, "DAT_OFFS", header.values());
  header.scales = column_of(file, "DAT_SCL", header.values());
  header.times = column_of(file, "OFFS_SUB", 1);
  if (header.times != 0) {
    const std::string unit = file.text(fmt::format("TUNIT{}", header.times).c_str()).value_or("s");
    if (!unit.empty() && unit != "s" && unit != "S" && unit != "sec" && unit != "SEC")
      file.refuse(fmt::format("OFFS_SUB is in '{}': expected s", excerpt(unit)));
  }
  header.last_block = header.block;
  const double total = file.number("NSTOT").value_or(0);
  const double all = static_cast<double>(header.rows) * static_cast<double>(header.block);
  if (header.rows > 0 && total > all - static_cast<double>(header.block) && total < all)
    header.last_block = static_cast<std::size_t>(total - all + static_cast<double>(header.block));
}

void read_frequencies(const FitsFile& file, PsrfitsHeader& header, double centre_mhz) {
  header.frequencies_mhz.resize(header.channels);
  if (header.frequency != 0 && header.rows > 0) {
    const std::string unit = file.text(fmt::format("TUNIT{}", header.frequency).c_str()).value_or("MHz");
    if (unit != "MHz" && !unit.empty())
      file.refuse(fmt::format("DAT_FREQ is in '{}': expected MHz", excerpt(unit)));
    return file.read(header.frequency, 0, header.frequencies_mhz);
  }
  const double step = file.number("CHAN_BW").value_or(0);
  if (centre_mhz == 0 || step == 0) {
    header.frequencies_mhz.clear();
    return;
  }
  for (std::size_t i = 0; i < header.channels; ++i)
    header.frequencies_mhz[i] =
        centre_mhz + (static_cast<double>(i) - static_cast<double>(header.channels - 1) / 2) * step;
}

/// Returns the number of each row's first sample since the observation's start.
std::vector<std::uint64_t> row_starts(const FitsFile& file, PsrfitsHeader& header) {
  std::vector<std::uint64_t> starts(header.rows);
  const double before = file.number("NSUBOFFS").value_or(0);
  const auto first = static_cast<std::uint64_t>(std::clamp(before, 0.0, 1e12)) * header.block;
  for (std::size_t row = 0; row < header.rows; ++row) starts[row] = first + row * header.block;
  if (header.times == 0) return starts;
  std::vector<double> middle(1);
  std::vector<std::uint64_t> told;
  bool any = false;
  for (std::size_t row = 0; row < header.rows; ++row) {
    file.read(header.times, row, middle);
    any |= middle[0] != 0;
    const double start = middle[0] / header.sample_s - static_cast<double>(header.block) / 2;
    // A column that does not increase contains no valid times.
    if (!(start > -0.5 && start < 1e15) || (row > 0 && start < static_cast<double>(told.back()) + 0.5)) {
      if (any)
        header.warnings.push_back(fmt::format(
            "{}: OFFS_SUB of row {} is {} s, not after the previous row: rows are taken as contiguous",
            file.path(), row, middle[0]));
      return starts;
    }
    told.push_back(static_cast<std::uint64_t>(std::llround(start)));
  }
  return told;
}

/// Returns how this row's channels differ from those of row 0; otherwise empty.
std::string other_frequencies(const FitsFile& file, const PsrfitsHeader& header, std::size_t row) {
  if (header.frequency == 0) return {};
  std::vector<double> now(header.channels);
  file.read(header.frequency, row, now);
  for (std::size_t i = 0; i < now.size(); ++i)
    if (std::abs(now[i] - header.frequencies_mhz[i]) > 1e-6 * std::abs(now[i]))
      return fmt::format(
          "{}: DAT_FREQ of row {} has {} MHz for channel {}, row 0 has {}: expected constant frequencies",
          file.path(), row, now[i], i, header.frequencies_mhz[i]);
  return {};
}

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
  auto header = std::make_shared<PsrfitsHeader>();
  FitsFile file(path);
  HeaderNotes notes(psrfits_keywords(), file.path());
  read_primary(file, *header);
  const double centre_mhz = file.number("OBSFREQ").value_or(0);
  note_keywords(file, notes);
  file.go_to_table("SUBINT");
  note_keywords(file, notes);
  read_subint(file, *header);
  read_frequencies(file, *header, centre_mhz);
  const std::vector<std::uint64_t> starts = row_starts(file, *header);
  SampleLayout layout = layout_of(*header, samples);
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
    const auto since = row < starts.size() ? static_cast<long double>(starts[row]) : 0;
    if (header->start_ns != 0)
      piece.layout.utc_ns = leap_seconds().utc_ns_after(
          header->start_ns, std::llround(since * static_cast<long double>(header->sample_s) * 1e9L));
    piece.layout.first_sample = row < starts.size() ? starts[row] : 0;
    const std::size_t count = std::min(end, header->rows) - std::min(row, header->rows);
    if (end >= header->rows && header->missing_rows > 0) {
      piece.layout.promised_rows = (count + header->missing_rows) * header->block;
      piece.layout.promised_by = "NAXIS2";
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
