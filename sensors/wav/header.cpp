#include "sensors/wav/header.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/files/input_stream.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

using enum KeywordUse;

constexpr HeaderKeyword wav_rows[] = {
    {"RIFF", obeyed,
     "begins the file: `RIFF`, `RIFX` (all numbers big-endian), `RF64` or `BW64`, then `WAVE`"},
    {"fmt", obeyed, "required chunk: what the samples are"},
    {"fmt wFormatTag", obeyed,
     "1 integers, 3 floating point, 0xFFFE: the format in `SubFormat`; others are refused"},
    {"fmt nChannels", obeyed, "channels side by side"},
    {"fmt nSamplesPerSec", obeyed, "samples in a second"},
    {"fmt nAvgBytesPerSec", unused, "bytes in a second"},
    {"fmt nBlockAlign", obeyed, "bytes of a sample of all channels; others than channels x bits are refused"},
    {"fmt wBitsPerSample", obeyed, "8 (unsigned), 16, 24, 32; 32 and 64 of floating point"},
    {"fmt wValidBitsPerSample", unused,
     "bits that hold information, the highest ones: values are not shifted"},
    {"fmt cbSize", unused, "bytes of the extension"},
    {"fmt dwChannelMask", unused, "loudspeakers"},
    {"fmt SubFormat", obeyed, "1 or 3, as `wFormatTag`"},
    {"ds64", obeyed, "of RF64 and BW64: sizes in 64 bits"},
    {"ds64 dataSize", obeyed, "bytes of samples, where the chunk `data` has the size 0xFFFFFFFF"},
    {"ds64 riffSize", unused, "bytes of the file"},
    {"ds64 sampleCount", unused, "samples; follows from their bytes"},
    {"ds64 table", unused, "sizes of other chunks"},
    {"data", obeyed,
     "required chunk: samples; a size of 0 or 0xFFFFFFFF reaches to the end of the file, with a warning; a "
     "file "
     "with fewer bytes is cut short"},
    {"auxi", obeyed, "of receivers: pairs of channels are I and Q; as XML it is carried with a warning"},
    {"auxi StartTime", obeyed, "UTC of the first sample; without, times count from 1970, with a warning"},
    {"auxi StopTime", unused, "UTC of the end"},
    {"auxi CenterFreq", obeyed, "centre of the band, Hz"},
    {"auxi ADFrequency", carried, "rate of the converter, Hz"},
    {"auxi IFFrequency", carried, "intermediate frequency, Hz"},
    {"auxi Bandwidth", carried, "bandwidth, Hz"},
    {"auxi IQOffset", unused, "offset of the samples"},
    {"auxi nextfilename", unused, "next file of the recording"},
    {"fact", unused, "samples of compressed formats"},
    {"bext", obeyed, "broadcast extension: the time of the first sample, where `auxi` has none"},
    {"bext Originator", obeyed, "`takt`: times are UTC; of others they are taken as UTC, with a warning"},
    {"bext OriginationDate", obeyed, "day of the first sample"},
    {"bext OriginationTime", obeyed, "second of that day, where `TimeReference` is 0"},
    {"bext TimeReference", obeyed, "samples from midnight to the first one"},
    {"bext Description", carried, "description"},
    {"bext OriginatorReference", carried, "identifier of the recording"},
    {"bext CodingHistory", unused, "how the samples were made"},
    {"bext Version", unused, "of the extension"},
    {"bext UMID", unused, "identifier"},
    {"bext Loudness", unused, "loudness, its range and peaks"},
    {"LIST", unused, "names and comments"},
    {"LIST wavl", refused, "samples in pieces, with silence between them"},
    {"JUNK", unused, "padding"},
    {"PEAK", unused, "largest values"},
    {"cue", unused, "marks"},
    {"plst", unused, "order in which to play"},
    {"smpl", unused, "of sampling instruments"},
    {"inst", unused, "of sampling instruments"},
    {"iXML", unused, "metadata of studios"},
    {"axml", unused, "metadata of studios"},
    {"chna", unused, "tracks of audio scenes"},
    {"id3", unused, "names and comments"},
};

constexpr std::uint32_t size_unknown = 0xFFFFFFFF;
constexpr std::size_t wav_head = 12, chunk_head = 8;

/// Reads numbers from a chunk's bytes.
class ChunkFields {
 public:
  ChunkFields(std::string_view bytes, bool is_big_endian) : bytes_(bytes), is_big_endian_(is_big_endian) {}
  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size && at + i < bytes_.size(); ++i)
      value |= std::uint64_t{static_cast<unsigned char>(bytes_[at + i])}
               << (8 * (is_big_endian_ ? size - 1 - i : i));
    return value;
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool is_big_endian_;
};

