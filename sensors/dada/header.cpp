#include "sensors/dada/header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/leap_seconds.hpp"
#include "sensors/dada/keywords.hpp"
#include "sensors/files/input_stream.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// Longer headers are invalid.
constexpr std::uint64_t largest_header = 1 << 20;
constexpr double mhz = 1e6;
/// Relative tolerance of figures written with few digits.
constexpr double few_digits = 1e-3;
/// MJD_START is often rounded to a second.
constexpr std::int64_t most_start_difference_ns = 1'000'000'000;

class Keywords {
 public:
  /// Records each keyword's treatment by the table, once the header is known to be complete.
  Keywords(const std::filesystem::path& path, std::string_view text, HeaderNotes* notes = nullptr)
      : path_(path.string()) {
    // The rest of the header is padding.
    text = text.substr(0, text.find('\0'));
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      line = trimmed(line.substr(0, line.find('#')));
      const std::string_view key = line.substr(0, line.find_first_of(blank));
      const std::string_view value = trimmed(line.substr(key.size()));
      if (key.empty()) continue;
      if (notes != nullptr) (void)notes->take(key, value);
      if (value.empty()) continue;
      const std::string word(value.substr(0, value.find_first_of(blank)));
      const auto [known, is_new] = values_.try_emplace(std::string(key), word);
      if (notes != nullptr && !is_new && known->second != word)
        notes->warn(fmt::format("{}: the PSRDADA header has {} twice, {} and {}: the first one counts", path_,
                                excerpt(key), excerpt(known->second), excerpt(word)));
    }
  }

  [[nodiscard]] std::optional<std::string> text(const char* key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Returns the name in capitals, without separators.
  [[nodiscard]] std::string name(const char* key) const {
    std::string letters;
    for (const char letter : text(key).value_or(""))
      if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
        letters += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return letters;
  }

  /// Returns a number in a range; without the keyword the fallback, or throws if there is none.
  template <class Number>
  Number number(const char* key, std::optional<Number> fallback, Number least, Number most) const {
    const std::optional<std::string> found = text(key);
    if (!found && fallback) return *fallback;
    if (!found) throw ConfigError(fmt::format("{}: the PSRDADA header has no {}", path_, key));
    Number value{};
    const auto [rest, error] = std::from_chars(found->data(), found->data() + found->size(), value);
    if (error != std::errc{} || rest != found->data() + found->size() || !(value >= least && value <= most))
      refuse(key, fmt::format("a number from {} to {}", least, most));
    return value;
  }

  [[noreturn]] void refuse(const char* key, const std::string& expected) const {
    throw ConfigError(fmt::format("{}: the PSRDADA header has {} {}: expected {}", path_, key,
                                  excerpt(text(key).value_or("")), expected));
  }

 private:
  static constexpr const char* blank = " \t\r";
  static std::string_view trimmed(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
    return text.substr(0, text.find_last_not_of(blank) + 1);
  }

  std::string path_;
  std::map<std::string, std::string, std::less<>> values_;
};

/// Parses a modified Julian date of any number of digits to nanoseconds since 1970.
std::optional<std::int64_t> parse_mjd(const std::string& text) {
  constexpr std::int64_t mjd_of_1970 = 40587, day_ns = 86'400'000'000'000, last_day = 140'000;
  const std::size_t point = std::min(text.find('.'), text.size());
  std::int64_t day = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + point, day);
  if (error != std::errc{} || rest != text.data() + point || day < 1 || day > last_day) return std::nullopt;
  long double fraction = 0, unit = 0.1L;
  for (std::size_t i = point + 1; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    fraction += static_cast<long double>(text[i] - '0') * unit;
  }
  return (day - mjd_of_1970) * day_ns + std::llround(fraction * static_cast<long double>(day_ns));
}

void read_encoding(const Keywords& keywords, DadaHeader& header, HeaderNotes& notes,
                   const std::string& path) {
  const std::string encoding = keywords.name("ENCODING");
  if (encoding.empty()) {
    header.encoding = header.bits == 32 ? DadaEncoding::floating : DadaEncoding::twos_complement;
    if (header.bits < 8)
      notes.warn(fmt::format("{}: the PSRDADA header has NBIT {} and no ENCODING: read as two's complement",
                             path, header.bits));
  } else if (encoding == "TWOSCOMPLEMENT" || encoding == "2SCOMPLEMENT") {
    header.encoding = DadaEncoding::twos_complement;
  } else if (encoding == "OFFSETBINARY") {
    header.encoding = DadaEncoding::offset_binary;
  } else if ((encoding == "FLOAT" || encoding == "IEEE" || encoding == "FLOATINGPOINT") &&
             header.bits == 32) {
    header.encoding = DadaEncoding::floating;
  } else {
    keywords.refuse("ENCODING", "TwosComplement, OffsetBinary or, of NBIT 32, Float");
  }
  if (header.bits == 32 && header.encoding != DadaEncoding::floating)
    notes.warn(fmt::format("{}: NBIT 32 integers become float32: values beyond 16777216 are rounded", path));
  if (header.bits < 8)
    notes.warn(
        fmt::format("{}: NBIT {}: PSRDADA does not define the bit order within a byte; read from the {} bits "
                    "on, by the parameter bit_order",
                    path, header.bits, header.is_high_first ? "high" : "low"));
  const std::string endian = keywords.name("ENDIAN");
  header.is_big_endian = endian == "BIG" || endian == "BIGENDIAN";
  if (!endian.empty() && !header.is_big_endian && endian != "LITTLE" && endian != "LITTLEENDIAN")
    keywords.refuse("ENDIAN", "LITTLE or BIG");
}

