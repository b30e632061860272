#include "sensors/lwa/recording.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// Several of each signal of a station: TBN has 520.
constexpr std::size_t packets_to_learn_from = 4096;

bool exists(LwaMode mode, std::uint16_t signal) {
  return mode == LwaMode::tbn ? signal != 0 : (signal & 7) != 0 && signal >> 3 != 0;
}

FramedFile::IsHeader is_header_of(LwaMode mode) {
  return [mode](std::span<const std::byte> bytes) {
    const LwaHeader header = decode_lwa(mode, bytes);
    return header.sync_word == lwa_sync_word && header.reserved == 0 && exists(mode, header.signal);
  };
}

void expect_packets(FramedFile& file, LwaMode mode) {
  file.expect(lwa_packet_bytes(mode), lwa_header_bytes(mode), is_header_of(mode));
}

/// Returns the mode in which a second packet follows the first, at any offset.
std::optional<LwaMode> mode_of(const std::filesystem::path& path) {
  const std::size_t longest = lwa_packet_bytes(LwaMode::drx);
  FramedFile file(path);
  const std::vector<std::byte> begin = file.peek(2 * longest + lwa_header_bytes(LwaMode::drx));
  const auto is_at = [&](LwaMode mode, std::size_t at) {
    return begin.size() >= at + lwa_header_bytes(mode) &&
           is_header_of(mode)(std::span(begin).subspan(at, lwa_header_bytes(mode)));
  };
  for (std::size_t at = 0; at < std::min(longest, begin.size()); ++at)
    for (const LwaMode mode : {LwaMode::tbn, LwaMode::drx}) {
      const std::size_t next = at + lwa_packet_bytes(mode);
      if (is_at(mode, at) && (is_at(mode, next) || (at == 0 && begin.size() == next))) return mode;
    }
  return {};
}

/// The statistics of one signal.
struct Found {
  std::size_t packets = 0;
  std::map<std::uint32_t, std::size_t> tunings;
};

/// Returns the most frequent value.
template <class Value>
Value most_frequent(const std::map<Value, std::size_t>& counts) {
  return std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; })->first;
}

}  // namespace

LwaFormat read_lwa_format(const std::filesystem::path& path) {
  const std::optional<LwaMode> mode = mode_of(path);
  if (!mode)
    throw ConfigError(fmt::format(
        "{}: not an LWA file: it does not begin with a TBN or DRX packet (dec0de5c)", path.string()));
  FramedFile file(path);
  expect_packets(file, *mode);
  std::map<std::uint16_t, Found> found;
  std::map<std::uint64_t, std::size_t> decimations;
  std::set<std::uint64_t> times;
  std::vector<std::byte> piece;
  for (std::size_t i = 0; i < packets_to_learn_from; ++i) {
    file.read(piece);
    if (piece.empty()) break;
    if (piece.size() != lwa_packet_bytes(*mode)) continue;
    const LwaHeader header = decode_lwa(*mode, piece);
    if (header.sync_word != lwa_sync_word || header.reserved != 0 || !exists(*mode, header.signal)) continue;
    Found& signal = found[header.signal];
    ++signal.packets;
    ++signal.tunings[header.tuning_word];
    times.insert(header.clocks());
    if (*mode == LwaMode::drx) ++decimations[header.decimation];
  }
  LwaFormat format{.mode = *mode};
  std::size_t most = 0;
  for (const auto& [signal, what] : found) most = std::max(most, what.packets);
  for (const auto& [signal, what] : found) {
    // Signals with far fewer packets are damaged headers.
    if (2 * what.packets < most) continue;
    format.signals.push_back(signal);
    format.frequencies_hz.push_back(LwaHeader{.tuning_word = most_frequent(what.tunings)}.tuning_hz());
  }
  if (*mode == LwaMode::tbn) {
    // TBN headers do not contain the rate: it follows from successive packets of one signal.
    for (auto time = times.begin(); time != times.end() && std::next(time) != times.end(); ++time)
      ++decimations[(*std::next(time) - *time) / lwa_samples(*mode)];
  }
  if (format.signals.empty() || decimations.empty() || most_frequent(decimations) == 0)
    throw ConfigError(
        fmt::format("{}: an LWA file ({}) with an unknown sample rate: {} times in its first packets",
                    path.string(), name_of(*mode), times.size()));
  format.sample_hz = static_cast<double>(lwa_clock_hz) / static_cast<double>(most_frequent(decimations));
  return format;
}

LwaRecording::LwaRecording(const std::filesystem::path& file, const LwaFormat& format)
    : codec_(format), file_(file) {
  expect_packets(file_, format.mode);
}

std::optional<LanePacket> LwaRecording::next() {
  file_.read(piece_);
  if (piece_.empty()) return {};
  return LanePacket{0, piece_};
}

std::vector<std::string> LwaRecording::warnings() const {
  std::string fault = file_.fault();
  return fault.empty() ? std::vector<std::string>{} : std::vector{std::move(fault)};
}

}  // namespace takt::sensors