class WavReader {
 public:
  explicit WavReader(const std::filesystem::path& file) : path_(file.string()), in_(file, std::ios::binary) {
    std::error_code error;
    size_ = std::filesystem::file_size(file, error);
    if (!in_ || error || std::filesystem::is_directory(file))
      throw ConfigError(fmt::format("{}: cannot read the file: {}", path_, std::strerror(errno)));
    header_.file = file;
  }

  WavHeader read() {
    if (is_compressed(header_.file)) refuse("cannot read a compressed WAV file: decompress it");
    const std::string head = bytes_at(0, wav_head);
    const std::string kind = head.substr(0, std::min<std::size_t>(4, head.size()));
    if (head.size() < wav_head || head.substr(8) != "WAVE" ||
        (kind != "RIFF" && kind != "RIFX" && kind != "RF64" && kind != "BW64"))
      refuse("not a WAV file: expected RIFF, RIFX, RF64 or BW64, and WAVE");
    is_big_endian_ = kind == "RIFX";
    for (std::uint64_t at = wav_head; at < size_;) at = read_chunk(at);
    if (!has_format_) refuse("no chunk 'fmt '");
    if (!has_data_) refuse("no chunk 'data'");
    finish();
    header_.warnings = notes_.warnings();
    header_.description = notes_.description();
    return header_;
  }

 private:
  /// Returns the offset of the next chunk.
  std::uint64_t read_chunk(std::uint64_t at) {
    const std::string head = bytes_at(at, chunk_head);
    std::string name = head.substr(0, std::min<std::size_t>(4, head.size()));
    const bool is_name =
        head.size() == chunk_head && std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
    if (!is_name) {
      notes_.warn(
          fmt::format("{}: {} bytes from byte {} are not a chunk: they are skipped", path_, size_ - at, at));
      return size_;
    }
    const auto told = static_cast<std::uint32_t>(ChunkFields(head, is_big_endian_).number(4, 4));
    while (name.ends_with(' ')) name.pop_back();
    const std::uint64_t begin = at + chunk_head;
    if (name == "data") return take_data(begin, told);
    notes_.take(name, fmt::format("{} bytes", told));
    constexpr std::uint64_t longest = 1 << 20;
    const std::string bytes = bytes_at(begin, std::min<std::uint64_t>(told, longest));
    const ChunkFields fields(bytes, is_big_endian_);
    if (name == "fmt") take_format(fields);
    if (name == "ds64") data_bytes_ = fields.number(8, 8);
    if (name == "auxi") take_auxi(fields, bytes);
    if (name == "bext") take_bext(fields, bytes);
    if (name == "LIST" && bytes.starts_with("wavl"))
      refuse("LIST wavl: samples in pieces with silence between them: expected one chunk 'data'");
    return begin + told + told % 2;
  }

  std::uint64_t take_data(std::uint64_t begin, std::uint32_t told) {
    if (has_data_) refuse("a second chunk 'data'");
    has_data_ = true;
    header_.begin = begin;
    std::uint64_t bytes = told;
    if (told == size_unknown && data_bytes_) bytes = *data_bytes_;
    if (bytes == size_unknown || (bytes == 0 && size_ > begin)) {
      notes_.warn(
          fmt::format("{}: the chunk 'data' has no size: samples reach to the end of the file", path_));
      bytes = size_ - begin;
    } else {
      declared_bytes_ = bytes;
    }
    header_.end = begin + std::min(bytes, size_ - begin);
    return bytes >= size_ - begin ? size_ : begin + bytes + bytes % 2;
  }

