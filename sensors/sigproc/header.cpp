#include "sensors/sigproc/header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text_file.hpp"

namespace takt::sensors {

namespace {

static_assert(std::endian::native == std::endian::little, "SIGPROC files are little-endian");

/// Keywords that other programs write and we pass over, with their values' sizes; strings have none.
struct OtherKeyword {
  std::string_view name;
  std::optional<std::size_t> bytes;
};
constexpr OtherKeyword other_keywords[] = {
    {"az_start", 8},      {"za_start", 8}, {"src_raj", 8}, {"src_dej", 8},  {"refdm", 8},
    {"period", 8},        {"nbeams", 4},   {"ibeam", 4},   {"nsamples", 4}, {"barycentric", 4},
    {"pulsarcentric", 4}, {"nbins", 4},    {"npuls", 8},   {"signed", 1},   {"rawdatafile", {}}};

constexpr std::size_t longest_string = 4096;

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

class Reader {
 public:
  Reader(std::string_view bytes, const std::filesystem::path& path) : bytes_(bytes), path_(path) {}

  std::string_view text() {
    const std::size_t at = offset_;
    const auto length = value<std::int32_t>();
    if (length < 1 || static_cast<std::size_t>(length) > longest_string)
      refuse(at, fmt::format("a string of {} bytes, expected 1 to {}", length, longest_string));
    return take(static_cast<std::size_t>(length));
  }
  template <class Value>
  Value value() {
    Value value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view take(std::size_t count) {
    if (bytes_.size() - offset_ < count) refuse(offset_, "the file ends within the header");
    offset_ += count;
    return bytes_.substr(offset_ - count, count);
  }
  [[noreturn]] void refuse(std::size_t offset, const std::string& what) const {
    throw ConfigError(fmt::format("{}: not a SIGPROC file: at byte {}: {}", path_.string(), offset, what));
  }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - offset_; }

 private:
  std::string_view bytes_;
  const std::filesystem::path& path_;
  std::size_t offset_ = 0;
};

void read_pair(Reader& reader, std::string_view keyword, SigprocHeader& header) {
  const std::pair<std::string_view, int*> integers[] = {{"telescope_id", &header.telescope_id},
                                                        {"machine_id", &header.machine_id},
                                                        {"data_type", &header.data_type},
                                                        {"nbits", &header.nbits},
                                                        {"nchans", &header.nchans},
                                                        {"nifs", &header.nifs}};
  const std::pair<std::string_view, double*> numbers[] = {{"fch1", &header.fch1_mhz},
                                                          {"foff", &header.foff_mhz},
                                                          {"tsamp", &header.tsamp_s},
                                                          {"tstart", &header.tstart_mjd}};
  for (const auto& [name, place] : integers)
    if (keyword == name) {
      *place = reader.value<std::int32_t>();
      return;
    }
  for (const auto& [name, place] : numbers)
    if (keyword == name) {
      *place = reader.value<double>();
      return;
    }
  if (keyword == "source_name") {
    header.source_name = reader.text();
    return;
  }
  for (const OtherKeyword& other : other_keywords)
    if (keyword == other.name) {
      if (other.bytes)
        reader.take(*other.bytes);
      else
        reader.text();
      return;
    }
  reader.refuse(reader.offset(), fmt::format("the keyword '{}' is not known", keyword));
}

template <class Value>
void convert(std::string_view bytes, std::vector<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value value;
    std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
    values[i] = static_cast<float>(value);
  }
}

}  // namespace

std::vector<std::byte> encode(const SigprocHeader& header) {
  Writer writer;
  writer.text("HEADER_START");
  writer.text("source_name");
  writer.text(header.source_name);
  writer.pair("telescope_id", std::int32_t{header.telescope_id});
  writer.pair("machine_id", std::int32_t{header.machine_id});
  writer.pair("data_type", std::int32_t{header.data_type});
  writer.pair("fch1", header.fch1_mhz);
  writer.pair("foff", header.foff_mhz);
  writer.pair("nchans", std::int32_t{header.nchans});
  writer.pair("nbits", std::int32_t{header.nbits});
  writer.pair("nifs", std::int32_t{header.nifs});
  writer.pair("tstart", header.tstart_mjd);
  writer.pair("tsamp", header.tsamp_s);
  writer.text("HEADER_END");
  return std::move(writer.bytes);
}

