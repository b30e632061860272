#include "sensors/mseed/records.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libmseed.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// libmseed's time is in microseconds.
constexpr std::int64_t ns_a_tick = 1000;
/// Where a record may begin, and the least that shows its length.
constexpr std::size_t record_alignment = 64, record_head = 128;
constexpr int written_record_bytes = 512;
constexpr std::size_t most_record_bytes = 1 << 20;

struct MsrDeleter {
  void operator()(MSRecord* record) const { msr_free(&record); }
};
using Msr = std::unique_ptr<MSRecord, MsrDeleter>;

/// What libmseed has to say is counted here, not printed.
void silence_libmseed() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto nothing = [](char*) {};
    ms_loginit(nothing, "", nothing, "");
  });
}

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

/// Bytes of the record that begins here; 0 where none does, or where it is longer than what is there.
std::size_t record_length(std::span<const std::byte> bytes) {
  if (bytes.size() < record_head) return 0;
  const int length = ms_detect(reinterpret_cast<const char*>(bytes.data()),
                               static_cast<int>(std::min<std::size_t>(bytes.size(), most_record_bytes)));
  return length > 0 && static_cast<std::size_t>(length) <= bytes.size() ? static_cast<std::size_t>(length)
                                                                        : 0;
}

void index_file(const std::filesystem::path& path, std::size_t number, RecordIndex& index,
                std::map<std::string, std::vector<RecordPlace>>& found) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw ConfigError(fmt::format("{}: cannot read the file: {}", path.string(), std::strerror(errno)));
  const std::uint64_t size = std::filesystem::file_size(path);
  std::vector<char> window;
  std::size_t records = 0;
  for (std::uint64_t at = 0; at < size;) {
    // The longest record there may be, and a head behind it.
    window.resize(std::min<std::uint64_t>(size - at, records == 0 ? most_record_bytes : 65536));
    file.clear();
    file.seekg(static_cast<std::streamoff>(at));
    file.read(window.data(), static_cast<std::streamsize>(window.size()));
    std::size_t inside = 0;
    while (inside < window.size()) {
      const std::span<const std::byte> rest = std::as_bytes(std::span(window)).subspan(inside);
      const std::size_t length = record_length(rest);
      const std::optional<TraceRecord> record =
          length > 0 ? decode_record(rest.first(length), false) : std::nullopt;
      if (!record) {
        const bool may_go_on = inside > 0 && at + window.size() < size;
        if (may_go_on) break;
        const std::size_t step = std::min(record_alignment, window.size() - inside);
        index.bytes_left_over += step;
        inside += step;
        continue;
      }
      if (record->rate_hz > 0 && !record->samples.empty()) {
        found[record->channel].push_back(
            {number, at + inside, length, record->start_ns, 0, record->samples.size()});
        if (index.rate_hz == 0) index.rate_hz = record->rate_hz;
      }
      ++records;
      inside += length;
    }
    at += inside;
  }
  if (records == 0) throw ConfigError(fmt::format("{}: holds no miniSEED record", path.string()));
}

}  // namespace

std::optional<TraceRecord> decode_record(std::span<const std::byte> bytes, bool with_samples) {
  silence_libmseed();
  // libmseed corrects the order of bytes in place.
  std::vector<char> copy(bytes.size());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  MSRecord* unpacked = nullptr;
  if (bytes.size() < record_head || msr_unpack(copy.data(), static_cast<int>(copy.size()), &unpacked,
                                               with_samples ? 1 : 0, 0) != MS_NOERROR) {
    msr_free(&unpacked);
    return {};
  }
  const Msr record(unpacked);
  if (record->samplecnt < 0 || !std::isfinite(record->samprate) || record->samprate < 0) return {};
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

RecordIndex index_records(const std::vector<std::filesystem::path>& files,
                          const std::vector<std::string>& channels) {
  RecordIndex index;
  index.files = files;
  std::map<std::string, std::vector<RecordPlace>> found;
  for (std::size_t i = 0; i < files.size(); ++i) index_file(files[i], i, index, found);
  index.channels = channels;
  if (channels.empty())
    for (const auto& [name, records] : found) index.channels.push_back(name);
  index.rate_hz = 0;
  for (std::size_t i = 0; i < index.channels.size(); ++i) {
    const auto records = found.find(index.channels[i]);
    if (records == found.end()) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : found) names.push_back(name);
      throw ConfigError(unknown_name("channel", index.channels[i], {names.begin(), names.end()}));
    }
    for (RecordPlace place : records->second) {
      place.channel = i;
      index.records.push_back(place);
    }
  }
  std::ranges::stable_sort(index.records, {}, &RecordPlace::start_ns);
  for (const RecordPlace& place : index.records) {
    std::ifstream file(files[place.file], std::ios::binary);
    std::vector<char> bytes(place.bytes);
    file.seekg(static_cast<std::streamoff>(place.offset));
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const auto record = decode_record(std::as_bytes(std::span(bytes)), false);
    if (!record) continue;
    if (index.rate_hz == 0) index.rate_hz = record->rate_hz;
    if (std::abs(record->rate_hz - index.rate_hz) > 1e-4 * index.rate_hz)
      throw ConfigError(fmt::format(
          "{}: {} has {} samples a second, others {}: channels of one source have one rate, name some of {}",
          files[place.file].string(), record->channel, record->rate_hz, index.rate_hz,
          fmt::join(index.channels, " ")));
  }
  return index;
}