  void take_format(const ChunkFields& fields) {
    constexpr std::size_t least = 16, extended = 40;
    constexpr std::uint64_t integers = 1, floating = 3, extensible = 0xFFFE;
    if (has_format_) refuse("a second chunk 'fmt '");
    if (fields.size() < least)
      refuse(fmt::format("'fmt ' of {} bytes: expected {} or more", fields.size(), least));
    has_format_ = true;
    std::uint64_t tag = fields.number(0, 2);
    if (tag == extensible) {
      if (fields.size() < extended) refuse("'fmt ' of an extensible format without SubFormat");
      tag = fields.number(24, 2);
      if (fields.number(26, 2) != 0)
        refuse("fmt SubFormat is not known: expected 1 (integers) or 3 (floating point)");
    }
    if (tag != integers && tag != floating)
      refuse(fmt::format("fmt wFormatTag is {}: expected 1 (integers) or 3 (floating point)", tag));
    const std::uint64_t bits = fields.number(14, 2), align = fields.number(12, 2);
    header_.channels = fields.number(2, 2);
    header_.sample_hz = static_cast<double>(fields.number(4, 4));
    if (header_.channels == 0) refuse("fmt nChannels is 0: expected 1 or more");
    if (header_.sample_hz == 0) refuse("fmt nSamplesPerSec is 0: expected 1 or more");
    const bool is_known =
        tag == floating ? bits == 32 || bits == 64 : bits >= 8 && bits <= 32 && bits % 8 == 0;
    if (!is_known)
      refuse(fmt::format("fmt wBitsPerSample is {}: expected {}", bits,
                         tag == floating ? "32 or 64" : "8, 16, 24 or 32"));
    if (align != header_.channels * bits / 8)
      refuse(fmt::format("fmt nBlockAlign is {}: expected {} ({} channels of {} bits)", align,
                         header_.channels * bits / 8, header_.channels, bits));
    using Kind = SampleNumber::Kind;
    header_.number = {tag == floating ? Kind::floating
                      : bits == 8     ? Kind::unsigned_integer
                                      : Kind::integer,
                      static_cast<std::size_t>(bits / 8), is_big_endian_};
  }

  void take_auxi(const ChunkFields& fields, const std::string& bytes) {
    constexpr std::size_t frequency_at = 32, frequency_end = 36, whole = 48;
    header_.has_auxi = true;
    if (bytes.starts_with('<') || bytes.starts_with(std::string_view("\xFF\xFE")) ||
        fields.size() < frequency_end) {
      notes_.warn(
          fmt::format("{}: the chunk 'auxi' is not in binary form: time and frequency are not read", path_));
      return;
    }
    take_time(fields);
    if (const std::uint64_t hertz = fields.number(frequency_at, 4); hertz > 0)
      header_.frequency_hz = static_cast<double>(hertz);
    if (fields.size() < whole) return;
    notes_.take("auxi ADFrequency", fmt::format("{}", fields.number(36, 4)));
    notes_.take("auxi IFFrequency", fmt::format("{}", fields.number(40, 4)));
    notes_.take("auxi Bandwidth", fmt::format("{}", fields.number(44, 4)));
  }

  /// EBU Tech 3285: texts of 256, 32 and 32 bytes, date, time, and the samples since midnight in two halves,
  /// the lower one first.
  void take_bext(const ChunkFields& fields, const std::string& bytes) {
    using namespace std::chrono;
    constexpr std::size_t originator_at = 256, reference_text_at = 288, date_at = 320, time_at = 330,
                          reference_at = 338, least = 346;
    if (fields.size() < least) {
      notes_.warn(
          fmt::format("{}: the chunk 'bext' is shorter than {} bytes: its time is not read", path_, least));
      return;
    }
    take_text("bext Description", bytes.substr(0, originator_at));
    take_text("bext OriginatorReference", bytes.substr(reference_text_at, date_at - reference_text_at));
    const auto digits = [&](std::size_t at, std::size_t count) {
      unsigned number = 0;
      for (const char digit : std::string_view(bytes).substr(at, count))
        number = digit >= '0' && digit <= '9' ? 10 * number + static_cast<unsigned>(digit - '0') : 0;
      return number;
    };
    const year_month_day date{year{static_cast<int>(digits(date_at, 4))}, month{digits(date_at + 5, 2)},
                              day{digits(date_at + 8, 2)}};
    if (!date.ok() || date.year() < year(1900) || date.year() > year(2200)) {
      notes_.warn(fmt::format("{}: bext OriginationDate is not a date: the time is not read", path_));
      return;
    }
    bext_.midnight_ns = duration_cast<nanoseconds>(sys_days(date).time_since_epoch()).count();
    bext_.samples = fields.number(reference_at, 4) | fields.number(reference_at + 4, 4) << 32;
    bext_.seconds = digits(time_at, 2) * 3600 + digits(time_at + 3, 2) * 60 + digits(time_at + 6, 2);
    bext_.is_utc = std::string_view(bytes).substr(originator_at).starts_with(std::string_view("takt\0", 5));
    has_bext_ = true;
  }

  /// Carries a text of fixed length, padded with zeros or blanks.
  void take_text(std::string_view name, std::string text) {
    text.resize(std::min(text.find('\0'), text.size()));
    while (text.ends_with(' ')) text.pop_back();
    if (!text.empty()) notes_.take(name, text);
  }

