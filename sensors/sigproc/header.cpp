#include "sensors/sigproc/header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "sensors/files/input_stream.hpp"
#include "sensors/sigproc/keywords.hpp"

namespace takt::sensors {

namespace {

static_assert(std::endian::native == std::endian::little, "SIGPROC files are little-endian");

constexpr int raw_data = 0, filterbank = 1, time_series = 2, subbands = 6;

class Writer {
 public:
  void text(std::string_view text) {
    value(static_cast<std::int32_t>(text.size()));
    append(text.data(), text.size());
  }
  template <class Value>
  void value(Value value) {
    append(&value, sizeof value);
  }
  template <class Value>
  void pair(std::string_view keyword, Value item) {
    text(keyword);
    value(item);
  }
  std::vector<std::byte> bytes;

 private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};

/// The pairs of a header by keyword, with checked access.
class Keywords {
 public:
  Keywords(const SigprocPairs& pairs, std::string path) : path_(std::move(path)) {
    bool is_in_table = false;
    for (const SigprocPair& pair : pairs.pairs()) {
      notes_.take(pair.keyword, pair.text());
      if (pair.keyword == "FREQUENCY_START") is_in_table = true;
      if (pair.keyword == "FREQUENCY_END") is_in_table = false;
      if (pair.keyword == "fchannel") {
        if (!is_in_table) refuse("fchannel", "is outside FREQUENCY_START and FREQUENCY_END");
        table_.push_back(std::get<double>(pair.value));
      } else if (const auto [earlier, is_new] = by_name_.emplace(pair.keyword, &pair);
                 !is_new && earlier->second->value != pair.value) {
        refuse(pair.keyword,
               fmt::format("has the values {} and {}: expected one", earlier->second->text(), pair.text()));
      }
    }
    if (is_in_table) refuse("FREQUENCY_END", "is missing after FREQUENCY_START");
  }

  [[nodiscard]] bool has(std::string_view keyword) const { return by_name_.contains(keyword); }
  void require(std::string_view keyword) const {
    if (!has(keyword)) refuse(keyword, "is missing");
  }
  /// Returns the value in a range, ends included, or `fallback` without the keyword.
  [[nodiscard]] std::int64_t integer(std::string_view keyword, std::int64_t least, std::int64_t most,
                                     std::int64_t fallback) const {
    if (!has(keyword)) return fallback;
    const auto value = std::get<std::int64_t>(by_name_.find(keyword)->second->value);
    if (value < least || value > most)
      refuse(keyword, fmt::format("is {}: expected {} to {}", value, least, most));
    return value;
  }
  [[nodiscard]] double number(std::string_view keyword, double fallback) const {
    if (!has(keyword)) return fallback;
    const auto value = std::get<double>(by_name_.find(keyword)->second->value);
    if (!std::isfinite(value)) refuse(keyword, fmt::format("is {}: expected a finite number", value));
    return value;
  }
  [[nodiscard]] std::string text(std::string_view keyword) const {
    return has(keyword) ? std::get<std::string>(by_name_.find(keyword)->second->value) : "";
  }
  [[nodiscard]] const std::vector<double>& table() const { return table_; }
  void warn(const std::string& what) { notes_.warn(fmt::format("{}: {}", path_, what)); }
  [[nodiscard]] const HeaderNotes& notes() const { return notes_; }

  [[noreturn]] void refuse(std::string_view keyword, const std::string& what) const {
    throw ConfigError(fmt::format("{}: the SIGPROC keyword '{}' {}", path_, keyword, what));
  }

