#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include "core/error.hpp"
#include "sensors/files/input_stream.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/mseed/version2.hpp"
#include "sensors/mseed/version3.hpp"

namespace takt::sensors {

namespace {

/// Bytes of a file read at a time: two of the longest records of version 3.
constexpr std::size_t window_bytes = 16 << 20;
/// Rates of one channel differ by rounding in 32-bit floats and in ratios of 16-bit integers.
constexpr double rate_tolerance_of_records = 1e-4;

struct FoundRecord {
  RecordPlace place;
  double rate_hz = 0;
  bool starts_in_leap_second = false;
};
using FoundRecords = std::map<std::string, std::vector<FoundRecord>>;

bool is_same_rate(double a, double b) {
  return std::abs(a - b) <= rate_tolerance_of_records * std::max(a, b);
}

/// Indexes the records of one file; searches invalid bytes one by one for the next record.
class FileIndexer {
 public:
  FileIndexer(const std::filesystem::path& path, std::size_t number, RecordIndex& index, FoundRecords& found,
              std::set<std::string>& logs, std::set<int>& unknown_encodings)
      : file_(path),
        number_(number),
        index_(index),
        found_(found),
        logs_(logs),
        unknown_encodings_(unknown_encodings) {}

  void run() {
    file_.require_data();
    for (bool is_last = false; !is_last;) {
      file_.append_to(window_, window_bytes - window_.size());
      if (file_.bad()) throw ConfigError(fmt::format("{}: reading failed", file_.path().string()));
      is_last = window_.size() < window_bytes;
      const std::size_t done = take_window(is_last);
      window_.erase(0, done);
      at_ += done;
    }
    if (records_ == 0)
      throw ConfigError(fmt::format("{}: it holds no miniSEED record", file_.path().string()));
    if (left_over_ > 0)
      index_.warnings.push_back(fmt::format("{}: {} bytes belong to no record, the first at byte {}",
                                            file_.path().string(), left_over_, first_left_over_));
    if (std::string fault = file_.fault(); !fault.empty())
      index_.warnings.push_back(fault + ": the data before it were read");
  }

 private:
  /// Returns the number of processed bytes: the rest may be the beginning of a record.
  std::size_t take_window(bool is_last) {
    const std::span<const std::byte> all = std::as_bytes(std::span(window_));
    std::size_t inside = 0;
    while (inside < all.size()) {
      const std::size_t length = length_of(all.subspan(inside), is_last);
      if (length > 0 && note(all.subspan(inside, length), at_ + inside)) {
        inside += length;
        usual_ = length;
        continue;
      }
      if (!is_last && inside > window_bytes / 2) break;
      if (left_over_ == 0) first_left_over_ = at_ + inside;
      ++index_.bytes_left_over;
      ++left_over_;
      ++inside;
    }
    return inside;
  }

  [[nodiscard]] std::size_t length_of(std::span<const std::byte> bytes, bool is_last) const {
    if (const std::size_t length = version3_length(bytes); length > 0)
      return length <= bytes.size() ? length : 0;
    return version2_length(bytes, is_last, usual_);
  }

  /// Returns whether these bytes are a record.
  bool note(std::span<const std::byte> bytes, std::uint64_t offset) {
    const std::optional<TraceRecord> record = decode_record(bytes, false);
    if (!record) return false;
    ++records_;
    if (record->is_log || record->samples.empty()) {
      ++index_.log_records;
      logs_.insert(record->channel);
      return true;
    }
    if (record->unknown_encoding) {
      ++index_.unknown_encoding_records;
      unknown_encodings_.insert(*record->unknown_encoding);
      return true;
    }
    found_[record->channel].push_back({{.file = number_,
                                        .offset = offset,
                                        .bytes = bytes.size(),
                                        .start_ns = record->start_ns,
                                        .samples = record->samples.size(),
                                        .publication = record->publication,
                                        .has_leap_second = record->has_leap_second},
                                       record->rate_hz,
                                       record->starts_in_leap_second});
    return true;
  }

