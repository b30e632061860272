#include "sensors/sigmf/header.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/files/input_stream.hpp"
#include "sensors/option_error.hpp"
#include "sensors/sigmf/archive.hpp"
#include "sensors/sigmf/keywords.hpp"

namespace takt::sensors {

namespace {

using Json = nlohmann::json;
constexpr std::size_t most_sigmf_channels = 65536;
constexpr std::uint64_t most_samples = std::uint64_t{1} << 53;
constexpr std::string_view meta_extension = ".sigmf-meta", data_extension = ".sigmf-data";

/// Values of a JSON object, with errors that contain the file and the key.
class SigmfFields {
 public:
  /// `where` precedes the key: `captures[1] `. The object must outlive this one.
  SigmfFields(std::string path, std::string where, const Json& object)
      : path_(std::move(path)), where_(std::move(where)), object_(object) {
    if (!object_.is_object())
      throw ConfigError(
          fmt::format("{}: {}is {}: expected an object", path_, where_, excerpt(object_.dump())));
  }

  [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }
  [[nodiscard]] std::string text(const char* key) const {
    if (!object_.at(key).is_string()) refuse(key, "a text");
    return object_.at(key).get<std::string>();
  }
  [[nodiscard]] double number(const char* key, double least, double most) const {
    const Json& value = object_.at(key);
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
      refuse(key, fmt::format("a number from {} to {}", least, most));
    return value.get<double>();
  }
  [[nodiscard]] std::uint64_t count(const char* key, std::uint64_t least, std::uint64_t most,
                                    std::uint64_t fallback) const {
    if (!has(key)) return fallback;
    const double value = number(key, static_cast<double>(least), static_cast<double>(most));
    if (std::trunc(value) != value) refuse(key, "an integer");
    return object_.at(key).is_number_unsigned() ? object_.at(key).get<std::uint64_t>()
                                                : static_cast<std::uint64_t>(value);
  }
  [[nodiscard]] bool boolean(const char* key) const {
    if (!object_.at(key).is_boolean()) refuse(key, "true or false");
    return object_.at(key).get<bool>();
  }
  [[noreturn]] void refuse(const char* key, const std::string& expected) const {
    throw ConfigError(fmt::format("{}: {}{} is {}: expected {}", path_, where_, key,
                                  excerpt(has(key) ? object_.at(key).dump() : std::string("not there")),
                                  expected));
  }
  /// Looks all keys up in the table; there, `object` precedes them.
  void note_all(HeaderNotes& notes, const std::string& object) const {
    for (const auto& [key, value] : object_.items())
      notes.take(object + key, value.is_string() ? value.get<std::string>() : value.dump());
  }