/// Sets the known properties of recorders that write no ORDER.
void read_instrument(const Keywords& keywords, std::string& order, std::size_t& heap_samples) {
  const std::string instrument = keywords.name("INSTRUMENT");
  if (instrument == "MKBF") {
    order = "TPFT";
    heap_samples = 256;
  }
  if (instrument == "APSR" || instrument == "CASPSR" || instrument == "CPSR2")
    keywords.refuse("INSTRUMENT",
                    "ORDER as well: the order of this instrument is not TFP and unknown to takt; set the "
                    "parameters order and heap_samples");
}

void read_order(const Keywords& keywords, const DadaReading& reading, DadaHeader& header, HeaderNotes& notes,
                const std::string& path) {
  constexpr std::size_t most_heap = 1 << 20;
  std::string order = reading.order.empty() ? keywords.text("ORDER").value_or("") : reading.order;
  auto heap = keywords.number<std::size_t>("INNER_T", 0, 1, most_heap);
  if (order.empty()) {
    order = "TFP";
    read_instrument(keywords, order, heap);
  }
  if (reading.heap_samples > 0) heap = reading.heap_samples;
  const auto antennas = keywords.number<std::size_t>("NANT", 1, 1, 1 << 16);
  const auto fail = [&](const std::string& why) {
    throw ConfigError(fmt::format(
        "{}: ORDER {} {}: expected an order that begins with time, such as TFP, TPF, TF or, with INNER_T "
        "times in a heap, TAFTP and TPFT; set the parameters order and heap_samples of the source",
        path, excerpt(order), why));
  };
  const auto size_of_axis = [&](char axis) -> std::size_t {
    return axis == 'F' ? header.channels : axis == 'P' ? header.polarisations : antennas;
  };
  header.order.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const char axis = static_cast<char>(std::toupper(static_cast<unsigned char>(order[i])));
    if (std::string_view("TFPA").find(axis) == std::string_view::npos)
      fail(fmt::format("has the unknown axis {}", excerpt(std::string(1, order[i]))));
    if (axis == 'A' && antennas > 1) fail(fmt::format("with NANT {} is not supported", antennas));
    if (axis == 'T' || size_of_axis(axis) > 1) header.order += axis;
  }
  for (const char axis : {'F', 'P'})
    if (std::ranges::count(header.order, axis) != (size_of_axis(axis) > 1 ? 1 : 0))
      fail(fmt::format("with {} {} must have one {}", axis == 'F' ? "NCHAN" : "NPOL", size_of_axis(axis),
                       axis));
  const auto times = std::ranges::count(header.order, 'T');
  if (!header.order.starts_with('T') || times > 2) fail("is not supported");
  if (times == 2 && heap == 0) fail("needs INNER_T, the times of a heap");
  if (times == 1 && heap > 1)
    notes.warn(fmt::format("{}: the PSRDADA header has INNER_T {}, but ORDER {} has no heaps: ignored", path,
                           heap, excerpt(order)));
  header.heap_samples = times == 2 ? heap : 1;
  if (antennas > 1)
    notes.warn(fmt::format("{}: the PSRDADA header has NANT {}, but ORDER {} has no antennas: read as one",
                           path, antennas, excerpt(order)));
  if (const auto beams = keywords.number<std::size_t>("NBEAM", 1, 0, 1 << 20); beams > 1)
    notes.warn(fmt::format("{}: the PSRDADA header has NBEAM {}: read as one beam", path, beams));
}

