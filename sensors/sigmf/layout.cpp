#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <sodium.h>

#include "core/error.hpp"
#include "core/leap_seconds.hpp"
#include "sensors/option_error.hpp"
#include "sensors/sigmf/header.hpp"

namespace takt::sensors {

namespace {

/// The positions of the segments in the file, and which of them begin an epoch.
class Segments {
 public:
  Segments(const SigmfHeader& header, std::size_t row_bytes) : header_(header), row_bytes_(row_bytes) {}

  /// Adds all of them, or one. Throws ConfigError for several frequencies.
  void add(std::optional<std::size_t> chosen) {
    std::uint64_t header_bytes = 0;
    for (std::size_t i = 0; i < header_.captures.size(); ++i) {
      const SigmfCapture& capture = header_.captures[i];
      header_bytes += capture.header_bytes;
      const std::uint64_t next = i + 1 < header_.captures.size() ? header_.captures[i + 1].first_sample
                                                                 : std::numeric_limits<std::uint64_t>::max();
      if (next == capture.first_sample || (chosen && *chosen != i)) continue;
      SampleRun run{
          .offset = header_.begin + header_bytes + (capture.first_sample - header_.offset) * row_bytes_,
          .rows = next - capture.first_sample};
      if (anchor_ == nullptr)
        begin_first(i, run);
      else
        follow(i, run);
      runs.push_back(run);
    }
  }

  std::vector<SampleRun> runs;
  std::vector<std::string> warnings;
  /// Frequency of the first segment; NaN: unknown.
  double frequency_hz = std::numeric_limits<double>::quiet_NaN();

 private:
  [[nodiscard]] std::int64_t nanoseconds(std::uint64_t samples) const {
    return static_cast<std::int64_t>(
        std::llround(static_cast<long double>(samples) / static_cast<long double>(header_.sample_hz) * 1e9L));
  }

  /// Returns the time of a sample so many after one with this time.
  [[nodiscard]] std::int64_t time_after(std::int64_t utc_ns, std::uint64_t samples) const {
    return leap_seconds().utc_ns_after(utc_ns, nanoseconds(samples));
  }

  /// Returns a segment's time; without one, computes it from the samples since the last segment with a time.
  [[nodiscard]] std::optional<std::int64_t> time_of(std::size_t segment) const {
    const SigmfCapture& capture = header_.captures[segment];
    for (std::size_t i = segment + 1; i-- > 0;) {
      const SigmfCapture& earlier = header_.captures[i];
      if (!earlier.utc_ns) continue;
      if (i == segment) return earlier.utc_ns;
      if (!(header_.sample_hz > 0)) return {};
      const bool has_index =
          capture.global_index && earlier.global_index && *capture.global_index >= *earlier.global_index;
      return time_after(*earlier.utc_ns, has_index ? *capture.global_index - *earlier.global_index
                                                   : capture.first_sample - earlier.first_sample);
    }
    return {};
  }

  void begin_first(std::size_t segment, SampleRun& run) {
    const std::optional<std::int64_t> utc = time_of(segment);
    // If no segment has a time, the header's reader reports it.
    if (!utc && std::ranges::any_of(header_.captures,
                                    [](const SigmfCapture& each) { return each.utc_ns.has_value(); }))
      warnings.push_back(fmt::format("{}: captures[{}] has no time: its times count from 1970-01-01",
                                     header_.meta, segment));
    begin(header_.captures[segment], run, utc.value_or(0));
    has_utc_ = utc.has_value();
  }

  void begin(const SigmfCapture& capture, SampleRun& run, std::int64_t utc_ns) {
    if (anchor_ == nullptr) frequency_hz = capture.frequency_hz.value_or(frequency_hz);
    anchor_ = &capture;
    anchor_utc_ns_ = utc_ns;
    has_utc_ = has_utc_ || capture.utc_ns.has_value();
    run.begins_epoch = true;
    run.utc_ns = utc_ns;
    run.first_sample = capture.global_index.value_or(capture.first_sample);
  }