 private:
  const std::string path_, where_;
  const Json& object_;
};

/// Parses `cf32_le`, `ri16_be`, `cu8`.
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
  const std::string number = text.substr(1, text.size() - 1 - order.size());
  using Kind = SampleNumber::Kind;
  constexpr std::array<std::pair<std::string_view, SampleNumber>, 8> known{
      {{"f32", {Kind::floating, 4}},
       {"f64", {Kind::floating, 8}},
       {"i32", {Kind::integer, 4}},
       {"i16", {Kind::integer, 2}},
       {"i8", {Kind::integer, 1}},
       {"u32", {Kind::unsigned_integer, 4}},
       {"u16", {Kind::unsigned_integer, 2}},
       {"u8", {Kind::unsigned_integer, 1}}}};
  const auto* const found =
      std::ranges::find(known, number, &std::pair<std::string_view, SampleNumber>::first);
  if (found == known.end()) global.refuse(key, expected);
  header.number = found->second;
  header.number.is_big_endian = order == "_be";
  if (order.empty() && header.number.bytes > 1) global.refuse(key, expected);
}

void check_extensions(const SigmfFields& global, const Json& object, const std::string& path) {
  constexpr const char* key = "core:extensions";
  if (!global.has(key)) return;
  const Json& extensions = object.at(key);
  // In versions 0.x, an object of names and versions without the optional ones.
  if (extensions.is_object()) return;
  if (!extensions.is_array()) global.refuse(key, "a list");
  for (const Json& each : extensions) {
    if (!each.is_object() || !each.contains("name") || !each.at("name").is_string() ||
        !each.contains("optional") || !each.at("optional").is_boolean())
      global.refuse(key, "a list of objects with 'name', 'version' and 'optional'");
    if (!each.at("optional").get<bool>())
      throw ConfigError(fmt::format("{}: {}: the extension '{}' is required, but takt does not support it",
                                    path, key, excerpt(each.at("name").get<std::string>())));
  }
}

void read_time(const SigmfFields& fields, SigmfCapture& capture) {
  constexpr const char* key = "core:datetime";
  if (!fields.has(key)) return;
  std::string time = fields.text(key);
  for (const std::string zone : {"Z", "z", "+00:00"})
    if (time.ends_with(zone)) {
      time.resize(time.size() - zone.size());
      break;
    }
  try {
    capture.utc_ns = parse_utc(time);
  } catch (const ConfigError&) {
    fields.refuse(key, "a time such as 2023-07-02T01:37:40.5Z");
  }
  if (const std::size_t point = time.find('.'); point != std::string::npos)
    capture.utc_digit_ns = std::llround(std::pow(10.0, 9.0 - static_cast<double>(time.size() - point - 1)));
}

void read_captures(const Json& json, HeaderNotes& notes, SigmfHeader& header) {
  const Json* const captures = json.contains("captures") ? &json.at("captures") : nullptr;
  if (captures != nullptr && !captures->is_array())
    throw ConfigError(fmt::format("{}: captures is not a list", header.meta));
  for (std::size_t i = 0; captures != nullptr && i < captures->size(); ++i) {
    const std::string where = fmt::format("captures[{}] ", i);
    const SigmfFields fields(header.meta, where, captures->at(i));
    fields.note_all(notes, "captures ");
    SigmfCapture capture;
    capture.first_sample = fields.count("core:sample_start", 0, most_samples, 0);
    capture.header_bytes = fields.count("core:header_bytes", 0, most_samples, 0);
    if (fields.has("core:frequency")) capture.frequency_hz = fields.number("core:frequency", -1e15, 1e15);
    if (fields.has("core:global_index"))
      capture.global_index = fields.count("core:global_index", 0, std::uint64_t{1} << 62, 0);
    read_time(fields, capture);
    if (capture.first_sample < header.offset) {
      if (i > 0 || capture.first_sample > 0)
        fields.refuse("core:sample_start", fmt::format("core:offset {} or more", header.offset));
      notes.warn(fmt::format("{}: {}core:sample_start is 0: read as core:offset {}", header.meta, where,
                             header.offset));
      capture.first_sample = header.offset;
    }
    if (i > 0 && capture.first_sample < header.captures.back().first_sample)
      fields.refuse("core:sample_start", "segments in the order of their samples");
    header.captures.push_back(capture);
  }
  if (header.captures.empty()) {
    header.captures.emplace_back();
    header.captures.back().first_sample = header.offset;
  }
  header.described_end = header.captures.back().first_sample;
  header.described_by = "captures";
  if (header.captures.front().first_sample > header.offset)
    notes.warn(fmt::format("{}: captures[0] begins at sample {}: {} samples before it are skipped",
                           header.meta, header.captures.front().first_sample,
                           header.captures.front().first_sample - header.offset));
  if (std::ranges::none_of(header.captures, [](const SigmfCapture& each) { return each.utc_ns.has_value(); }))
    notes.warn(fmt::format("{}: no core:datetime: times count from 1970-01-01", header.meta));
}

void read_annotations(const Json& json, HeaderNotes& notes, SigmfHeader& header) {
  if (!json.contains("annotations")) return;
  const Json& annotations = json.at("annotations");
  if (!annotations.is_array()) throw ConfigError(fmt::format("{}: annotations is not a list", header.meta));
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const SigmfFields fields(header.meta, fmt::format("annotations[{}] ", i), annotations.at(i));
    fields.note_all(notes, "annotations ");
    const std::uint64_t end = fields.count("core:sample_start", 0, most_samples, 0) +
                              fields.count("core:sample_count", 0, most_samples, 0);
    if (end <= header.described_end) continue;
    header.described_end = end;
    header.described_by = fmt::format("annotations[{}]", i);
  }
}

/// Returns the line and column of a byte.
SourceLocation location_in(const std::string& text, std::size_t at, const std::string& file) {
  const std::string_view before = std::string_view(text).substr(0, at);
  const std::size_t line_begin = before.rfind('\n') + 1;
  return {file, static_cast<int>(std::ranges::count(before, '\n')) + 1,
          static_cast<int>(before.size() - line_begin) + 1};
}