  InputStream file_;
  std::size_t number_;
  RecordIndex& index_;
  FoundRecords& found_;
  /// Channels that have records without samples.
  std::set<std::string>& logs_;
  std::set<int>& unknown_encodings_;
  /// Position of the window in the file.
  std::uint64_t at_ = 0;
  std::string window_;
  std::size_t records_ = 0, usual_ = 0;
  /// Bytes that belong to no record, and the position of the first one.
  std::uint64_t left_over_ = 0, first_left_over_ = 0;
};

/// Returns the channels that are named or match a pattern; all if there is no pattern.
std::vector<std::string> chosen_channels(const RecordChoice& choice, const FoundRecords& found) {
  std::vector<std::string> channels, names;
  for (const auto& [name, records] : found) names.push_back(name);
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(channels, name) == channels.end()) channels.push_back(name);
  };
  if (choice.channels.empty()) return names;
  for (const std::string& wanted : choice.channels) {
    const std::string pattern = plain_channel(wanted);
    if (found.contains(pattern)) {
      add(pattern);
      continue;
    }
    const std::size_t before = channels.size();
    bool matches = false;
    if (pattern.find_first_of("*?") != std::string::npos)
      for (const std::string& name : names)
        if (::fnmatch(pattern.c_str(), name.c_str(), FNM_NOESCAPE) == 0) {
          matches = true;
          add(name);
        }
    if (!matches && channels.size() == before)
      throw ConfigError(unknown_name("channel", wanted, {names.begin(), names.end()}));
  }
  return channels;
}

/// Returns the rate of every channel's first record, or the requested one.
double chosen_rate(const std::vector<std::string>& channels, const FoundRecords& found, double wanted) {
  if (wanted > 0) return wanted;
  double rate = 0;
  std::string first;
  for (const std::string& name : channels) {
    const std::vector<FoundRecord>& records = found.at(name);
    const FoundRecord& earliest = *std::ranges::min_element(
        records, {}, [](const FoundRecord& record) { return record.place.start_ns; });
    if (rate == 0) {
      rate = earliest.rate_hz;
      first = name;
    }
    if (!is_same_rate(rate, earliest.rate_hz))
      throw ConfigError(
          fmt::format("{} has {} samples/s, {} has {}: expected channels of one rate (channels), or the rate "
                      "to read (rate)",
                      name, earliest.rate_hz, first, rate));
  }
  return rate;
}

/// Marks samples superseded by records of a higher publication. `records` belong to one channel.
void supersede(std::vector<FoundRecord>& records, double rate_hz) {
  std::set<std::uint8_t> publications;
  for (const FoundRecord& record : records) publications.insert(record.place.publication);
  if (publications.size() < 2) return;
  const double period_ns = 1e9 / rate_hz;
  std::ranges::stable_sort(records, {}, [](const FoundRecord& record) { return record.place.start_ns; });
  std::size_t longest = 0;
  for (const FoundRecord& record : records) longest = std::max(longest, record.place.samples);
  const auto span_ns =
      static_cast<std::int64_t>(std::min(static_cast<double>(longest + 1) * period_ns, 4e18));
  for (FoundRecord& record : records) {
    RecordPlace& place = record.place;
    // Records that begin within the duration of the longest record before this one.
    auto other = std::ranges::lower_bound(records, place.start_ns - span_ns, {},
                                          [](const FoundRecord& each) { return each.place.start_ns; });
    for (; other != records.end() && static_cast<double>(other->place.start_ns - place.start_ns) <
                                         static_cast<double>(place.samples) * period_ns;
         ++other) {
      if (other->place.publication <= place.publication) continue;
      const double from = static_cast<double>(other->place.start_ns - place.start_ns) / period_ns;
      const auto sample_at = [&](double row) {
        return static_cast<std::size_t>(
            std::clamp(std::ceil(row - 0.5), 0.0, static_cast<double>(place.samples)));
      };
      const std::size_t first = sample_at(from),
                        last = sample_at(from + static_cast<double>(other->place.samples));
      if (first < last) place.superseded.emplace_back(first, last);
    }
    std::ranges::sort(place.superseded);
  }
}

std::uint64_t superseded_samples(const RecordPlace& place) {
  std::uint64_t count = 0;
  std::size_t done = 0;
  for (const auto& [first, last] : place.superseded) {
    count += last > std::max(first, done) ? last - std::max(first, done) : 0;
    done = std::max(done, last);
  }
  return count;
}