  void take_time_of_bext() {
    constexpr std::uint64_t second_ns = 1'000'000'000, day_s = 86'400;
    if (!has_bext_ || header_.utc_ns) return;
    const long double seconds = bext_.samples > 0 ? static_cast<long double>(bext_.samples) /
                                                        static_cast<long double>(header_.sample_hz)
                                                  : static_cast<long double>(bext_.seconds);
    if (seconds >= day_s) {
      notes_.warn(fmt::format(
          "{}: bext TimeReference and OriginationTime are beyond the day: the time is not read", path_));
      return;
    }
    if (!bext_.is_utc) notes_.warn(fmt::format("{}: the time of the chunk 'bext' is taken as UTC", path_));
    header_.utc_ns = bext_.midnight_ns + std::llround(seconds * second_ns);
  }

  /// SYSTEMTIME: year, month, day of the week, day, hour, minute, second, millisecond.
  void take_time(const ChunkFields& fields) {
    using namespace std::chrono;
    std::array<unsigned, 8> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<unsigned>(fields.number(2 * i, 2));
    if (std::ranges::all_of(numbers, [](unsigned each) { return each == 0; })) return;
    const year_month_day date{year{static_cast<int>(numbers[0])}, month{numbers[1]}, day{numbers[3]}};
    if (!date.ok() || numbers[0] < 1900 || numbers[0] > 2200 || numbers[4] > 23 || numbers[5] > 59 ||
        numbers[6] > 59 || numbers[7] > 999)
      refuse("auxi StartTime is not a time");
    const auto time = sys_days(date) + hours(numbers[4]) + minutes(numbers[5]) + seconds(numbers[6]) +
                      milliseconds(numbers[7]);
    header_.utc_ns = duration_cast<nanoseconds>(time.time_since_epoch()).count();
  }

  void finish() {
    take_time_of_bext();
    const std::uint64_t row = header_.channels * header_.number.bytes;
    header_.declared_samples = declared_bytes_ / row;
  }

  std::string bytes_at(std::uint64_t at, std::uint64_t count) {
    std::string bytes(count, '\0');
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(at));
    in_.read(bytes.data(), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(in_.gcount()));
    return bytes;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw ConfigError(fmt::format("{}: {}", path_, what));
  }

  const std::string path_;
  std::ifstream in_;
  std::uint64_t size_ = 0, declared_bytes_ = 0;
  std::optional<std::uint64_t> data_bytes_;
  bool is_big_endian_ = false, has_format_ = false, has_data_ = false;
  bool has_bext_ = false;
  /// From the chunk `bext`.
  struct {
    std::int64_t midnight_ns = 0;
    std::uint64_t samples = 0;
    unsigned seconds = 0;
    bool is_utc = false;
  } bext_;
  HeaderNotes notes_{wav_keywords(), path_};
  WavHeader header_;
};

}  // namespace

const HeaderKeywords& wav_keywords() {
  static const HeaderKeywords table{"WAV", "wav.md", wav_rows};
  return table;
}

WavHeader read_wav(const std::filesystem::path& file) {
  return WavReader(file).read();
}

SampleLayout layout_of(const WavHeader& header, const WavOptions& options) {
  const bool is_iq = options.is_iq.value_or(header.has_auxi);
  if (is_iq && header.channels % 2 != 0)
    throw OptionError(
        "iq",
        fmt::format("{} channels are not pairs of I and Q: expected an even number of them, or iq: real",
                    header.channels));
  const std::size_t parts = is_iq ? 2 : 1, channels = header.channels / parts, samples = options.samples;
  check_frame(static_cast<double>(header.channels) * static_cast<double>(samples));
  SampleLayout layout;
  layout.offset = header.begin;
  layout.end = header.end;
  layout.rows = samples;
  layout.row_hz = header.sample_hz;
  layout.declared_rows = header.declared_samples;
  layout.declared_by = "the chunk 'data'";
  layout.warnings = header.warnings;
  layout.description = header.description;
  layout.utc_ns = options.utc_ns.value_or(header.utc_ns.value_or(0));
  if (!options.utc_ns && !header.utc_ns)
    layout.warnings.push_back(
        fmt::format("{}: no time of the first sample: times count from 1970-01-01", header.file.string()));
  take_as_beamlets(layout, header.number, channels, parts, middle_of(header.number));
  layout.type.unit = "counts";
  layout.type.rate_hz = header.sample_hz / static_cast<double>(samples);
  Axis beamlet{"beamlet", channels, {}}, time{"time", samples, {}};
  if (const double hertz = options.frequency_hz.value_or(header.frequency_hz.value_or(0)); hertz != 0)
    beamlet.coordinates.assign(channels, hertz);
  for (std::size_t i = 0; i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) / header.sample_hz);
  layout.type.axes = {std::move(beamlet), std::move(time), Axis{"polarisation", 1, {}}};
  return layout;
}

}  // namespace takt::sensors