/// Parses JSON; a discarded value if it is not valid. Throws ConfigError if an object has a key twice, of
/// which the JSON library keeps the last value, or there are too many levels.
Json parse_metadata(const std::string& text, const std::string& file) {
  // The JSON library formats values recursively.
  constexpr int most_levels = 100;
  std::istringstream in(text);
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, Json::parse_event_t event, const Json& value) {
    if (depth > most_levels)
      throw ConfigError(
          fmt::format("{}: not SigMF metadata: objects in more than {} levels", file, most_levels));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event != Json::parse_event_t::key || keys.back().insert(value.get<std::string>()).second) return true;
    // The stream is after the key's second quotation mark.
    const auto end = static_cast<std::size_t>(in.tellg());
    const std::string& key = value.get_ref<const std::string&>();
    const std::size_t begin = text.rfind('"' + key + '"', end);
    throw ConfigError(location_in(text, std::min(begin, end), file),
                      fmt::format("the key '{}' is in its object twice: expected one value", excerpt(key)));
  };
  return Json::parse(in, check, false);
}

/// Reads the properties that follow from the metadata alone.
Json read_metadata(const std::string& text, SigmfHeader& header) {
  Json json = parse_metadata(text, header.meta);
  if (json.is_object() && json.contains("collection"))
    throw ConfigError(fmt::format("{}: a collection: expected one of its recordings", header.meta));
  if (!json.is_object() || !json.contains("global") || !json.at("global").is_object())
    throw ConfigError(
        fmt::format("{}: not SigMF metadata: expected a JSON object with 'global'", header.meta));
  HeaderNotes notes(sigmf_keywords(), header.meta);
  for (const auto& [key, value] : json.items()) notes.take(key, value.type_name());
  const SigmfFields global(header.meta, "", json.at("global"));
  global.note_all(notes, "");
  read_datatype(global, header);
  check_extensions(global, json.at("global"), header.meta);
  if (global.has("core:metadata_only") && global.boolean("core:metadata_only"))
    global.refuse("core:metadata_only", "a recording with samples");
  if (global.has("core:version")) {
    const std::string version = global.text("core:version");
    if (!version.starts_with("0.") && !version.starts_with("1.")) global.refuse("core:version", "0 or 1");
  }
  if (global.has("core:sample_rate"))
    header.sample_hz = global.number("core:sample_rate", 1e-9, 1e15);
  else
    notes.warn(fmt::format("{}: no core:sample_rate: the rate is unknown, and so are all times but the first",
                           header.meta));
  header.channels = global.count("core:num_channels", 1, most_sigmf_channels, 1);
  header.offset = global.count("core:offset", 0, most_samples, 0);
  if (global.has("core:sha512")) {
    header.sha512 = global.text("core:sha512");
    std::ranges::transform(header.sha512, header.sha512.begin(),
                           [](unsigned char c) { return std::tolower(c); });
    constexpr std::size_t digits = 128;
    if (header.sha512.size() != digits ||
        header.sha512.find_first_not_of("0123456789abcdef") != std::string::npos)
      global.refuse("core:sha512", "128 hexadecimal digits");
  }
  read_captures(json, notes, header);
  read_annotations(json, notes, header);
  header.warnings = notes.warnings();
  header.description = notes.description();
  return json;
}

/// Returns the name of the sample file that belongs to the metadata.
std::string dataset_of(const Json& json, const SigmfHeader& header, const std::string& base) {
  const SigmfFields global(header.meta, "", json.at("global"));
  if (!global.has("core:dataset")) return base + std::string(data_extension);
  std::string name = global.text("core:dataset");
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos)
    global.refuse("core:dataset", "the name of a file in the same directory");
  return name;
}

/// Determines the extent of the samples in a file whose dataset has this many bytes.
void place_samples(const Json& json, std::uint64_t begin, std::uint64_t bytes, SigmfHeader& header) {
  const SigmfFields global(header.meta, "", json.at("global"));
  const std::uint64_t trailing = global.count("core:trailing_bytes", 0, most_samples, 0);
  if (trailing > bytes)
    global.refuse("core:trailing_bytes", fmt::format("at most the {} bytes of the file of samples", bytes));
  header.begin = begin;
  header.dataset_bytes = bytes;
  header.end = begin + bytes - trailing;
}

std::string whole_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    throw ConfigError(fmt::format("{}: cannot read the file: {}", path.string(), std::strerror(errno)));
  if (is_compressed(path))
    throw ConfigError(fmt::format("{}: cannot read compressed metadata: decompress them", path.string()));
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

