#include "sensors/psrfits/header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "sensors/files/input_stream.hpp"
#include "sensors/psrfits/keywords.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t most_fits_channels = 1 << 24, most_fits_samples = 1 << 24, most_fits_polarisations = 64;
constexpr double mjd_of_1970 = 40587, seconds_per_day = 86400;

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
  if (!fraction) header.warnings.push_back(fmt::format("{}: STT_OFFS is missing: read as 0", file.path()));
  if (!(*day >= -1e5 && *day <= 1e5 && *second >= 0 && *second <= seconds_per_day) ||
      std::abs(fraction.value_or(0)) > seconds_per_day)
    file.refuse(
        fmt::format("it begins at MJD {} and {} s: expected a day and a second of the day", *day, *second));
  const auto whole = static_cast<std::int64_t>((*day - mjd_of_1970) * seconds_per_day);
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
  if (!file.number("NPOL"))
    header.warnings.push_back(fmt::format("{}: NPOL is missing in SUBINT: read as 1", file.path()));
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
  constexpr std::uintmax_t most_per_byte = 1032;
  const auto size = std::filesystem::file_size(file.path(), error);
  if (!error && file.row_bytes() > 0) {
    const std::size_t most =
        is_compressed(file.path()) ? size * most_per_byte / file.row_bytes() : file.rows_within(size);
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
  if (total > all && header.missing_rows == 0)
    header.warnings.push_back(
        fmt::format("{}: NSTOT declares {} samples, the table has {}: others are in other files, or the file "
                    "is truncated",
                    file.path(), total, all));
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

}  // namespace

PsrfitsHeader read_psrfits_header(FitsFile& file, HeaderNotes& notes) {
  PsrfitsHeader header;
  read_primary(file, header);
  const double centre_mhz = file.number("OBSFREQ").value_or(0);
  note_keywords(file, notes);
  file.expect_one_table("SUBINT");
  file.go_to_table("SUBINT");
  note_keywords(file, notes);
  read_subint(file, header);
  read_frequencies(file, header, centre_mhz);
  return header;
}

std::vector<std::uint64_t> row_starts(const FitsFile& file, PsrfitsHeader& header) {
  std::vector<std::uint64_t> starts(header.rows);
  const double before = file.number("NSUBOFFS").value_or(0);
  const auto first = static_cast<std::uint64_t>(std::clamp(before, 0.0, 1e12)) * header.block;
  for (std::size_t row = 0; row < header.rows; ++row) starts[row] = first + row * header.block;
  if (header.times == 0) return starts;
  std::vector<double> middle(1);
  std::vector<std::uint64_t> told;
  bool any = false;
  double rounded = 0;
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
    rounded = std::max(rounded, std::abs(start - std::round(start)));
  }
  header.rounded_s = rounded * header.sample_s;
  return told;
}

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

}  // namespace takt::sensors
