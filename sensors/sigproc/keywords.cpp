#include "sensors/sigproc/keywords.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

enum class ValueKind : std::uint8_t { flag, character, integer, number, text, inferred };

struct Row {
  HeaderKeyword keyword;
  ValueKind kind;
};

using enum KeywordUse;

constexpr Row rows[] = {
    {{"HEADER_START", obeyed, "begins the header; anything else is not a SIGPROC file"}, ValueKind::flag},
    {{"HEADER_END", obeyed, "ends the header; samples follow"}, ValueKind::flag},
    {{"data_type", obeyed,
      "1 filterbank, 2 time series, 6 dedispersed subbands; without, 1; 0 (raw data) is read as 1 with a "
      "warning; others are refused"},
     ValueKind::integer},
    {{"nbits", obeyed,
      "bits of a value: 1, 2, 4 (the first value of a byte in its lowest bits), 8 and 16 integers, 32 "
      "floating "
      "point; required"},
     ValueKind::integer},
    {{"signed", obeyed,
      "1: integers of 8 or 16 bits are two's complement; 0, or without: unsigned; refused for 1, 2 and 4 "
      "bits"},
     ValueKind::character},
    {{"nchans", obeyed, "channels; required, but of a time series, which has 1 without it"},
     ValueKind::integer},
    {{"nifs", obeyed, "polarisations or Stokes parameters; without, 1"}, ValueKind::integer},
    {{"fch1", obeyed, "centre of the first channel, MHz; required without a table of frequencies"},
     ValueKind::number},
    {{"foff", obeyed,
      "step to the next channel, MHz, of either sign; required for several channels without a table"},
     ValueKind::number},
    {{"FREQUENCY_START", obeyed, "begins a table of frequencies, in place of `fch1` and `foff`"},
     ValueKind::flag},
    {{"fchannel", obeyed, "in such a table: centre of the next channel, MHz; as many as `nchans`"},
     ValueKind::number},
    {{"FREQUENCY_END", obeyed, "ends the table"}, ValueKind::flag},
    {{"tsamp", obeyed, "seconds from a sample to the next one; required"}, ValueKind::number},
    {{"tstart", obeyed, "modified Julian date of the first sample, UTC; required; 0 with a warning"},
     ValueKind::number},
    {{"nsamples", obeyed,
      "samples in the file, 0: unknown; a file with fewer is cut short, of one with more all are read with "
      "a "
      "warning"},
     ValueKind::integer},
    {{"barycentric", carried, "1, with a warning: times are those of the solar system's barycentre"},
     ValueKind::integer},
    {{"pulsarcentric", carried, "1, with a warning: times are those of the pulsar"}, ValueKind::integer},
    {{"refdm", carried, "dispersion measure of a time series or of subbands, pc/cm^3"}, ValueKind::number},
    {{"source_name", carried, "name of the source, may be empty"}, ValueKind::text},
    {{"rawdatafile", carried, "name of the original file, may be empty"}, ValueKind::text},
    {{"telescope_id", carried, "number of the telescope"}, ValueKind::integer},
    {{"machine_id", carried, "number of the backend"}, ValueKind::integer},
    {{"src_raj", carried, "right ascension, hhmmss.s, J2000"}, ValueKind::number},
    {{"src_dej", carried, "declination, ddmmss.s, J2000"}, ValueKind::number},
    {{"az_start", carried, "azimuth at the start, degrees"}, ValueKind::number},
    {{"za_start", carried, "zenith angle at the start, degrees"}, ValueKind::number},
    {{"nbeams", carried, "beams of the receiver"}, ValueKind::integer},
    {{"ibeam", carried, "number of the beam"}, ValueKind::integer},
    {{"period", carried, "of folded profiles, s"}, ValueKind::number},
    {{"nbins", carried, "of folded profiles"}, ValueKind::integer},
    {{"npuls", carried, "of folded profiles: pulses, an integer of 8 or 4 bytes"}, ValueKind::inferred},
};

constexpr auto keywords_of_rows = [] {
  std::array<HeaderKeyword, std::size(rows)> all;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = rows[i].keyword;
  return all;
}();

constexpr std::size_t longest_keyword = 80, longest_text = 4096, length_bytes = 4;

