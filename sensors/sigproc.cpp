#include "sensors/sigproc.hpp"

#include <bit>
#include <cstring>
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

SigprocFile read_sigproc(const std::filesystem::path& path) {
  const std::string bytes = read_text_file(path);
  Reader reader(bytes, path);
  SigprocFile file;
  if (bytes.size() < 4 || reader.text() != "HEADER_START") reader.refuse(0, "expected HEADER_START");
  for (std::string_view keyword = reader.text(); keyword != "HEADER_END"; keyword = reader.text())
    read_pair(reader, keyword, file.header);
  file.header_bytes = reader.offset();

  const SigprocHeader& header = file.header;
  if (header.nchans < 1 || header.nifs < 1)
    reader.refuse(reader.offset(),
                  fmt::format("{} channels and {} IFs, expected 1 or more", header.nchans, header.nifs));
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