 private:
  const std::string path_;
  HeaderNotes notes_{sigproc_keywords(), path_};
  std::map<std::string, const SigprocPair*, std::less<>> by_name_;
  std::vector<double> table_;
};

void read_values(Keywords& keywords, SigprocHeader& header) {
  header.data_type = static_cast<int>(keywords.integer("data_type", INT32_MIN, INT32_MAX, filterbank));
  if (header.data_type == raw_data)
    keywords.warn("data_type is 0 (raw data): read as a filterbank");
  else if (header.data_type != filterbank && header.data_type != time_series && header.data_type != subbands)
    keywords.refuse(
        "data_type",
        fmt::format("is {}: expected 1 (filterbank), 2 (time series) or 6 (subbands)", header.data_type));
  constexpr std::array<std::int64_t, 6> known{1, 2, 4, 8, 16, 32};
  const std::int64_t bits = keywords.integer("nbits", INT32_MIN, INT32_MAX, known.front());
  if (std::ranges::find(known, bits) == known.end())
    keywords.refuse("nbits", fmt::format("has values of {} bits: expected 1, 2, 4, 8, 16 or 32", bits));
  keywords.require("nbits");
  if (header.data_type != time_series) keywords.require("nchans");
  header.nbits = static_cast<int>(bits);
  header.nchans = static_cast<int>(keywords.integer("nchans", 1, INT32_MAX, 1));
  header.nifs = static_cast<int>(keywords.integer("nifs", 1, INT32_MAX, 1));
  header.is_signed = keywords.integer("signed", 0, 1, 0) == 1;
  if (header.is_signed && header.nbits < 8)
    keywords.refuse("signed",
                    fmt::format("is 1 with nbits {}: expected 0, or nbits 8, 16 or 32", header.nbits));
  const std::uint64_t values =
      static_cast<std::uint64_t>(header.nchans) * static_cast<std::uint64_t>(header.nifs);
  if (values * static_cast<std::uint64_t>(header.nbits) % 8 != 0)
    keywords.refuse(
        "nbits",
        fmt::format("is {}: samples of {} x {} values (nchans x nifs) are not a whole number of bytes",
                    header.nbits, header.nchans, header.nifs));
}

void read_frequencies(Keywords& keywords, SigprocHeader& header) {
  header.fch1_mhz = keywords.number("fch1", 0);
  header.foff_mhz = keywords.number("foff", 0);
  if (!keywords.has("FREQUENCY_START")) {
    // For a time series they are informative only.
    if (header.data_type == time_series && header.nchans == 1) {
      if (!keywords.has("fch1"))
        keywords.warn("the SIGPROC keyword 'fch1' is missing: frequencies are unknown");
      return;
    }
    keywords.require("fch1");
    if (header.nchans == 1) return;
    keywords.require("foff");
    if (header.foff_mhz == 0) keywords.refuse("foff", "is 0: all channels have one frequency");
    return;
  }
  header.table_mhz = keywords.table();
  for (const double mhz : header.table_mhz)
    if (!std::isfinite(mhz)) keywords.refuse("fchannel", fmt::format("is {}: expected a number", mhz));
  if (header.table_mhz.size() != static_cast<std::size_t>(header.nchans))
    keywords.refuse("fchannel", fmt::format("is there {} times between FREQUENCY_START and FREQUENCY_END: "
                                            "expected one for each of nchans {}",
                                            header.table_mhz.size(), header.nchans));
  constexpr double same_mhz = 1e-6;
  if (header.fch1_mhz != 0 && std::abs(header.fch1_mhz - header.table_mhz.front()) > same_mhz)
    keywords.refuse("fch1", fmt::format("is {}, the table of frequencies begins with {}", header.fch1_mhz,
                                        header.table_mhz.front()));
  header.fch1_mhz = header.table_mhz.front();
  header.foff_mhz = header.nchans == 1 ? 0
                                       : (header.table_mhz.back() - header.table_mhz.front()) /
                                             static_cast<double>(header.nchans - 1);
}

void read_times(Keywords& keywords, SigprocHeader& header) {
  keywords.require("tsamp");
  header.tsamp_s = keywords.number("tsamp", 0);
  if (!(header.tsamp_s > 0))
    keywords.refuse("tsamp", fmt::format("is {}: expected seconds above 0", header.tsamp_s));
  keywords.require("tstart");
  header.tstart_mjd = keywords.number("tstart", 0);
  constexpr double latest_mjd = 1e5;
  if (!(header.tstart_mjd >= 0 && header.tstart_mjd <= latest_mjd))
    keywords.refuse("tstart", fmt::format("is {}: expected a modified Julian date from 0 to {}",
                                          header.tstart_mjd, latest_mjd));
  if (header.tstart_mjd == 0) keywords.warn("tstart is 0: times count from 1858-11-17");
  for (const std::string keyword : {"barycentric", "pulsarcentric"})
    if (keywords.integer(keyword, INT32_MIN, INT32_MAX, 0) != 0)
      keywords.warn(fmt::format("{} is {}: times are not those of the telescope in UTC", keyword,
                                keywords.integer(keyword, INT32_MIN, INT32_MAX, 0)));
  header.nsamples = static_cast<std::uint64_t>(keywords.integer("nsamples", 0, INT32_MAX, 0));
}

SigprocReading read_reading(std::string_view bytes, const std::filesystem::path& path) {
  const SigprocPairs pairs(bytes, path.string());
  Keywords keywords(pairs, path.string());
  SigprocReading reading;
  SigprocHeader& header = reading.header;
  reading.header_bytes = pairs.header_bytes();
  header.source_name = keywords.text("source_name");
  header.telescope_id = static_cast<int>(keywords.integer("telescope_id", INT32_MIN, INT32_MAX, 0));
  header.machine_id = static_cast<int>(keywords.integer("machine_id", INT32_MIN, INT32_MAX, 0));
  read_values(keywords, header);
  read_frequencies(keywords, header);
  read_times(keywords, header);
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  const std::uint64_t bits = static_cast<std::uint64_t>(header.nchans) *
                             static_cast<std::uint64_t>(header.nifs) *
                             static_cast<std::uint64_t>(header.nbits);
  const std::uint64_t held =
      error ? 0 : (size - std::min<std::uint64_t>(size, reading.header_bytes)) / (bits / 8);
  if (header.nsamples > 0 && held > header.nsamples && !is_compressed(path))
    keywords.warn(
        fmt::format("nsamples is {}, the file holds {} samples: all are read", header.nsamples, held));
  reading.warnings = keywords.notes().warnings();
  reading.description = keywords.notes().description();
  return reading;
}

}  // namespace

double SigprocHeader::channel_mhz(std::size_t channel) const {
  return table_mhz.empty() ? fch1_mhz + static_cast<double>(channel) * foff_mhz : table_mhz.at(channel);
}

std::vector<std::byte> encode(const SigprocHeader& header) {
  Writer writer;
  writer.text("HEADER_START");
  writer.text("source_name");
  writer.text(header.source_name);
  writer.pair("telescope_id", std::int32_t{header.telescope_id});
  writer.pair("machine_id", std::int32_t{header.machine_id});
  writer.pair("data_type", std::int32_t{header.data_type});
  if (header.table_mhz.empty()) {
    writer.pair("fch1", header.fch1_mhz);
    writer.pair("foff", header.foff_mhz);
  } else {
    writer.text("FREQUENCY_START");
    for (const double mhz : header.table_mhz) writer.pair("fchannel", mhz);
    writer.text("FREQUENCY_END");
  }
  writer.pair("nchans", std::int32_t{header.nchans});
  writer.pair("nbits", std::int32_t{header.nbits});
  if (header.is_signed) writer.pair("signed", char{1});
  writer.pair("nifs", std::int32_t{header.nifs});
  writer.pair("tstart", header.tstart_mjd);
  writer.pair("tsamp", header.tsamp_s);
  if (header.nsamples > 0) writer.pair("nsamples", static_cast<std::int32_t>(header.nsamples));
  writer.text("HEADER_END");
  return std::move(writer.bytes);
}

namespace {

/// A damaged header must not exhaust the memory; files without samples are small. Throws ConfigError.
void check_sample_size(const SigprocHeader& header, std::uint64_t file_bytes,
                       const std::filesystem::path& path) {
  constexpr std::uint64_t small = 1 << 20;
  const double sample_bytes =
      static_cast<double>(header.nchans) * static_cast<double>(header.nifs) * header.nbits / 8;
  if (sample_bytes > static_cast<double>(std::max(file_bytes, small)))
    throw ConfigError(
        fmt::format("{}: nchans {} and nifs {} are not valid: one sample takes {:.0f} bytes, more "
                    "than the file has",
                    path.string(), header.nchans, header.nifs, sample_bytes));
}

}  // namespace

SigprocReading read_sigproc_header(const std::filesystem::path& path) {
  // Large enough for a table of 65,536 frequencies.
  constexpr std::size_t longest_header = std::size_t{2} << 20;
  InputStream file(path);
  file.require_data();
  std::string bytes;
  file.append_to(bytes, longest_header);
  SigprocReading reading = read_reading(bytes, path);
  if (const auto size = file.size()) check_sample_size(reading.header, *size, path);
  return reading;
}

SampleLayout layout_of(const SigprocReading& reading, std::size_t samples) {
  const SigprocHeader& header = reading.header;
  SampleLayout layout;
  const auto channels = static_cast<std::size_t>(header.nchans),
             stokes = static_cast<std::size_t>(header.nifs);
  check_frame(static_cast<double>(channels) * static_cast<double>(stokes) * static_cast<double>(samples));
  layout.offset = reading.header_bytes;
  layout.row_bytes = channels * stokes * static_cast<std::size_t>(header.nbits) / 8;
  layout.rows = samples;
  layout.row_hz = 1 / header.tsamp_s;
  layout.utc_ns = utc_of_mjd(header.tstart_mjd);
  layout.declared_rows = header.nsamples;
  layout.declared_by = "nsamples";
  layout.warnings = reading.warnings;
  layout.description = reading.description;
  Axis time{"time", samples, {}}, channel{"channel", channels, {}};
  for (std::size_t i = 0; i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) * header.tsamp_s);
  // A time series without fch1 has no frequency.
  for (std::size_t i = 0; (header.fch1_mhz != 0 || channels > 1) && i < channels; ++i)
    channel.coordinates.push_back(header.channel_mhz(i) * 1e6);
  layout.type.element = ElementType::float32;
  layout.type.rate_hz = layout.row_hz / static_cast<double>(samples);
  layout.type.axes = {std::move(time)};
  if (stokes > 1) layout.type.axes.push_back({"stokes", stokes, {}});
  layout.type.axes.push_back(std::move(channel));
  take_as_floats(layout, header.nbits, header.is_signed);
  return layout;
}