template <class Value>
Value value_at(std::string_view bytes) {
  Value value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

const Row* find_row(std::string_view keyword) {
  const auto row = std::ranges::find(rows, keyword, [](const Row& each) { return each.keyword.name; });
  return row == std::end(rows) ? nullptr : row;
}

/// Reports whether a text may be the value of an unknown keyword.
bool is_value(std::string_view text) {
  return is_printable(text) && find_row(text) == nullptr;
}

/// Reads values of a header at offsets; empty if there is none.
class Scanner {
 public:
  explicit Scanner(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::optional<std::string_view> take(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || bytes_.size() - at < count) return {};
    return bytes_.substr(at, count);
  }
  /// Returns the text after its length.
  [[nodiscard]] std::optional<std::string_view> text(std::size_t at, std::size_t least,
                                                     std::size_t most) const {
    const auto prefix = take(at, length_bytes);
    if (!prefix) return {};
    const auto length = value_at<std::int32_t>(*prefix);
    if (length < 0 || static_cast<std::size_t>(length) < least || static_cast<std::size_t>(length) > most)
      return {};
    return take(at + length_bytes, static_cast<std::size_t>(length));
  }
  [[nodiscard]] std::optional<std::string_view> keyword(std::size_t at) const {
    const auto word = text(at, 1, longest_keyword);
    return word && is_printable(*word) ? word : std::nullopt;
  }
  /// Returns the size of a value of the kind at this offset; nothing if there is none.
  [[nodiscard]] std::optional<std::size_t> size_of(ValueKind kind, std::size_t at) const {
    constexpr std::pair<ValueKind, std::size_t> sizes[] = {
        {ValueKind::flag, 0}, {ValueKind::character, 1}, {ValueKind::integer, 4}, {ValueKind::number, 8}};
    for (const auto& [each, size] : sizes)
      if (kind == each) return take(at, size) ? std::optional(size) : std::nullopt;
    const auto word = text(at, 0, longest_text);
    return word ? std::optional(length_bytes + word->size()) : std::nullopt;
  }

  /// Returns the sizes of an unknown keyword's value after which keywords follow up to HEADER_END.
  [[nodiscard]] std::vector<std::pair<ValueKind, std::size_t>> sizes_of_unknown(std::size_t at) {
    std::vector<std::pair<ValueKind, std::size_t>> sizes;
    for (const ValueKind kind :
         {ValueKind::integer, ValueKind::number, ValueKind::text, ValueKind::character, ValueKind::flag}) {
      const auto size = size_of(kind, at);
      if (!size || (kind == ValueKind::text && !is_value(*take(at + length_bytes, *size - length_bytes))))
        continue;
      // A keyword with a text has priority over two keywords of which the first has no value.
      if (kind == ValueKind::flag && !sizes.empty()) continue;
      if (std::ranges::find(sizes, *size, &std::pair<ValueKind, std::size_t>::second) != sizes.end())
        continue;
      if (leads_to_end(at + *size)) sizes.emplace_back(kind, *size);
    }
    return sizes;
  }

 private:
  /// Reports whether keywords follow from here up to HEADER_END. Each offset is checked once.
  [[nodiscard]] bool leads_to_end(std::size_t at) {
    // No real header has a deeper nesting of unknown keywords.
    constexpr std::size_t most_unknown = 500;
    for (;;) {
      const auto word = keyword(at);
      if (!word) return false;
      if (*word == "HEADER_END") return true;
      at += length_bytes + word->size();
      const Row* const row = find_row(*word);
      if (row != nullptr && row->kind != ValueKind::inferred) {
        const auto size = size_of(row->kind, at);
        if (!size) return false;
        at += *size;
        continue;
      }
      if (const auto known = seen_.find(at); known != seen_.end()) return known->second;
      if (depth_ == most_unknown) return false;
      ++depth_;
      const bool leads = !sizes_of_unknown(at).empty();
      --depth_;
      return seen_[at] = leads;
    }
  }

  std::string_view bytes_;
  /// Results after unknown keywords, by offset.
  std::map<std::size_t, bool> seen_;
  std::size_t depth_ = 0;
};

void read_value(SigprocPair& pair, ValueKind kind, std::string_view bytes) {
  if (kind == ValueKind::character) pair.value = std::int64_t{static_cast<signed char>(bytes.front())};
  if (kind == ValueKind::integer) pair.value = std::int64_t{value_at<std::int32_t>(bytes)};
  if (kind == ValueKind::number) pair.value = value_at<double>(bytes);
  if (kind == ValueKind::text) pair.value = std::string(bytes.substr(length_bytes));
}

}  // namespace

const HeaderKeywords& sigproc_keywords() {
  static const HeaderKeywords table{"SIGPROC", "sigproc.md", keywords_of_rows};
  return table;
}

std::string SigprocPair::text() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return "";
}

void refuse_sigproc(const std::string& path, std::size_t offset, const std::string& what) {
  throw ConfigError(fmt::format("{}: not a SIGPROC file: at byte {}: {}", path, offset, what));
}

SigprocPairs::SigprocPairs(std::string_view bytes, const std::string& path) {
  Scanner scanner(bytes);
  std::size_t at = 0;
  if (scanner.keyword(at) != "HEADER_START") refuse_sigproc(path, 0, "expected HEADER_START");
  at += length_bytes + std::string_view("HEADER_START").size();
  for (;;) {
    const auto word = scanner.keyword(at);
    if (!word && !scanner.take(at, length_bytes)) refuse_sigproc(path, at, "the file ends within the header");
    if (!word)
      refuse_sigproc(path, at,
                     fmt::format("expected a keyword of 1 to {} letters or HEADER_END", longest_keyword));
    SigprocPair pair{.keyword = std::string(*word), .value = {}, .offset = at};
    at += length_bytes + word->size();
    if (pair.keyword == "HEADER_END") break;
    if (pair.keyword == "HEADER_START") refuse_sigproc(path, pair.offset, "a second HEADER_START");
    const Row* const row = find_row(pair.keyword);
    ValueKind kind = row == nullptr ? ValueKind::inferred : row->kind;
    std::optional<std::size_t> size = scanner.size_of(kind, at);
    if (kind == ValueKind::inferred) {
      const auto sizes = scanner.sizes_of_unknown(at);
      if (sizes.size() != 1)
        refuse_sigproc(path, pair.offset,
                       fmt::format("the keyword '{}' is unknown, and the size of its value cannot be "
                                   "inferred: {} lead to HEADER_END",
                                   pair.keyword, sizes.empty() ? "none of the sizes" : "several sizes"));
      std::tie(kind, size) = sizes.front();
    }
    if (!size)
      refuse_sigproc(path, at,
                     fmt::format("the file ends within the header: '{}' has no value", pair.keyword));
    read_value(pair, kind, *scanner.take(at, *size));
    at += *size;
    pairs_.push_back(std::move(pair));
  }
  header_bytes_ = at;
}

}  // namespace takt::sensors
