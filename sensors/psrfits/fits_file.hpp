#pragma once
/// A FITS file by CFITSIO.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fitsio.h>
#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/files/header_keywords.hpp"
#include "sensors/files/input_stream.hpp"

namespace takt::sensors {

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
  /// Throws ConfigError if several tables have this name.
  void expect_one_table(const char* name) const {
    int status = 0, tables = 0, found = 0;
    fits_get_num_hdus(file_, &tables, &status);
    for (int i = 1; i <= tables && status == 0; ++i) {
      int type = 0;
      fits_movabs_hdu(file_, i, &type, &status);
      if (status == 0 && type == BINARY_TBL && text("EXTNAME") == name) ++found;
    }
    if (found > 1) refuse(fmt::format("it has {} tables {}: expected one", found, name));
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
    constexpr std::uint64_t fits_block = 2880;
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
      fail(row, status);
  }

 private:
  static std::string unquoted(std::string_view value) {
    if (value.size() >= 2 && value.front() == '\'' && value.back() == '\'')
      value = value.substr(1, value.size() - 2);
    while (!value.empty() && value.back() == ' ') value.remove_suffix(1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    return std::string(value);
  }
  /// CFITSIO decompresses a damaged file up to its damage, without a report.
  [[noreturn]] void fail(std::size_t row, int status) const {
    const std::string fault = stream_fault(path_);
    throw WorkError(fmt::format("{}: reading row {} of SUBINT failed ({})", path_, row,
                                fault.empty() ? reason(status) : fault));
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

}  // namespace takt::sensors