void read_start(const Keywords& keywords, const DadaReading& reading, DadaHeader& header, HeaderNotes& notes,
                const std::string& path) {
  const auto is_set = [](const std::optional<std::string>& value) {
    return value && *value != "unset" && *value != "UNKNOWN" && *value != "unknown";
  };
  const std::optional<std::string> utc = keywords.text("UTC_START"), date = keywords.text("MJD_START");
  // Recorders that do not know the date write 0.
  std::optional<std::int64_t> mjd;
  if (is_set(date) && date->find_first_not_of("0.") != std::string::npos) {
    mjd = parse_mjd(*date);
    if (!mjd) keywords.refuse("MJD_START", "a modified Julian date such as 56475.0678");
  }
  try {
    if (is_set(utc)) header.utc_start_ns = parse_utc(*utc);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: UTC_START: {}", path, error.what()));
  }
  if (is_set(utc) && mjd && std::abs(*mjd - header.utc_start_ns) > most_start_difference_ns)
    notes.warn(fmt::format("{}: UTC_START {} and MJD_START {} differ by {:.6g} s: UTC_START counts", path,
                           excerpt(*utc), excerpt(*date),
                           static_cast<double>(*mjd - header.utc_start_ns) / 1e9));
  if (!is_set(utc) && mjd) header.utc_start_ns = *mjd;
  // Adds the fraction to the whole second of the start.
  header.utc_start_ns +=
      static_cast<std::int64_t>(keywords.number<std::uint64_t>("PICOSECONDS", 0, 0, 999'999'999'999) / 1000);
  if (reading.start_ns)
    header.utc_start_ns = *reading.start_ns;
  else if (!is_set(utc) && !mjd)
    throw OptionError(
        "start", fmt::format("{}: the PSRDADA header has neither UTC_START nor MJD_START: expected one of "
                             "them, or the parameter start",
                             path));
}

/// Compares redundant figures; it is unknown which of them are wrong. `file_bytes`: empty if
/// unknown.
void compare(const Keywords& keywords, const DadaHeader& header, std::optional<std::uint64_t> file_bytes,
             HeaderNotes& notes, const std::string& path) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const double rate = header.bytes_per_sample() / header.sample_s;
  if (const auto told = keywords.number<double>("BYTES_PER_SECOND", 0.0, 0.0, 1e18);
      told > 0 && std::abs(told - rate) > few_digits * rate)
    notes.warn(
        fmt::format("{}: BYTES_PER_SECOND {} contradicts TSAMP and the size of a sample, which give {:.6g}",
                    path, told, rate));
  const double unit = header.bytes_per_sample() * static_cast<double>(header.heap_samples);
  if (std::fmod(static_cast<double>(header.offset_bytes), unit) != 0)
    notes.warn(fmt::format(
        "{}: OBS_OFFSET {} is not a multiple of the {} bytes of a sample or heap: times are rounded", path,
        header.offset_bytes, unit));
  if (const auto resolution = keywords.number<std::uint64_t>("RESOLUTION", 0, 0, most);
      resolution > 0 && header.offset_bytes % resolution != 0)
    notes.warn(fmt::format("{}: OBS_OFFSET {} is not a multiple of RESOLUTION {}", path, header.offset_bytes,
                           resolution));
  const std::uint64_t size = keywords.number<std::uint64_t>("FILE_SIZE", 0, 0, most),
                      data_bytes = file_bytes.value_or(header.header_bytes + size) - header.header_bytes;
  if (size > 0 && size != data_bytes)
    notes.warn(fmt::format("{}: the file has {} bytes of samples, but FILE_SIZE {}: {}", path, data_bytes,
                           size,
                           data_bytes < size ? "it is truncated, or the last one of its observation"
                                             : "the excess may not be samples"));
  if (const auto overlap = keywords.number<std::uint64_t>("OBS_OVERLAP", 0, 0, most); overlap > 0)
    notes.warn(
        fmt::format("{}: OBS_OVERLAP {}: successive files repeat this number of bytes", path, overlap));
  if (const std::string name = keywords.name("HEADER"); !name.empty() && name != "DADA")
    notes.warn(fmt::format("{}: HEADER {}: expected DADA", path, excerpt(name)));
  if (const std::string factor = keywords.text("OS_FACTOR").value_or("1/1"); factor != "1/1" && factor != "1")
    keywords.refuse("OS_FACTOR", "1/1: oversampled channels are not supported");
}

/// Reads the header's text of HDR_SIZE bytes.
std::string read_header_text(const std::filesystem::path& path, InputStream& file,
                             std::uint64_t& header_bytes) {
  std::string text;
  const auto read = [&](std::size_t bytes) {
    text.resize(bytes);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
  };
  read(4096);
  if (text.find("HDR_SIZE") == std::string::npos && text.find("NBIT") == std::string::npos)
    throw ConfigError(fmt::format(
        "{}: not a PSRDADA file: expected HDR_SIZE and NBIT in its first 4096 bytes", path.string()));
  header_bytes = Keywords(path, text).number<std::uint64_t>("HDR_SIZE", 4096, 64, largest_header);
  if (header_bytes > text.size()) {
    file.clear();
    file.seekg(0);
    read(header_bytes);
  }
  text.resize(std::min<std::size_t>(text.size(), header_bytes));
  if (text.size() < header_bytes)
    throw ConfigError(
        fmt::format("{}: the file ends within its PSRDADA header of {} bytes", path.string(), header_bytes));
  return text;
}

}  // namespace

