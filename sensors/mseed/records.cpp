#include "sensors/mseed/records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libmseed.h>

#include "core/error.hpp"
#include "sensors/mseed/quiet_libmseed.hpp"
#include "sensors/mseed/version3.hpp"

namespace takt::sensors {

namespace {

/// libmseed's time is in microseconds.
constexpr std::int64_t ns_a_tick = 1000;
/// Until 146 years before and after 1970; damaged records tell others, which 64 bits of nanoseconds, or their
/// differences, do not hold.
constexpr std::int64_t farthest_ticks = (std::int64_t{1} << 62) / ns_a_tick;
/// The least that shows a version 2 record's length.
constexpr std::size_t record_head = 128;
constexpr std::size_t most_record_bytes = 1 << 20;
/// What is read of a file at once: two of the longest records of version 3.
constexpr std::size_t window_bytes = 16 << 20;

float sample_of(const MSRecord& record, std::size_t i) {
  switch (record.sampletype) {
    case 'i':
      return static_cast<float>(static_cast<const std::int32_t*>(record.datasamples)[i]);
    case 'f':
      return static_cast<const float*>(record.datasamples)[i];
    default:
      return static_cast<float>(static_cast<const double*>(record.datasamples)[i]);
  }
}

/// Bytes of the record that begins here, of either version; 0 where none does, or where it is longer than
/// what is there.
std::size_t record_length(std::span<const std::byte> bytes) {
  if (const std::size_t length = version3_length(bytes); length > 0)
    return length <= bytes.size() ? length : 0;
  if (bytes.size() < record_head) return 0;
  const int length = ms_detect(reinterpret_cast<const char*>(bytes.data()),
                               static_cast<int>(std::min<std::size_t>(bytes.size(), most_record_bytes)));
  return length > 0 && static_cast<std::size_t>(length) <= bytes.size() ? static_cast<std::size_t>(length)
                                                                        : 0;
}

/// Records by their channels.
struct FoundRecords {
  std::map<std::string, std::vector<RecordPlace>> records;
  /// Channels of records without samples or without a rate, such as a recorder's log.
  std::set<std::string> without_samples;
};

/// Notes the records of one file; what is none is gone through byte by byte to the next one.
class FileIndexer {
 public:
  FileIndexer(const std::filesystem::path& path, std::size_t number, RecordIndex& index, FoundRecords& found)
      : path_(path), file_(path, std::ios::binary), number_(number), index_(index), found_(found) {
    if (!file_ || std::filesystem::is_directory(path))
      throw ConfigError(fmt::format("{}: cannot read the file: {}", path.string(), std::strerror(errno)));
    size_ = std::filesystem::file_size(path);
  }

  void run() {
    while (at_ < size_) {
      window_.resize(std::min<std::uint64_t>(size_ - at_, window_bytes));
      file_.clear();
      file_.seekg(static_cast<std::streamoff>(at_));
      if (!file_.read(window_.data(), static_cast<std::streamsize>(window_.size())))
        throw ConfigError(fmt::format("{}: reading failed: {}", path_.string(), std::strerror(errno)));
      at_ += take_window();
    }
    if (records_ == 0) throw ConfigError(fmt::format("{}: holds no miniSEED record", path_.string()));
  }

 private:
  /// How many bytes are done with: the rest may be the beginning of a record.
  std::size_t take_window() {
    const std::span<const std::byte> all = std::as_bytes(std::span(window_));
    const bool is_last = at_ + all.size() == size_;
    std::size_t inside = 0;
    while (inside < all.size()) {
      const std::size_t length = record_length(all.subspan(inside));
      if (length > 0 && note(all.subspan(inside, length), at_ + inside)) {
        inside += length;
        continue;
      }
      if (!is_last && inside > window_bytes / 2) break;
      ++index_.bytes_left_over;
      ++inside;
    }
    return inside;
  }

  /// Whether these bytes are a record.
  bool note(std::span<const std::byte> bytes, std::uint64_t offset) {
    const std::optional<TraceRecord> record = decode_record(bytes, false);
    if (!record) return false;
    ++records_;
    if (record->rate_hz > 0 && !record->samples.empty())
      found_.records[record->channel].push_back(
          {number_, offset, bytes.size(), record->start_ns, 0, record->samples.size(), record->rate_hz});
    else
      found_.without_samples.insert(record->channel);
    return true;
  }

