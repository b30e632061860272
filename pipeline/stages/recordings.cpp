#include "pipeline/stages/recordings.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "pipeline/config/guarded_source.hpp"
#include "pipeline/stages/sources.hpp"
#include "sensors/guppi/recording.hpp"
#include "sensors/hdf5/recording.hpp"
#include "sensors/lofar/recording.hpp"
#include "sensors/lwa/recording.hpp"
#include "sensors/vdif/recording.hpp"

namespace takt::pipeline {

namespace {

constexpr std::size_t beginning_bytes = 4096;

std::string beginning_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(beginning_bytes, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

/// A record starts with its number, its quality, a blank.
bool begins_as_mseed(std::string_view text) {
  constexpr std::size_t digits = 6, quality = digits + 1;
  if (text.size() < 48) return false;
  const bool is_numbered = std::ranges::all_of(text.substr(0, digits), [](unsigned char letter) {
    return std::isdigit(letter) != 0 || letter == ' ';
  });
  return is_numbered && std::string_view("DRQM").find(text[digits]) != std::string_view::npos &&
         (text[quality] == ' ' || text[quality] == '\0');
}

/// Returns true if a reader recognises the beginning of the file.
template <class Read>
bool is_read(Read&& read) {
  try {
    read();
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

const RecordingFormat& format_named(std::string_view name) {
  return *std::ranges::find(recording_formats(), name, &RecordingFormat::name);
}

/// Makes the built-in source of that name for this file.
std::unique_ptr<sensors::Source> source_of(const std::string& type, const std::string& parameter,
                                           const std::filesystem::path& file,
                                           const std::vector<std::string>& settings) {
  const auto kind = std::ranges::find(all_sources(), type, &SourceKind::name);
  const SourceLocation where{file.string()};
  ErrorList errors;
  std::map<std::string, Parameters::Value> written;
  written[parameter] = {.texts = {file.string()}, .is_list = parameter == "files", .where = where};
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw ConfigError(fmt::format("--set '{}': expected key=value", setting));
    const std::string name = setting.substr(0, equals);
    const auto spec = std::ranges::find(kind->parameters, name, &ParameterSpec::name);
    const bool is_list = spec != kind->parameters.end() &&
                         (spec->type == ParameterType::integers || spec->type == ParameterType::texts);
    written[name] = {.texts = {setting.substr(equals + 1)}, .is_list = is_list, .where = where};
  }
  const Parameters parameters(kind->parameters, std::move(written), where, errors);
  errors.throw_if_any();
  try {
    return make_guarded(*kind, parameters);
  } catch (const ConfigError& error) {
    // For pipelines, readers prefix the file's name after the place; here that place is the file itself.
    std::string message = error.message();
    const std::string twice = file.string() + ": ";
    if (const std::size_t at = message.find(twice); at != std::string::npos) message.erase(at, twice.size());
    // The user can add information that the file lacks.
    const std::string begin = "parameter '";
    if (const std::string name = message.substr(0, message.find("':"));
        name.starts_with(begin) && name.substr(begin.size()) != parameter)
      message += fmt::format("; --set {}=VALUE gives it", name.substr(begin.size()));
    throw ConfigError({file.string()}, message);
  }
}

/// Frames stored one after the other in a file, each optionally with its header and flags.
class RawRecording final : public sensors::Source {
 public:
  RawRecording(const std::filesystem::path& file, FrameType type, bool has_headers, bool has_flags)
      : path_(file), type_(std::move(type)), has_headers_(has_headers), has_flags_(has_flags) {
    if (!has_flags_) type_.parts.clear();
    bytes_.resize(type_.size().count);
  }

  [[nodiscard]] const FrameType& type() const override { return type_; }
  void start() override {
    file_.open(path_, std::ios::binary);
    if (!file_) throw ConfigError({path_.string()}, "cannot be read");
  }
  sensors::SourceState poll(sensors::FrameView& frame) override {
    if (has_headers_ && !read(&header_, sensors::written_header_bytes)) return sensors::SourceState::ended;
    if (!read(bytes_.data(), bytes_.size())) return sensors::SourceState::ended;
    if (!has_headers_) header_ = {.sequence = number_};
    ++number_;
    frame = {&header_, bytes_};
    return sensors::SourceState::frame;
  }
  void release() override {}
  void stop() override {}
  [[nodiscard]] sensors::SourceCounters counters() const override {
    return {.ingested = number_, .details = {{"bytes_left_over", "bytes", left_over_}}};
  }

 private:
  /// Returns true if the file had this number of bytes left.
  bool read(void* to, std::size_t bytes) {
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    const auto count = static_cast<std::size_t>(file_.gcount());
    if (count < bytes) left_over_ += count;
    return count == bytes;
  }

  const std::filesystem::path path_;
  FrameType type_;
  bool has_headers_, has_flags_;
  std::ifstream file_;
  std::vector<std::byte> bytes_;
  sensors::FrameHeader header_;
  std::uint64_t number_ = 0, left_over_ = 0;
};

/// Returns true if a name is that of a file, or of a continuation of it (`a-2.raw`).
bool is_of(const std::filesystem::path& file, const std::string& written) {
  const std::filesystem::path path = written;
  if (path.filename() == file.filename()) return true;
  const std::string stem = path.stem().string(), own = file.stem().string();
  return path.extension() == file.extension() && own.starts_with(stem + '-') &&
         own.find_first_not_of("0123456789", stem.size() + 1) == std::string::npos;
}

/// Returns the file that a stage writes or reads, if the stage describes frames without a header.
std::optional<std::string> name_of_raw(const Stage& stage) {
  if (stage.kind == StageKind::sink && stage.type == "raw") return stage.parameters.text("path");
  if (stage.kind == StageKind::source && stage.type == "raw_file")
    return stage.parameters.texts("file").front();
  return std::nullopt;
}

/// Returns the source of captures for a source's format: itself, or `spead_pcap` for `spead_udp`.
const SourceKind* captured_kind(const Stage& stage) {
  if (stage.kind != StageKind::source) return nullptr;
  const std::string live = "udp", recorded = "pcap";
  std::string type = stage.type;
  if (type.ends_with(live))
    type.replace(type.size() - live.size(), live.size(), type == live ? "udp_pcap" : recorded);
  if (!type.ends_with("_pcap")) return nullptr;
  const auto kind = std::ranges::find(all_sources(), type, &SourceKind::name);
  return kind == all_sources().end() ? nullptr : &*kind;
}

/// Returns the file that a source of packets reads, or the source's own name if it is live; otherwise
/// nothing.
std::optional<std::string> name_of_captured(const Stage& stage) {
  if (captured_kind(stage) == nullptr) return std::nullopt;
  return stage.parameters.has("file") ? stage.parameters.texts("file").front() : stage.name;
}

std::unique_ptr<sensors::Source> captured(const Stage& stage, const std::filesystem::path& file) {
  const SourceKind& kind = *captured_kind(stage);
  const auto value = [&](const std::string& text) {
    return Parameters::Value{.texts = {text}, .where = stage.parameters.where()};
  };
  ErrorList errors;
  const Parameters parameters =
      stage.parameters.as(kind.parameters, {{"file", value(file.string())}, {"speed", value("0")}}, errors);
  errors.throw_if_any();
  return kind.make(parameters, 0);
}

}  // namespace

const std::vector<RecordingFormat>& recording_formats() {
  static const std::vector<RecordingFormat> table{
      {"sigproc", ".fil", "SIGPROC filterbank"},
      {"dada", ".dada", "PSRDADA"},
      {"guppi", ".raw", "GUPPI raw"},
      {"psrfits", ".fits", "PSRFITS search mode"},
      {"hdf5", ".h5", "HDF5, as the sink hdf5 writes it"},
      {"sigmf", ".sigmf-meta", "SigMF"},
      {"wav", ".wav", "WAV of a receiver or of audio"},
      {"mseed", ".mseed", "miniSEED"},
      {"vdif", ".vdif", "VDIF"},
      {"mark5b", ".m5b", "Mark 5B"},
      {"lofar", ".raw", "packets of a LOFAR station"},
      {"lwa", ".lwa", "packets of an LWA station, TBN or DRX"},
      {"raw", ".raw", "frames without a header, described by a pipeline"},
      {"pcap", ".pcap", "captured datagrams, described by a pipeline"}};
  return table;
}

bool is_capture(const std::filesystem::path& file) {
  const std::string begin = beginning_of(file).substr(0, 4);
  using namespace std::string_view_literals;
  return begin == "\xA1\xB2\xC3\xD4"sv || begin == "\xD4\xC3\xB2\xA1"sv || begin == "\xA1\xB2\x3C\x4D"sv ||
         begin == "\x4D\x3C\xB2\xA1"sv || begin == "\x0A\x0D\x0D\x0A"sv;
}

std::optional<Recording> open_recording(const std::filesystem::path& file,
                                        const std::vector<std::string>& settings) {
  const std::string extension = file.extension().string();
  const auto of = [&](std::string_view format, const std::string& type, const std::string& parameter) {
    return Recording{&format_named(format), source_of(type, parameter, file, settings)};
  };
  if (extension == ".sigmf-meta" || extension == ".sigmf-data" || extension == ".sigmf")
    return of("sigmf", "sigmf_file", "file");
  const std::string text = beginning_of(file);
  if (text.size() > 16 && text.substr(4, 12) == "HEADER_START") return of("sigproc", "sigproc_file", "file");
  if (text.size() > 12 && text.substr(8, 4) == "WAVE") return of("wav", "wav_file", "file");
  if (text.starts_with("SIMPLE  =")) return of("psrfits", "psrfits_file", "file");
  if (text.starts_with("\x89HDF"))
    return Recording{&format_named("hdf5"), std::make_unique<sensors::Hdf5Recording>(file)};
  if (text.find("HDR_SIZE") != std::string::npos || extension == ".dada")
    return of("dada", "dada_file", "file");
  if (sensors::begins_as_guppi(text)) return of("guppi", "guppi_file", "file");
  if (text.starts_with("\xED\xDE\xAD\xAB")) return of("mark5b", "mark5b_file", "file");
  if (begins_as_mseed(text) || extension == ".mseed") return of("mseed", "mseed_file", "files");
  // Its packets begin with a sync word, whereas a VDIF header may have any bytes.
  if (extension == ".lwa" || is_read([&] { (void)sensors::read_lwa_format(file); }))
    return of("lwa", "lwa_file", "file");
  if (extension == ".vdif" || is_read([&] { (void)sensors::read_vdif_format(file); }))
    return of("vdif", "vdif_file", "file");
  if (is_read([&] { const sensors::LofarRecording recording({file}); }))
    return of("lofar", "lofar_file", "files");
  return std::nullopt;
}

Recording open_described_recording(const std::filesystem::path& file, const Pipeline& pipeline) {
  const bool is_captured = is_capture(file);
  std::vector<const Stage*> candidates;
  std::vector<std::string> names;
  for (const Stage& stage : pipeline.stages) {
    const std::optional<std::string> name = is_captured ? name_of_captured(stage) : name_of_raw(stage);
    if (!name) continue;
    candidates.push_back(&stage);
    names.push_back(*name);
  }
  if (candidates.empty())
    throw ConfigError({pipeline.file.string()},
                      is_captured
                          ? "has no source for such a capture: expected one such as spead_udp or spead_pcap"
                          : "has neither a sink 'raw' nor a source 'raw_file', which describe such a file");
  const Stage* chosen = candidates.size() == 1 ? candidates.front() : nullptr;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (is_of(file, names[i])) chosen = candidates[i];
  if (chosen == nullptr)
    throw ConfigError({pipeline.file.string()},
                      fmt::format("none of its files is '{}': expected one of {}", file.filename().string(),
                                  fmt::join(names, ", ")));
  if (is_captured) return {&format_named("pcap"), captured(*chosen, file)};
  if (chosen->kind == StageKind::source)
    return {&format_named("raw"),
            pipeline.kernels.find_source(chosen->type)
                ->make(chosen->parameters.with("file", file.string()).with("speed", "0"), 0)};
  return {&format_named("raw"),
          std::make_unique<RawRecording>(file, chosen->output, chosen->parameters.boolean("headers"),
                                         chosen->parameters.boolean("part_flags"))};
}

}  // namespace takt::pipeline