/// Detects leap seconds without flags: the next record begins a second before the end of the samples, since
/// the recorder's clock follows UTC.
void find_leap_seconds(std::vector<FoundRecord>& records, double rate_hz) {
  const LeapSecondTable& table = leap_seconds();
  constexpr std::int64_t second_ns = 1'000'000'000;
  const auto period_ns = static_cast<std::int64_t>(1e9 / rate_hz);
  for (FoundRecord& record : records) {
    const std::int64_t start = record.place.start_ns;
    const auto duration =
        static_cast<std::int64_t>(std::min(static_cast<double>(record.place.samples) * 1e9 / rate_hz, 1e17));
    if (record.place.has_leap_second ||
        table.tai_minus_utc((start + duration) / second_ns) <= table.tai_minus_utc(start / second_ns))
      continue;
    bool follows_utc = false, follows_posix = false;
    for (const FoundRecord& next : records) {
      const std::int64_t gap = next.place.start_ns - start - duration;
      follows_posix |= std::abs(gap) <= period_ns / 2;
      follows_utc |= std::abs(gap + second_ns) <= period_ns / 2;
    }
    if (follows_utc && !follows_posix) record.place.has_leap_second = true;
  }
}

}  // namespace

std::string plain_channel(const std::string& channel) {
  const std::size_t dash = channel.find(".--.");
  return dash == std::string::npos ? channel : channel.substr(0, dash + 1) + channel.substr(dash + 3);
}

RecordIndex index_records(const std::vector<std::filesystem::path>& files, const RecordChoice& choice) {
  RecordIndex index;
  index.files = files;
  FoundRecords found;
  std::set<std::string> logs;
  std::set<int> unknown_encodings;
  for (std::size_t i = 0; i < files.size(); ++i)
    FileIndexer(files[i], i, index, found, logs, unknown_encodings).run();
  if (index.unknown_encoding_records > 0)
    index.warnings.push_back(fmt::format("{} records have samples of encoding {}, which takt does not decode",
                                         index.unknown_encoding_records, fmt::join(unknown_encodings, ", ")));
  if (found.empty() && index.unknown_encoding_records > 0)
    throw ConfigError(fmt::format("{}{}: no samples: {}", files.front().string(),
                                  files.size() > 1 ? " and the others" : "", index.warnings.back()));
  if (found.empty())
    throw ConfigError(fmt::format(
        "{}{}: no samples: all {} records are logs (text, or no sample rate), of {}", files.front().string(),
        files.size() > 1 ? " and the others" : "", index.log_records, fmt::join(logs, " ")));
  index.channels = chosen_channels(choice, found);
  index.rate_hz = chosen_rate(index.channels, found, choice.rate_hz);
  if (choice.channels.empty())
    std::erase_if(index.channels, [&](const std::string& name) {
      return std::ranges::none_of(found.at(name), [&](const FoundRecord& record) {
        return is_same_rate(record.rate_hz, index.rate_hz);
      });
    });
  std::set<double> others;
  for (std::size_t i = 0; i < index.channels.size(); ++i) {
    std::vector<FoundRecord>& records = found.at(index.channels[i]);
    index.other_rate_records += std::erase_if(records, [&](const FoundRecord& record) {
      const bool is_other = !is_same_rate(record.rate_hz, index.rate_hz);
      if (is_other) others.insert(record.rate_hz);
      return is_other;
    });
    supersede(records, index.rate_hz);
    find_leap_seconds(records, index.rate_hz);
    for (FoundRecord& record : records) {
      record.place.channel = i;
      index.superseded_samples += superseded_samples(record.place);
      index.records.push_back(std::move(record.place));
    }
  }
  if (index.records.empty())
    throw ConfigError(fmt::format("no record of {} has {} samples/s, but {}: set another rate (rate)",
                                  fmt::join(index.channels, " "), index.rate_hz, fmt::join(others, ", ")));
  if (index.other_rate_records > 0)
    index.warnings.push_back(
        fmt::format("{} records have {} samples/s instead of {} and were skipped: read them with another "
                    "source and its rate (rate)",
                    index.other_rate_records, fmt::join(others, ", "), index.rate_hz));
  std::ranges::stable_sort(index.records, {}, &RecordPlace::start_ns);
  return index;
}

}  // namespace takt::sensors