std::int64_t parse_utc(std::string_view text) {
  using namespace std::chrono;
  // Year, month, day, hour, minute; then seconds with a fraction.
  std::array<int, 5> numbers{};
  constexpr std::array<std::string_view, 5> separators{"-", "-", "-T ", ":", ":"};
  const auto fail = [&] {
    throw ConfigError(
        fmt::format("'{}' is not a time: expected for example 2013-07-02T01:37:40.5 (UTC)", excerpt(text)));
  };
  std::string_view rest = text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), numbers[i]);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc{} || rest.empty() || separators[i].find(rest.front()) == std::string_view::npos)
      fail();
    rest.remove_prefix(1);
  }
  double second = 0;
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), second, std::chars_format::fixed);
  const year_month_day date{year{numbers[0]}, month{static_cast<unsigned>(numbers[1])},
                            day{static_cast<unsigned>(numbers[2])}};
  if (error != std::errc{} || end != rest.data() + rest.size() || !date.ok() || numbers[0] < 1900 ||
      numbers[0] > 2200 || numbers[3] < 0 || numbers[3] > 23 || numbers[4] < 0 || numbers[4] > 59 ||
      !(second >= 0 && second < 61))
    fail();
  const auto whole = sys_days(date) + hours(numbers[3]) + minutes(numbers[4]);
  if (second >= 60) {
    const LeapSecondTable& table = leap_seconds();
    const std::int64_t next = (whole + minutes(1)).time_since_epoch() / seconds(1);
    if (table.tai_minus_utc(next) == table.tai_minus_utc(next - 1) && next <= table.expiry()) fail();
  }
  return duration_cast<nanoseconds>(whole.time_since_epoch()).count() + std::llround(second * 1e9);
}

DadaHeader read_dada_header(const std::filesystem::path& path, const DadaReading& reading) {
  DadaHeader header;
  InputStream file(path);
  file.require_data();
  const std::string name = path.string(), text = read_header_text(path, file, header.header_bytes);
  HeaderNotes notes(dada_keywords(), name);
  const Keywords keywords(path, text, &notes);
  header.bits = keywords.number<int>("NBIT", {}, 1, 32);
  if (header.bits > 32 || (header.bits & (header.bits - 1)) != 0)
    keywords.refuse("NBIT", "1, 2, 4, 8, 16 or 32 bits");
  header.is_high_first = reading.is_high_first;
  header.dimensions = keywords.number<int>("NDIM", 1, 1, 2);
  header.polarisations = keywords.number<std::size_t>("NPOL", 1, 1, 64);
  header.channels = keywords.number<std::size_t>("NCHAN", 1, 1, 1 << 24);
  header.sample_s = keywords.number<double>("TSAMP", {}, 1e-9, 1e12) / 1e6;
  for (const char* key : {"NDIM", "NPOL", "NCHAN"})
    if (!keywords.text(key))
      notes.warn(fmt::format("{}: the PSRDADA header has no {}: read as 1", name, key));
  header.frequency_hz = keywords.number<double>("FREQ", 0.0, -1e9, 1e9) * mhz;
  header.bandwidth_hz = keywords.number<double>("BW", 0.0, -1e9, 1e9) * mhz;
  if (header.frequency_hz == 0 || header.bandwidth_hz == 0)
    notes.warn(fmt::format("{}: the PSRDADA header has no {}: the channels' frequencies are not known", name,
                           header.frequency_hz == 0 ? "FREQ" : "BW"));
  header.offset_bytes =
      keywords.number<std::uint64_t>("OBS_OFFSET", 0, 0, std::numeric_limits<std::uint64_t>::max());
  header.source_name = keywords.text("SOURCE").value_or("");
  read_encoding(keywords, header, notes, name);
  read_order(keywords, reading, header, notes, name);
  read_start(keywords, reading, header, notes, name);
  if (header.heap_bits() % 8 != 0 && header.heap_samples > 1)
    keywords.refuse("NBIT", fmt::format("whole bytes in each heap of {} samples", header.heap_samples));
  // Samples that share bytes are read as heaps of whole bytes.
  if (header.heap_bits() % 8 != 0) {
    header.order.insert(0, 1, 'T');
    while (header.heap_bits() % 8 != 0) header.heap_samples *= 2;
  }
  compare(keywords, header, file.size(), notes, name);
  header.description = notes.description();
  if (const std::optional<std::string> instrument = keywords.text("INSTRUMENT"))
    header.description.push_back("INSTRUMENT: " + excerpt(*instrument));
  header.warnings = notes.warnings();
  return header;
}

}  // namespace takt::sensors