std::int64_t utc_of_mjd(double mjd) {
  constexpr std::int64_t day_ns = 86'400'000'000'000;
  constexpr double mjd_of_1970 = 40'587;
  const double days = std::floor(mjd);
  return static_cast<std::int64_t>(days - mjd_of_1970) * day_ns +
         std::llround((mjd - days) * static_cast<double>(day_ns));
}

SigprocFile read_sigproc(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path);
  SigprocReading reading = read_reading(bytes, path);
  check_sample_size(reading.header, bytes.size(), path);
  const SampleLayout layout = layout_of(reading, 1);
  SigprocFile file{.header = std::move(reading.header),
                   .header_bytes = reading.header_bytes,
                   .samples = (bytes.size() - reading.header_bytes) / layout.row_bytes,
                   .values = {},
                   .warnings = std::move(reading.warnings)};
  file.values.resize(file.samples * layout.type.element_count());
  layout.convert(std::as_bytes(std::span(bytes)).subspan(file.header_bytes, file.samples * layout.row_bytes),
                 std::as_writable_bytes(std::span(file.values)));
  return file;
}

double mjd_of_utc(std::int64_t utc_ns) {
  constexpr std::int64_t day_ns = 86'400'000'000'000;
  constexpr std::int64_t mjd_of_1970 = 40'587;
  // Separates whole days, so that the time of day keeps all its digits.
  const std::int64_t days = mjd_of_1970 + utc_ns / day_ns;
  return static_cast<double>(days) + static_cast<double>(utc_ns % day_ns) / day_ns;
}

}  // namespace takt::sensors