class RecordWriter::Impl {
 public:
  Impl(const std::string& name, double rate_hz, TraceEncoding encoding)
      : record_(msr_init(nullptr)), encoding_(encoding) {
    silence_libmseed();
    std::vector<std::string> words(1);
    for (const char c : name)
      if (c == '.')
        words.emplace_back();
      else
        words.back() += c;
    const auto fits = [&](std::size_t i, std::size_t most) { return words[i].size() <= most; };
    if (words.size() != 4 || !fits(0, 2) || !fits(1, 5) || !fits(2, 2) || !fits(3, 3) || words[1].empty() ||
        words[3].empty())
      throw ConfigError(
          fmt::format("'{}' is no channel, expected NETWORK.STATION.LOCATION.CHANNEL of up to 2, 5, 2 "
                      "and 3 letters, for example NL.HGN.00.BHZ",
                      name));
    std::strcpy(record_->network, words[0].c_str());
    std::strcpy(record_->station, words[1].c_str());
    std::strcpy(record_->location, words[2].c_str());
    std::strcpy(record_->channel, words[3].c_str());
    record_->dataquality = 'D';
    record_->reclen = written_record_bytes;
    record_->samprate = rate_hz;
    record_->byteorder = 1;
    record_->encoding = static_cast<std::int8_t>(encoding == TraceEncoding::steim2  ? DE_STEIM2
                                                 : encoding == TraceEncoding::int32 ? DE_INT32
                                                                                    : DE_FLOAT32);
    record_->sampletype = encoding == TraceEncoding::float32 ? 'f' : 'i';
    record_->sequence_number = 1;
  }
  ~Impl() { record_->datasamples = nullptr; }

  void put(std::int64_t start_ns, std::span<const float> samples) {
    if (held_ints_.empty() && held_floats_.empty()) start_ns_ = start_ns;
    if (encoding_ == TraceEncoding::float32) {
      held_floats_.insert(held_floats_.end(), samples.begin(), samples.end());
      return;
    }
    // Steim's differences have 30 bits.
    constexpr double most = (1 << 29) - 1;
    for (const float sample : samples)
      held_ints_.push_back(
          static_cast<std::int32_t>(std::clamp(std::nearbyint(static_cast<double>(sample)), -most, most)));
  }

  void pack(bool flush, std::vector<std::byte>& records) {
    const bool is_float = encoding_ == TraceEncoding::float32;
    const std::size_t count = is_float ? held_floats_.size() : held_ints_.size();
    if (count == 0) return;
    record_->starttime = (start_ns_ >= 0 ? start_ns_ + ns_a_tick / 2 : start_ns_ - ns_a_tick / 2) / ns_a_tick;
    record_->datasamples = is_float ? static_cast<void*>(held_floats_.data()) : held_ints_.data();
    record_->numsamples = static_cast<std::int64_t>(count);
    record_->samplecnt = record_->numsamples;
    const auto append = [](char* bytes, int length, void* to) {
      const auto* const begin = reinterpret_cast<const std::byte*>(bytes);
      auto& all = *static_cast<std::vector<std::byte>*>(to);
      all.insert(all.end(), begin, begin + length);
    };
    std::int64_t packed = 0;
    if (msr_pack(record_.get(), append, &records, &packed, flush ? 1 : 0, 0) < 0)
      throw WorkError(
          fmt::format("{}.{}: libmseed cannot pack the samples", record_->station, record_->channel));
    const auto done = static_cast<std::ptrdiff_t>(packed);
    if (is_float)
      held_floats_.erase(held_floats_.begin(), held_floats_.begin() + done);
    else
      held_ints_.erase(held_ints_.begin(), held_ints_.begin() + done);
    start_ns_ += std::llround(static_cast<double>(packed) * 1e9 / record_->samprate);
  }

  void save(StateWriter& state) const {
    state.add(start_ns_).add(record_->sequence_number).add(held_ints_).add(held_floats_);
    // Differences go on from one record to the next.
    state.add(record_->ststate != nullptr);
    if (record_->ststate != nullptr) state.add(*record_->ststate);
  }

  void load(StateReader& state) {
    state.get(start_ns_).get(record_->sequence_number).get_all(held_ints_);
    state.get_all(held_floats_);
    bool has_packed = false;
    state.get(has_packed);
    if (!has_packed) return;
    // libmseed frees it with the record.
    record_->ststate = static_cast<StreamState*>(std::calloc(1, sizeof(StreamState)));
    if (record_->ststate == nullptr) throw std::bad_alloc();
    state.get(*record_->ststate);
  }

 private:
  Msr record_;
  TraceEncoding encoding_;
  std::int64_t start_ns_ = 0;
  std::vector<std::int32_t> held_ints_;
  std::vector<float> held_floats_;
};

RecordWriter::RecordWriter(const std::string& channel, double rate_hz, TraceEncoding encoding)
    : impl_(std::make_unique<Impl>(channel, rate_hz, encoding)) {}
RecordWriter::~RecordWriter() = default;
RecordWriter::RecordWriter(RecordWriter&&) noexcept = default;

void RecordWriter::put(std::int64_t start_ns, std::span<const float> samples,
                       std::vector<std::byte>& records) {
  impl_->put(start_ns, samples);
  impl_->pack(false, records);
}

void RecordWriter::flush(std::vector<std::byte>& records) {
  impl_->pack(true, records);
}

void RecordWriter::save(StateWriter& state) const {
  impl_->save(state);
}

void RecordWriter::load(StateReader& state) {
  impl_->load(state);
}

}  // namespace takt::sensors
