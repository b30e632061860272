#include "sensors/mseed/synthesis.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// Offsets in a version 2 header: quality; station, location, channel, network; the time, big-endian: u16
/// year and day of the year, u8 hour, minute, second and 0, u16 tenths of milliseconds. Source: FDSN, "SEED
/// 2.4", chapter 8.
constexpr std::size_t quality_at = 6, station_at = 8, location_at = 13, channel_at = 15, network_at = 18,
                      head_end = 20, time_at = 20, time_end = 30;

std::string word_of(std::span<const std::byte> record, std::size_t begin, std::size_t end) {
  std::string word;
  for (std::size_t i = begin; i < end; ++i)
    if (const char c = std::to_integer<char>(record[i]); c != ' ' && c != '\0') word += c;
  return word;
}

void put_big(std::span<std::byte> to, std::size_t at, std::uint64_t value) {
  to[at] = static_cast<std::byte>(value >> 8);
  to[at + 1] = static_cast<std::byte>(value);
}

const MseedSynthesisOptions& valid(const MseedSynthesisOptions& options) {
  if (options.channels.empty()) throw OptionError("channels", "no channel is given");
  for (const std::string& channel : options.channels)
    if (std::ranges::count(options.channels, channel) > 1)
      throw OptionError("channels", fmt::format("'{}' is given twice", channel));
  if (!(options.rate_hz > 0 && options.rate_hz <= 1e6))
    throw OptionError("rate", fmt::format("{} samples/s are not valid: expected more than 0, 1 MHz at most",
                                          options.rate_hz));
  validate(options.signal, options.channels.size(), false);
  return options;
}

double mean_records_per_second(const RecordIndex& index) {
  std::size_t samples = 0;
  for (const RecordPlace& record : index.records) samples += record.samples;
  return samples == 0
             ? 1
             : index.rate_hz * static_cast<double>(index.records.size()) / static_cast<double>(samples);
}

}  // namespace

std::string channel_in_header(std::span<const std::byte> record) {
  if (record.size() < head_end) return {};
  return word_of(record, network_at, head_end) + '.' + word_of(record, station_at, location_at) + '.' +
         word_of(record, location_at, channel_at) + '.' + word_of(record, channel_at, network_at);
}

std::optional<std::int64_t> MseedCodec::utc_of(std::span<const std::byte> packet) const {
  const std::optional<TraceRecord> record = decode_record(packet, false);
  if (!record) return {};
  return record->start_ns;
}

std::span<const std::string_view> MseedCodec::causes() const {
  static constexpr std::array<std::string_view, 1> names{"damaged"};
  return names;
}

std::size_t MseedCodec::damage(std::vector<std::byte>& packet, std::uint64_t) const {
  if (packet.size() > quality_at) packet[quality_at] = std::byte{0};
  return 0;
}

bool MseedCodec::shift(std::span<std::byte> packet, std::int64_t packets) const {
  using namespace std::chrono;
  const std::optional<std::int64_t> utc = utc_of(packet);
  if (!utc || packet.size() < time_end) return false;
  const std::int64_t moved = *utc + std::llround(static_cast<double>(packets) / records_per_second_ * 1e9);
  // A time's remainder of -50 to 49 microseconds is in a blockette and is unchanged.
  const auto moment =
      round<duration<std::int64_t, std::ratio<1, 10'000>>>(sys_time<nanoseconds>(nanoseconds(moved)));
  const auto day = floor<days>(moment);
  const year_month_day date(day);
  const hh_mm_ss time(moment - day);
  const int year = static_cast<int>(date.year());
  if (year < 1970 || year > 2100) return false;
  const auto number = (day - sys_days(date.year() / January / 1)).count() + 1;
  put_big(packet, time_at, static_cast<std::uint64_t>(year));
  put_big(packet, time_at + 2, static_cast<std::uint64_t>(number));
  packet[time_at + 4] = static_cast<std::byte>(time.hours().count());
  packet[time_at + 5] = static_cast<std::byte>(time.minutes().count());
  packet[time_at + 6] = static_cast<std::byte>(time.seconds().count());
  put_big(packet, time_at + 8, static_cast<std::uint64_t>(time.subseconds().count()));
  return true;
}

MseedSynthesis::MseedSynthesis(MseedSynthesisOptions options)
    : options_((valid(options), std::move(options))),
      codec_(options_.rate_hz / static_cast<double>(samples_per_record)),
      signal_(options_.signal, options_.tone_hz, options_.rate_hz, options_.second, {}, samples_per_record),
      numbers_(samples_per_record) {
  for (const std::string& channel : options_.channels)
    writers_.emplace_back(channel, options_.rate_hz, TraceEncoding::steim2);
}

std::optional<LanePacket> MseedSynthesis::next() {
  const std::size_t lane = number_ % writers_.size();
  const std::uint64_t first = number_ / writers_.size() * samples_per_record;
  signal_.make(number_, first, lane, numbers_);
  ++number_;
  record_.clear();
  const auto start_ns =
      options_.second * 1'000'000'000 + std::llround(static_cast<double>(first) / options_.rate_hz * 1e9);
  writers_[lane].put(start_ns, numbers_, record_);
  writers_[lane].flush(record_);
  return LanePacket{lane, record_};
}

MseedRecording::MseedRecording(const std::vector<std::filesystem::path>& files,
                               const std::vector<std::string>& channels)
    : index_(index_records(files, {.channels = channels, .rate_hz = 0})),
      codec_(mean_records_per_second(index_)) {
  for (const RecordPlace& record : index_.records)
    if (record.bytes != seedlink_record_bytes)
      throw ConfigError(
          fmt::format("{}: a record of {} bytes: expected miniSEED 2 in records of 512, for SeedLink 3",
                      index_.files[record.file].string(), record.bytes));
  for (const std::filesystem::path& file : index_.files) files_.emplace_back(file, std::ios::binary);
}

std::optional<LanePacket> MseedRecording::next() {
  if (number_ == index_.records.size()) return {};
  const RecordPlace& place = index_.records[number_++];
  record_.resize(place.bytes);
  std::ifstream& file = files_[place.file];
  file.seekg(static_cast<std::streamoff>(place.offset));
  if (!file.read(reinterpret_cast<char*>(record_.data()), static_cast<std::streamsize>(place.bytes)))
    throw WorkError(fmt::format("cannot read {}", index_.files[place.file].string()));
  return LanePacket{place.channel, record_};
}

}  // namespace takt::sensors
