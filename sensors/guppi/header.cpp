#include "sensors/guppi/header.hpp"

#include <algorithm>
#include <charconv>
#include <type_traits>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t card_bytes = 80, keyword_bytes = 8;
/// Longer headers are invalid: 8192 keywords.
constexpr std::size_t most_cards = 8192;
constexpr std::uint64_t largest_block = std::uint64_t{1} << 31;
constexpr double mhz_of_guppi = 1e6;

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Parses `'text' / comment` or `number / comment`.
std::string_view value_of(std::string_view field) {
  field = without_blanks(field);
  if (field.starts_with('\'')) return without_blanks(field.substr(1, field.find('\'', 1) - 1));
  return without_blanks(field.substr(0, field.find('/')));
}

}  // namespace

std::optional<GuppiCards> GuppiCards::read(std::istream& stream) {
  GuppiCards cards;
  std::string card(card_bytes, '\0');
  for (std::size_t i = 0; i < most_cards; ++i) {
    if (!stream.read(card.data(), card_bytes)) return std::nullopt;
    cards.bytes_ += card_bytes;
    if (!std::ranges::all_of(card, [](char letter) { return letter >= ' ' && letter <= '~'; }))
      return std::nullopt;
    const std::string_view line = card;
    const std::string_view key = without_blanks(line.substr(0, keyword_bytes));
    if (key == "END" && line.find_first_not_of(' ', 3) == std::string_view::npos) return cards;
    if (key == "COMMENT" || key == "HISTORY" || key.empty()) continue;
    if (line[keyword_bytes] != '=') return std::nullopt;
    cards.values_.try_emplace(std::string(key), value_of(line.substr(keyword_bytes + 1)));
  }
  return std::nullopt;
}

std::optional<std::string> GuppiCards::text(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

template <class Number>
Number GuppiCards::number(const std::string& place, const char* key, std::optional<Number> fallback,
                          Number least, Number most) const {
  std::optional<std::string> found = text(key);
  if (!found && fallback) return *fallback;
  if (!found) throw ConfigError(fmt::format("{}: the GUPPI header has no {}", place, key));
  // FITS also has exponents with D, and a sign before positive numbers.
  if (std::is_floating_point_v<Number>) std::ranges::replace(*found, 'D', 'E');
  const char *const begin = found->data() + (found->starts_with('+') ? 1 : 0), *const end = found->data() +
                                                                                            found->size();
  Number value{};
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || rest != end || !(value >= least && value <= most))
    refuse(place, key, fmt::format("a number from {} to {}", least, most));
  return value;
}
template std::uint64_t GuppiCards::number(const std::string&, const char*, std::optional<std::uint64_t>,
                                          std::uint64_t, std::uint64_t) const;
template double GuppiCards::number(const std::string&, const char*, std::optional<double>, double,
                                   double) const;

void GuppiCards::refuse(const std::string& place, const char* key, const std::string& expected) const {
  throw ConfigError(fmt::format("{}: the GUPPI header has {} {}: expected {}", place, key,
                                excerpt(text(key).value_or("")), expected));
}

GuppiHeader read_guppi_header(const GuppiCards& cards, const std::string& place, const GuppiReading& reading,
                              HeaderNotes* notes) {
  const auto whole = [&](const char* key, std::optional<std::uint64_t> fallback, std::uint64_t least,
                         std::uint64_t most) {
    return cards.number<std::uint64_t>(place, key, fallback, least, most);
  };
  const auto real = [&](const char* key, std::optional<double> fallback, double least, double most) {
    return cards.number<double>(place, key, fallback, least, most);
  };
  if (notes != nullptr)
    for (const auto& [key, value] : cards.values()) (void)notes->take(key, value);
  GuppiHeader header;
  header.channels = whole("OBSNCHAN", {}, 1, 1 << 20);
  const std::uint64_t numbers = whole("NPOL", {}, 1, 4);
  if (numbers == 3) cards.refuse(place, "NPOL", "1, 2 or 4");
  // 4 counts real and imaginary parts of two polarisations.
  header.is_complex = header.channels > 1 || numbers == 4;
  header.polarisations = reading.polarisations > 0 ? reading.polarisations : numbers == 1 ? 1 : 2;
  if (notes != nullptr && numbers == 2 && reading.polarisations == 0)
    notes->warn(
        fmt::format("{}: NPOL 2 is read as two polarisations; if the writer counts real and imaginary parts, "
                    "set the parameter polarisations to 1",
                    place));
  if (notes != nullptr && !header.is_complex)
    notes->warn(fmt::format("{}: OBSNCHAN 1 with NPOL {} is read as real samples", place, numbers));
  header.bits = whole("NBITS", {}, 2, 32);
  if (header.bits != 8 && header.bits != 16) cards.refuse(place, "NBITS", "8 or 16");
  if (const std::string type = cards.text("DATATYPE").value_or("INTEGER"); type != "INTEGER" && type != "INT")
    cards.refuse(place, "DATATYPE", "INTEGER");
  header.is_time_first = cards.text("PKTFMT").value_or("") == "SIMPLE";
  header.block_bytes = whole("BLOCSIZE", {}, 1, largest_block);
  header.overlap = whole("OVERLAP", 0, 0, largest_block);
  header.is_padded = whole("DIRECTIO", 0, 0, 1) != 0;
  header.antennas = whole("NANTS", 1, 1, 1 << 16);
  if (header.channels % header.antennas != 0)
    cards.refuse(place, "NANTS", fmt::format("a divisor of OBSNCHAN {}", header.channels));
  if (header.block_bytes % header.sample_bytes() != 0 ||
      header.overlap >= header.block_bytes / header.sample_bytes())
    cards.refuse(place, "BLOCSIZE",
                 fmt::format("a multiple of the {} bytes of a sample, and more than OVERLAP {} of them",
                             header.sample_bytes(), header.overlap));
  header.sample_s = real("TBIN", {}, 1e-15, 1e6);
  header.frequency_hz = real("OBSFREQ", 0.0, -1e9, 1e9) * mhz_of_guppi;
  header.bandwidth_hz = real("OBSBW", 0.0, -1e9, 1e9) * mhz_of_guppi;
  if (notes != nullptr && (header.frequency_hz == 0 || header.bandwidth_hz == 0))
    notes->warn(fmt::format("{}: the GUPPI header has no {}: the channels' frequencies are not known", place,
                            header.frequency_hz == 0 ? "OBSFREQ" : "OBSBW"));
  return header;
}

}  // namespace takt::sensors
