#include "sensors/sigmf/header.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "sensors/dada/header.hpp"

namespace takt::sensors {

namespace {

using Json = nlohmann::json;
constexpr std::size_t most_sigmf_channels = 65536;

/// Values of a JSON object with the file and the key in what is thrown.
class SigmfFields {
 public:
  SigmfFields(std::string path, const Json& object) : path_(std::move(path)), object_(object) {}

  [[nodiscard]] bool has(const char* key) const { return object_.is_object() && object_.contains(key); }
  [[nodiscard]] std::string text(const char* key) const {
    if (!object_.at(key).is_string()) refuse(key, "a text");
    return object_.at(key).get<std::string>();
  }
  [[nodiscard]] double number(const char* key, double least, double most) const {
    if (!has(key)) return 0;
    const Json& value = object_.at(key);
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
      refuse(key, fmt::format("a number from {} to {}", least, most));
    return value.get<double>();
  }
  [[noreturn]] void refuse(const char* key, const std::string& expected) const {
    throw ConfigError(fmt::format("{}: {} is {}, expected {}", path_, key,
                                  excerpt(has(key) ? object_.at(key).dump() : std::string("not there")),
                                  expected));
  }

 private:
  std::string path_;
  const Json& object_;
};

/// `cf32_le`, `ri16_be`, `cu8`.
void read_datatype(const SigmfFields& global, SigmfHeader& header) {
  constexpr const char* key = "core:datatype";
  constexpr const char* expected = "a type such as cf32_le, ri16_be or cu8";
  if (!global.has(key)) global.refuse(key, expected);
  const std::string text = global.text(key);
  const std::string order =
      text.size() > 3 && text[text.size() - 3] == '_' ? text.substr(text.size() - 3) : "";
  if (text.empty() || (text[0] != 'c' && text[0] != 'r') ||
      (!order.empty() && order != "_le" && order != "_be"))
    global.refuse(key, expected);
  header.is_complex = text[0] == 'c';
  header.number = text.substr(1, text.size() - 1 - order.size());
  header.is_big_endian = order == "_be";
  constexpr std::array<std::string_view, 8> known{"f32", "f64", "i32", "i16", "i8", "u32", "u16", "u8"};
  if (std::ranges::find(known, header.number) == known.end()) global.refuse(key, expected);
  if (order.empty() && header.number_bytes() > 1) global.refuse(key, expected);
}

template <class Number>
float number_at(const std::byte* from, bool swaps) {
  std::array<std::byte, sizeof(Number)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Number));
  if (swaps) std::ranges::reverse(bytes);
  return static_cast<float>(std::bit_cast<Number>(bytes));
}

using Reader = float (*)(const std::byte*, bool);

Reader reader_of(const std::string& number) {
  if (number == "f32") return number_at<float>;
  if (number == "f64") return number_at<double>;
  if (number == "i32") return number_at<std::int32_t>;
  if (number == "i16") return number_at<std::int16_t>;
  if (number == "i8") return number_at<std::int8_t>;
  if (number == "u32") return number_at<std::uint32_t>;
  if (number == "u16") return number_at<std::uint16_t>;
  return number_at<std::uint8_t>;
}

}  // namespace

std::size_t SigmfHeader::number_bytes() const {
  return number.ends_with("64") ? 8 : number.ends_with("32") ? 4 : number.ends_with("16") ? 2 : 1;
}

SigmfHeader read_sigmf(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  const bool is_named = extension == ".sigmf-meta" || extension == ".sigmf-data";
  const std::filesystem::path base = is_named ? std::filesystem::path(file).replace_extension() : file;
  const std::filesystem::path meta = base.string() + ".sigmf-meta";
  std::ifstream in(meta);
  if (!in || std::filesystem::is_directory(meta))
    throw ConfigError(fmt::format("{}: cannot read the file: {}", meta.string(), std::strerror(errno)));
  const Json json = Json::parse(in, nullptr, false);
  if (!json.is_object() || !json.contains("global") || !json.at("global").is_object())
    throw ConfigError(
        fmt::format("{}: no SigMF metadata: expected a JSON object with 'global'", meta.string()));
  SigmfHeader header;
  header.data = base.string() + ".sigmf-data";
  const SigmfFields global(meta.string(), json.at("global"));
  read_datatype(global, header);
  header.sample_hz = global.number("core:sample_rate", 1e-9, 1e15);
  header.offset = static_cast<std::uint64_t>(global.number("core:offset", 0, 9e15));
  if (global.has("core:num_channels"))
    header.channels = static_cast<std::size_t>(global.number("core:num_channels", 1, most_sigmf_channels));
  if (!json.contains("captures") || !json.at("captures").is_array() || json.at("captures").empty())
    return header;
  const SigmfFields capture(meta.string(), json.at("captures").at(0));
  header.frequency_hz = capture.number("core:frequency", -1e15, 1e15);
  header.header_bytes = static_cast<std::uint64_t>(capture.number("core:header_bytes", 0, 1e15));
  header.first_sample = static_cast<std::uint64_t>(capture.number("core:sample_start", 0, 9e15));
  if (capture.has("core:datetime")) {
    std::string time = capture.text("core:datetime");
    if (time.ends_with('Z')) time.pop_back();
    try {
      header.utc_ns = parse_utc(time);
    } catch (const ConfigError&) {
      capture.refuse("core:datetime", "a moment such as 2023-07-02T01:37:40.5Z");
    }
  }
  return header;
}

SampleLayout layout_of(const SigmfHeader& header, std::size_t samples) {
  const std::size_t parts = header.is_complex ? 2 : 1, numbers = header.channels * parts;
  check_frame(static_cast<double>(numbers) * static_cast<double>(samples));
  SampleLayout layout;
  layout.row_bytes = numbers * header.number_bytes();
  layout.rows = samples;
  layout.row_hz = header.sample_hz;
  layout.utc_ns = header.utc_ns;
  const std::uint64_t before = header.first_sample - std::min(header.first_sample, header.offset);
  layout.offset = header.header_bytes + before * layout.row_bytes;
  layout.type.element = header.is_complex ? ElementType::complex_float32 : ElementType::float32;
  layout.type.unit = "counts";
  layout.type.rate_hz = header.sample_hz / static_cast<double>(samples);
  Axis beamlet{"beamlet", header.channels, {}};
  if (header.frequency_hz != 0) beamlet.coordinates.assign(header.channels, header.frequency_hz);
  Axis time{"time", samples, {}};
  for (std::size_t i = 0; header.sample_hz > 0 && i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) / header.sample_hz);
  layout.type.axes = {std::move(beamlet), std::move(time), Axis{"polarisation", 1, {}}};
  const std::size_t channels = header.channels, bytes = header.number_bytes();
  layout.convert = [=, read = reader_of(header.number), swaps = header.is_big_endian](
                       std::span<const std::byte> rows, std::span<std::byte> elements) {
    auto* const to = reinterpret_cast<float*>(elements.data());
    for (std::size_t t = 0; t < samples; ++t)
      for (std::size_t c = 0; c < channels; ++c)
        for (std::size_t part = 0; part < parts; ++part)
          to[(c * samples + t) * parts + part] =
              read(rows.data() + ((t * channels + c) * parts + part) * bytes, swaps);
  };
  layout.mark_missing = [=](std::size_t first, std::span<std::byte> frame) {
    auto* const to = reinterpret_cast<float*>(frame.data());
    for (std::size_t c = 0; c < channels; ++c)
      std::fill_n(to + (c * samples + first) * parts, (samples - first) * parts,
                  std::numeric_limits<float>::quiet_NaN());
  };
  return layout;
}

}  // namespace takt::sensors
