#include "sensors/dada/header.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/input_stream.hpp"

namespace takt::sensors {

namespace {

/// Longer ones are no headers.
constexpr std::uint64_t largest_header = 1 << 20;
constexpr double mhz = 1e6;

class Keywords {
 public:
  Keywords(const std::filesystem::path& path, std::string_view text) : path_(path) {
    while (!text.empty()) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      line = line.substr(0, line.find('#'));
      const std::string_view key = take_word(line), value = take_word(line);
      if (!key.empty() && !value.empty()) values_.try_emplace(std::string(key), value);
    }
  }

  [[nodiscard]] std::optional<std::string> text(const char* key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  /// A number in a range; without the keyword the fallback, or an error where there is none.
  template <class Number>
  Number number(const char* key, std::optional<Number> fallback, Number least, Number most) const {
    const std::optional<std::string> found = text(key);
    if (!found && fallback) return *fallback;
    if (!found) throw ConfigError(fmt::format("{}: the PSRDADA header has no {}", path_.string(), key));
    Number value{};
    const auto [rest, error] = std::from_chars(found->data(), found->data() + found->size(), value);
    if (error != std::errc{} || rest != found->data() + found->size() || !(value >= least && value <= most))
      throw ConfigError(fmt::format("{}: the PSRDADA header has {} {}, expected a number from {} to {}",
                                    path_.string(), key, excerpt(*found), least, most));
    return value;
  }

 private:
  static std::string_view take_word(std::string_view& line) {
    constexpr const char* blank = " \t\r\0";
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(std::string_view(blank, 4)));
    line.remove_prefix(word.size());
    return word;
  }

  const std::filesystem::path& path_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace

std::int64_t parse_utc(std::string_view text) {
  using namespace std::chrono;
  // Year, month, day, hour, minute; then seconds with a fraction.
  std::array<int, 5> numbers{};
  constexpr std::array<std::string_view, 5> separators{"-", "-", "-T ", ":", ":"};
  const auto fail = [&] {
    throw ConfigError(
        fmt::format("'{}' is no moment, expected for example 2013-07-02T01:37:40.5 (UTC)", excerpt(text)));
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
  return duration_cast<nanoseconds>(whole.time_since_epoch()).count() + std::llround(second * 1e9);
}

DadaHeader read_dada_header(const std::filesystem::path& path) {
  InputStream file(path);
  std::string text(4096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.find("HDR_SIZE") == std::string::npos && text.find("NBIT") == std::string::npos)
    throw ConfigError(fmt::format(
        "{}: not a PSRDADA file: expected HDR_SIZE and NBIT in its first 4096 bytes", path.string()));
  DadaHeader header;
  header.header_bytes = Keywords(path, text).number<std::uint64_t>("HDR_SIZE", 4096, 64, largest_header);
  if (header.header_bytes > text.size()) {
    file.clear();
    file.seekg(0);
    text.resize(header.header_bytes);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
  }
  text.resize(std::min<std::size_t>(text.size(), header.header_bytes));
  if (text.size() < header.header_bytes)
    throw ConfigError(fmt::format("{}: the file ends within its PSRDADA header of {} bytes", path.string(),
                                  header.header_bytes));

  const Keywords keywords(path, text);
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  header.bits = keywords.number<int>("NBIT", {}, 1, 32);
  header.dimensions = keywords.number<int>("NDIM", 1, 1, 2);
  header.polarisations = keywords.number<std::size_t>("NPOL", 1, 1, 64);
  header.channels = keywords.number<std::size_t>("NCHAN", 1, 1, 1 << 24);
  header.sample_s = keywords.number<double>("TSAMP", {}, 1e-9, 1e12) / 1e6;
  header.frequency_hz = keywords.number<double>("FREQ", 0.0, -1e9, 1e9) * mhz;
  header.bandwidth_hz = keywords.number<double>("BW", 0.0, -1e9, 1e9) * mhz;
  header.offset_bytes = keywords.number<std::uint64_t>("OBS_OFFSET", 0, 0, most);
  // A second and what is beyond it, where the start says so.
  const auto beyond = keywords.number<std::uint64_t>("PICOSECONDS", 0, 0, 999'999'999'999) / 1000;
  header.source_name = keywords.text("SOURCE").value_or("");
  try {
    if (const std::optional<std::string> start = keywords.text("UTC_START"))
      header.utc_start_ns = parse_utc(*start);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: UTC_START: {}", path.string(), error.what()));
  }
  header.utc_start_ns += static_cast<std::int64_t>(beyond);
  if (header.bits != 8 && header.bits != 16 && header.bits != 32)
    throw ConfigError(
        fmt::format("{}: samples of {} bits, expected NBIT 8, 16 or 32", path.string(), header.bits));
  return header;
}

SampleLayout layout_of(const DadaHeader& header, std::size_t samples) {
  SampleLayout layout;
  const auto dimensions = static_cast<std::size_t>(header.dimensions);
  const std::size_t values = header.channels * header.polarisations * dimensions;
  check_frame(static_cast<double>(values) * static_cast<double>(samples));
  layout.offset = header.header_bytes;
  layout.row_bytes = values * static_cast<std::size_t>(header.bits) / 8;
  layout.rows = samples;
  layout.row_hz = 1 / header.sample_s;
  // Whole seconds and the rest apart, for observations of days.
  const long double since = static_cast<long double>(header.offset_bytes) /
                            static_cast<long double>(layout.row_bytes) *
                            static_cast<long double>(header.sample_s);
  layout.utc_ns = header.utc_start_ns + std::llround(since * 1e9L);

  Axis channel{header.dimensions == 2 ? "beamlet" : "channel", header.channels, {}};
  const double step = header.bandwidth_hz / static_cast<double>(header.channels);
  for (std::size_t i = 0; header.bandwidth_hz != 0 && i < header.channels; ++i)
    channel.coordinates.push_back(header.frequency_hz - header.bandwidth_hz / 2 +
                                  (static_cast<double>(i) + 0.5) * step);
  Axis time{"time", samples, {}};
  for (std::size_t i = 0; i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) * header.sample_s);
  const Axis polarisation{"polarisation", header.polarisations, {}};
  layout.type.rate_hz = layout.row_hz / static_cast<double>(samples);
  layout.type.unit = "counts";
  if (header.dimensions == 1) {
    layout.type.element = ElementType::float32;
    layout.type.axes = {time, channel, polarisation};
    take_as_floats(layout, header.bits, true);
    return layout;
  }
  layout.type.element = ElementType::complex_float32;
  layout.type.axes = {channel, time, polarisation};
  take_as_floats(layout, header.bits, true);
  // [time][channel] to [channel][time], of runs of all polarisations.
  const std::size_t run = header.polarisations * 2, channels = header.channels;
  const auto to_floats = layout.convert;
  std::vector<float> scratch(samples * values);
  layout.convert = [=](std::span<const std::byte> rows, std::span<std::byte> elements) mutable {
    to_floats(rows, std::as_writable_bytes(std::span(scratch)));
    auto* const to = reinterpret_cast<float*>(elements.data());
    for (std::size_t t = 0; t < samples; ++t)
      for (std::size_t c = 0; c < channels; ++c)
        std::copy_n(scratch.data() + (t * channels + c) * run, run, to + (c * samples + t) * run);
  };
  return layout;
}

}  // namespace takt::sensors