  const std::filesystem::path& path_;
  std::ifstream file_;
  std::size_t number_;
  RecordIndex& index_;
  FoundRecords& found_;
  std::uint64_t size_ = 0, at_ = 0;
  std::vector<char> window_;
  std::size_t records_ = 0;
};

/// libmseed takes a version 2 record at its word: it reads so many samples, wherever the record ends.
bool holds_its_samples(const MSRecord& head, std::size_t bytes) {
  const std::size_t begin = head.fsdh != nullptr ? head.fsdh->data_offset : 0;
  if (head.reclen < 0 || static_cast<std::size_t>(head.reclen) > bytes) return false;
  const auto end = static_cast<std::size_t>(head.reclen);
  if (head.samplecnt < 0 || begin > end) return false;
  const auto samples = static_cast<std::size_t>(head.samplecnt);
  switch (head.encoding) {
    case DE_ASCII:
      return false;
    case DE_STEIM1:
    case DE_STEIM2:
      // Both go through frames, and stop where there are no more; neither has more than seven in four bytes.
      return samples <= 2 * (end - begin);
    case DE_FLOAT64:
      return samples * 8 <= end - begin;
    case DE_INT32:
    case DE_FLOAT32:
      return samples * 4 <= end - begin;
    case DE_GEOSCOPE24:
      return samples * 3 <= end - begin;
    default:
      return samples * 2 <= end - begin;
  }
}

}  // namespace

std::optional<TraceRecord> decode_record(std::span<const std::byte> bytes, bool with_samples) {
  if (version3_length(bytes) > 0) return decode_version3(bytes, with_samples);
  if (bytes.size() < record_head) return {};
  silence_libmseed();
  std::vector<char> copy(bytes.size());
  const auto unpack = [&](bool samples_too) {
    // It corrects the order of bytes in place.
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    MSRecord* unpacked = nullptr;
    const int error =
        msr_unpack(copy.data(), static_cast<int>(copy.size()), &unpacked, samples_too ? 1 : 0, 0);
    Msr record(unpacked);
    if (error != MS_NOERROR) record.reset();
    return record;
  };
  Msr record = unpack(false);
  if (with_samples && record) {
    if (!holds_its_samples(*record, bytes.size())) return {};
    record = unpack(true);
  }
  if (!record) return {};
  if (record->samplecnt < 0 || !std::isfinite(record->samprate) || record->samprate < 0 ||
      record->starttime < -farthest_ticks || record->starttime > farthest_ticks)
    return {};
  TraceRecord trace{.channel = fmt::format("{}.{}.{}.{}", record->network, record->station, record->location,
                                           record->channel),
                    .start_ns = record->starttime * ns_a_tick,
                    .rate_hz = record->samprate,
                    .samples = {}};
  if (!with_samples) {
    trace.samples.resize(static_cast<std::size_t>(record->samplecnt));
    return trace;
  }
  if (record->numsamples != record->samplecnt || record->sampletype == 'a') return {};
  trace.samples.resize(static_cast<std::size_t>(record->numsamples));
  for (std::size_t i = 0; i < trace.samples.size(); ++i) trace.samples[i] = sample_of(*record, i);
  return trace;
}

namespace {

/// Of several rates a channel has the first one; the records of the others are left out and counted.
void keep_first_rate(std::vector<RecordPlace>& records, RecordIndex& index) {
  std::ranges::stable_sort(records, {}, &RecordPlace::start_ns);
  const double first = records.front().rate_hz;
  index.other_rate += std::erase_if(
      records, [&](const RecordPlace& place) { return std::abs(place.rate_hz - first) > 1e-4 * first; });
}

[[noreturn]] void refuse_channel(const std::string& name, const FoundRecords& found) {
  if (found.without_samples.contains(name))
    throw ConfigError(
        fmt::format("channel {} has no samples: its records hold text, such as a recorder's log", name));
  std::vector<std::string_view> known;
  for (const auto& [each, unused] : found.records) known.push_back(each);
  throw ConfigError(unknown_name("channel", name, std::move(known)));
}

}  // namespace

RecordIndex index_records(const std::vector<std::filesystem::path>& files,
                          const std::vector<std::string>& channels) {
  RecordIndex index;
  index.files = files;
  FoundRecords found;
  for (std::size_t i = 0; i < files.size(); ++i) FileIndexer(files[i], i, index, found).run();
  if (found.records.empty())
    throw ConfigError(
        fmt::format("{}: no samples: all records are text, such as a recorder's log (channel {})",
                    files.front().string(), fmt::join(found.without_samples, ", ")));
  index.channels = channels;
  if (channels.empty())
    for (const auto& [name, records] : found.records) index.channels.push_back(name);
  for (std::size_t i = 0; i < index.channels.size(); ++i) {
    const auto entry = found.records.find(index.channels[i]);
    if (entry == found.records.end()) refuse_channel(index.channels[i], found);
    keep_first_rate(entry->second, index);
    const double rate = entry->second.front().rate_hz;
    if (i == 0) index.rate_hz = rate;
    if (std::abs(rate - index.rate_hz) > 1e-4 * index.rate_hz)
      throw ConfigError(
          fmt::format("channel {} has {} samples a second, {} has {}: expected channels of one rate; choose "
                      "some of them with 'channels', and read the others with another source",
                      index.channels[i], rate, index.channels.front(), index.rate_hz));
    for (RecordPlace place : entry->second) {
      place.channel = i;
      index.records.push_back(place);
    }
  }
  std::ranges::stable_sort(index.records, {}, &RecordPlace::start_ns);
  return index;
}

}  // namespace takt::sensors