  void follow(std::size_t i, SampleRun& run) {
    const SigmfCapture& capture = header_.captures[i];
    if (capture.frequency_hz && capture.frequency_hz != frequency_hz)
      throw OptionError("capture",
                        fmt::format("{}: captures[{}] core:frequency is {} Hz, an earlier segment has {}: "
                                    "expected one segment, chosen by its number (capture)",
                                    header_.meta, i, *capture.frequency_hz,
                                    std::isnan(frequency_hz) ? "none" : fmt::format("{} Hz", frequency_hz)));
    const std::uint64_t rows = capture.first_sample - anchor_->first_sample;
    const bool has_rate = header_.sample_hz > 0;
    std::int64_t expected = has_rate ? time_after(anchor_utc_ns_, rows) : anchor_utc_ns_;
    bool jumps = false;
    if (capture.global_index && anchor_->global_index) {
      const std::uint64_t passed =
          *capture.global_index - std::min(*anchor_->global_index, *capture.global_index);
      jumps = passed != rows;
      if (jumps && has_rate) expected = time_after(anchor_utc_ns_, passed);
    }
    if (capture.utc_ns) {
      // The resolution of a time is its last digit.
      const std::int64_t fineness = std::max(
          {capture.utc_digit_ns, anchor_->utc_digit_ns, has_rate ? nanoseconds(1) / 2 : std::int64_t{0}});
      jumps = jumps || !has_utc_ || !has_rate || std::abs(*capture.utc_ns - expected) > fineness;
      expected = *capture.utc_ns;
    }
    if (!jumps) return;
    warnings.push_back(fmt::format(
        "{}: captures[{}] is not contiguous in time with the previous samples: it begins a new epoch",
        header_.meta, i));
    begin(capture, run, expected);
  }

  const SigmfHeader& header_;
  const std::size_t row_bytes_;
  /// The segment with which the current epoch begins, and its time.
  const SigmfCapture* anchor_ = nullptr;
  std::int64_t anchor_utc_ns_ = 0;
  bool has_utc_ = false;
};

/// Returns the SHA-512 digest of a part of a file, in hexadecimal digits.
std::string digest_of(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  crypto_hash_sha512_state state;
  crypto_hash_sha512_init(&state);
  std::vector<char> buffer(std::size_t{1} << 20);
  while (bytes > 0) {
    file.read(buffer.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(bytes, buffer.size())));
    const auto count = static_cast<std::size_t>(file.gcount());
    if (count == 0) break;
    crypto_hash_sha512_update(&state, reinterpret_cast<const unsigned char*>(buffer.data()), count);
    bytes -= count;
  }
  std::array<unsigned char, crypto_hash_sha512_BYTES> digest{};
  crypto_hash_sha512_final(&state, digest.data());
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

SampleLayout layout_of(const SigmfHeader& header, const SigmfOptions& options) {
  const std::size_t samples = options.samples, parts = header.is_complex ? 2 : 1;
  check_frame(static_cast<double>(header.channels * parts) * static_cast<double>(samples));
  if (options.capture && *options.capture >= header.captures.size())
    throw OptionError("capture", fmt::format("{} does not exist: expected 0 to {}", *options.capture,
                                             header.captures.size() - 1));
  SampleLayout layout;
  layout.rows = samples;
  take_as_beamlets(layout, header.number, header.channels, parts,
                   options.zero.value_or(middle_of(header.number)));
  Segments segments(header, layout.row_bytes);
  segments.add(options.capture);
  if (segments.runs.empty())
    throw OptionError("capture", fmt::format("captures[{}] has no samples", *options.capture));
  layout.runs = segments.runs;
  // Time of the first sample, which orders several recordings.
  layout.utc_ns = layout.runs.front().utc_ns;
  layout.end = header.end;
  layout.row_hz = header.sample_hz;
  const std::uint64_t first = header.captures[options.capture.value_or(0)].first_sample;
  std::uint64_t end = header.described_end;
  if (options.capture && *options.capture + 1 < header.captures.size())
    end = header.captures[*options.capture + 1].first_sample;
  layout.declared_rows = end - std::min(first, end);
  layout.declared_by = header.described_by;
  layout.warnings = header.warnings;
  layout.warnings.insert(layout.warnings.end(), segments.warnings.begin(), segments.warnings.end());
  layout.description = header.description;
  layout.type.unit = "counts";
  layout.type.rate_hz = header.sample_hz / static_cast<double>(samples);
  Axis beamlet{"beamlet", header.channels, {}};
  if (!std::isnan(segments.frequency_hz)) beamlet.coordinates.assign(header.channels, segments.frequency_hz);
  Axis time{"time", samples, {}};
  for (std::size_t i = 0; header.sample_hz > 0 && i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) / header.sample_hz);
  layout.type.axes = {std::move(beamlet), std::move(time), Axis{"polarisation", 1, {}}};
  if (options.verify && !header.sha512.empty())
    layout.verify = [header] {
      const std::string digest = digest_of(header.data, header.begin, header.dataset_bytes);
      if (digest != header.sha512)
        throw ConfigError(
            fmt::format("{}: core:sha512 is {}..., the samples have {}...: the samples were changed; "
                        "`verify: false` reads them anyway",
                        header.meta, header.sha512.substr(0, 16), digest.substr(0, 16)));
    };
  return layout;
}

}  // namespace takt::sensors