namespace {

void read_header(Reader& reader, SigprocHeader& header) {
  if (reader.left() < 4 || reader.text() != "HEADER_START") reader.refuse(0, "expected HEADER_START");
  for (std::string_view keyword = reader.text(); keyword != "HEADER_END"; keyword = reader.text())
    read_pair(reader, keyword, header);
  if (header.nchans < 1 || header.nifs < 1)
    reader.refuse(reader.offset(),
                  fmt::format("{} channels and {} IFs, expected 1 or more", header.nchans, header.nifs));
}

}  // namespace

SigprocHeader read_sigproc_header(const std::filesystem::path& path, std::size_t& header_bytes) {
  // Longer ones there are none: a handful of keywords and names.
  constexpr std::size_t longest_header = 1 << 16;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw ConfigError(fmt::format("{}: cannot read the file: {}", path.string(), std::strerror(errno)));
  std::string bytes(longest_header, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  Reader reader(bytes, path);
  SigprocHeader header;
  read_header(reader, header);
  header_bytes = reader.offset();
  constexpr std::array<int, 6> known{1, 2, 4, 8, 16, 32};
  if (std::ranges::find(known, header.nbits) == known.end())
    reader.refuse(header_bytes,
                  fmt::format("values of {} bits, expected 1, 2, 4, 8, 16 or 32", header.nbits));
  const auto values = static_cast<std::uint64_t>(header.nchans) * static_cast<std::uint64_t>(header.nifs);
  if (values * static_cast<std::uint64_t>(header.nbits) % 8 != 0)
    reader.refuse(header_bytes,
                  fmt::format("samples of {} values of {} bits are no whole bytes", values, header.nbits));
  if (!(header.tsamp_s > 0) || !std::isfinite(header.tsamp_s) || !std::isfinite(header.tstart_mjd) ||
      std::abs(header.tstart_mjd) > 1e5)
    reader.refuse(header_bytes,
                  fmt::format("samples every {} s from MJD {} on", header.tsamp_s, header.tstart_mjd));
  return header;
}

SampleLayout layout_of(const SigprocHeader& header, std::size_t header_bytes, std::size_t samples) {
  SampleLayout layout;
  const auto channels = static_cast<std::size_t>(header.nchans),
             stokes = static_cast<std::size_t>(header.nifs);
  check_frame(static_cast<double>(channels) * static_cast<double>(stokes) * static_cast<double>(samples));
  layout.offset = header_bytes;
  layout.row_bytes = channels * stokes * static_cast<std::size_t>(header.nbits) / 8;
  layout.rows = samples;
  layout.row_hz = 1 / header.tsamp_s;
  layout.utc_ns = utc_of_mjd(header.tstart_mjd);
  Axis time{"time", samples, {}}, channel{"channel", channels, {}};
  for (std::size_t i = 0; i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) * header.tsamp_s);
  for (std::size_t i = 0; i < channels; ++i)
    channel.coordinates.push_back((header.fch1_mhz + static_cast<double>(i) * header.foff_mhz) * 1e6);
  layout.type.element = ElementType::float32;
  layout.type.rate_hz = layout.row_hz / static_cast<double>(samples);
  layout.type.axes = {std::move(time)};
  if (stokes > 1) layout.type.axes.push_back({"stokes", stokes, {}});
  layout.type.axes.push_back(std::move(channel));
  take_as_floats(layout, header.nbits, false, channels * stokes);
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
  Reader reader(bytes, path);
  SigprocFile file;
  read_header(reader, file.header);
  file.header_bytes = reader.offset();

  const SigprocHeader& header = file.header;
  if (header.nbits != 8 && header.nbits != 16 && header.nbits != 32)
    reader.refuse(reader.offset(), fmt::format("values of {} bits, expected 8, 16 or 32", header.nbits));
  const std::size_t values_a_sample =
      static_cast<std::size_t>(header.nchans) * static_cast<std::size_t>(header.nifs);
  const std::string_view data = std::string_view(bytes).substr(file.header_bytes);
  file.samples = data.size() / (values_a_sample * static_cast<std::size_t>(header.nbits) / 8);
  file.values.resize(file.samples * values_a_sample);
  if (header.nbits == 8)
    convert<std::uint8_t>(data, file.values);
  else if (header.nbits == 16)
    convert<std::uint16_t>(data, file.values);
  else
    convert<float>(data, file.values);
  return file;
}

double mjd_of_utc(std::int64_t utc_ns) {
  constexpr std::int64_t day_ns = 86'400'000'000'000;
  constexpr std::int64_t mjd_of_1970 = 40'587;
  // Whole days apart, so that the time of day keeps all its digits.
  const std::int64_t days = mjd_of_1970 + utc_ns / day_ns;
  return static_cast<double>(days) + static_cast<double>(utc_ns % day_ns) / day_ns;
}

}  // namespace takt::sensors