SigmfHeader read_pair(const std::filesystem::path& base) {
  SigmfHeader header;
  header.meta = base.string() + std::string(meta_extension);
  const Json json = read_metadata(whole_file(header.meta), header);
  header.data = base.parent_path() / dataset_of(json, header, base.filename().string());
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(header.data, error);
  if (error || !std::filesystem::is_regular_file(header.data))
    throw ConfigError(
        fmt::format("{}: cannot read the file of samples '{}': expected it next to the metadata{}",
                    header.meta, header.data.filename().string(),
                    json.at("global").contains("core:dataset") ? " (core:dataset)" : ""));
  if (is_compressed(header.data))
    throw ConfigError(
        fmt::format("{}: cannot read the compressed file of samples '{}' at arbitrary places: decompress it",
                    header.meta, header.data.filename().string()));
  place_samples(json, 0, bytes, header);
  return header;
}

const ArchiveMember* find_member(const std::vector<ArchiveMember>& members, const std::string& name) {
  const auto found = std::ranges::find(members, name, &ArchiveMember::name);
  return found == members.end() ? nullptr : &*found;
}

/// Returns the archive member with the metadata of a recording.
const ArchiveMember& metadata_in(const std::vector<ArchiveMember>& members, const std::filesystem::path& file,
                                 const std::string& recording) {
  const ArchiveMember* chosen = nullptr;
  std::string names;
  std::size_t count = 0;
  for (const ArchiveMember& each : members) {
    const std::filesystem::path path = each.name;
    if (path.extension() != meta_extension) continue;
    names += (names.empty() ? "" : ", ") + path.stem().string();
    if (!recording.empty() && path.stem() != recording) continue;
    chosen = &each;
    ++count;
  }
  if (names.empty()) throw ConfigError(fmt::format("{}: the archive has no .sigmf-meta", file.string()));
  if (count != 1)
    throw OptionError("recording", fmt::format("{}: expected the name of one of the archive's recordings: {}",
                                               file.string(), names));
  return *chosen;
}

SigmfHeader read_archived(const std::filesystem::path& file, const std::string& recording) {
  const std::vector<ArchiveMember> members = read_archive(file);
  const ArchiveMember& meta = metadata_in(members, file, recording);
  SigmfHeader header;
  header.meta = fmt::format("{}: {}", file.string(), meta.name);
  header.data = file;
  const std::uint64_t size = std::filesystem::file_size(file);
  if (meta.offset + meta.bytes > size)
    throw ConfigError(fmt::format("{}: the archive is truncated", header.meta));
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(meta.offset));
  std::string text(meta.bytes, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size())))
    throw ConfigError(fmt::format("{}: cannot read the file: {}", header.meta, std::strerror(errno)));
  const Json json = read_metadata(text, header);
  const std::filesystem::path path = meta.name;
  const std::string name = (path.parent_path() / dataset_of(json, header, path.stem().string())).string();
  const ArchiveMember* const data = find_member(members, name);
  if (data == nullptr) throw ConfigError(fmt::format("{}: the archive has no '{}'", header.meta, name));
  const std::uint64_t held = std::min(data->bytes, size - std::min(size, data->offset));
  place_samples(json, data->offset, data->bytes, header);
  if (held < data->bytes) {
    std::uint64_t bytes = header.end - header.begin;
    for (const SigmfCapture& capture : header.captures) bytes -= std::min(bytes, capture.header_bytes);
    header.described_end =
        header.offset + bytes / (header.channels * (header.is_complex ? 2 : 1) * header.number.bytes);
    header.described_by = fmt::format("the archive, which is truncated in '{}',", name);
  }
  return header;
}

}  // namespace

SigmfHeader read_sigmf(const std::filesystem::path& file, const std::string& recording) {
  const std::string extension = file.extension().string();
  if (extension == ".sigmf") return read_archived(file, recording);
  if (extension == ".sigmf-collection")
    throw ConfigError(fmt::format("{}: a collection: expected one of its recordings", file.string()));
  if (!recording.empty())
    throw OptionError("recording", "expected an archive (.sigmf), which may have several");
  const bool is_named = extension == meta_extension || extension == data_extension;
  return read_pair(is_named ? std::filesystem::path(file).replace_extension() : file);
}

}  // namespace takt::sensors
