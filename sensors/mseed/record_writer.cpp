#include "sensors/mseed/record_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <libmseed.h>

#include "core/error.hpp"
#include "sensors/mseed/quiet_libmseed.hpp"
#include "sensors/mseed/steim.hpp"
#include "sensors/mseed/version3.hpp"

namespace takt::sensors {

namespace {

/// libmseed's time is in microseconds.
constexpr std::int64_t ns_per_microsecond = 1000;
constexpr int version2_bytes = 512;
/// The capacity of a version 2 record of 512 bytes.
constexpr std::size_t steim_frames_per_record = 7,
                      version3_payload = steim_frames_per_record * steim_frame_bytes;
/// The smallest difference that Steim-2 cannot represent.
constexpr std::int64_t steim2_limit = 1 << 29;

bool is_float(TraceEncoding encoding) {
  return encoding == TraceEncoding::float32 || encoding == TraceEncoding::float64;
}

/// Returns the samples before the first one whose difference Steim-2 cannot represent.
std::size_t steim2_run(std::span<const std::int32_t> samples) {
  for (std::size_t i = 1; i < samples.size(); ++i)
    if (const std::int64_t step = std::int64_t{samples[i]} - samples[i - 1];
        step >= steim2_limit || step < -steim2_limit)
      return i;
  return samples.size();
}

/// Encodes the held samples as records.
class Packer {
 public:
  Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  virtual ~Packer() = default;
  /// Appends full records, or with `flush` all, of samples that start at this time. Returns the number of
  /// samples in them. Exactly one of both spans has samples.
  virtual std::size_t pack(std::int64_t start_ns, std::span<const std::int32_t> ints,
                           std::span<const float> floats, bool flush, std::vector<std::byte>& records) = 0;
  virtual void save(StateWriter&) const {}
  virtual void load(StateReader&) {}
};

class Version2Packer final : public Packer {
 public:
  Version2Packer(const std::string& name, double rate_hz, TraceEncoding encoding)
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
          fmt::format("'{}' is not a channel: expected NETWORK.STATION.LOCATION.CHANNEL of up to 2, 5, 2 and "
                      "3 letters, for example NL.HGN.00.BHZ",
                      name));
    std::strcpy(record_->network, words[0].c_str());
    std::strcpy(record_->station, words[1].c_str());
    std::strcpy(record_->location, words[2].c_str());
    std::strcpy(record_->channel, words[3].c_str());
    record_->dataquality = 'D';
    record_->reclen = version2_bytes;
    record_->samprate = rate_hz;
    record_->byteorder = 1;
    record_->encoding = static_cast<std::int8_t>(code());
    record_->sampletype = encoding == TraceEncoding::float32   ? 'f'
                          : encoding == TraceEncoding::float64 ? 'd'
                                                               : 'i';
    record_->sequence_number = 1;
    // The header's own time has a resolution of 0.1 ms, 20 samples of a channel of 200 kHz. This blockette
    // has microseconds, and lies before the beginning of the samples.
    blkt_1001_s microseconds{};
    if (msr_addblockette(record_.get(), reinterpret_cast<char*>(&microseconds), sizeof microseconds, 1001,
                         0) == nullptr)
      throw std::bad_alloc();
  }
  ~Version2Packer() override { record_->datasamples = nullptr; }

  std::size_t pack(std::int64_t start_ns, std::span<const std::int32_t> ints, std::span<const float> floats,
                   bool flush, std::vector<std::byte>& records) override {
    std::vector<double> doubles;
    if (encoding_ == TraceEncoding::float64) doubles.assign(floats.begin(), floats.end());
    record_->starttime =
        (start_ns >= 0 ? start_ns + ns_per_microsecond / 2 : start_ns - ns_per_microsecond / 2) /
        ns_per_microsecond;
    // libmseed does not modify them.
    record_->datasamples = !doubles.empty() ? static_cast<void*>(doubles.data())
                           : floats.empty() ? const_cast<std::int32_t*>(ints.data())
                                            : static_cast<void*>(const_cast<float*>(floats.data()));
    record_->numsamples = static_cast<std::int64_t>(std::max(ints.size(), floats.size()));
    record_->samplecnt = record_->numsamples;
    const auto append = [](char* bytes, int length, void* to) {
      const auto* const begin = reinterpret_cast<const std::byte*>(bytes);
      auto& all = *static_cast<std::vector<std::byte>*>(to);
      all.insert(all.end(), begin, begin + length);
    };
    std::int64_t packed = 0;
    const int result = msr_pack(record_.get(), append, &records, &packed, flush ? 1 : 0, 0);
    record_->datasamples = nullptr;
    if (result < 0)
      throw WorkError(
          fmt::format("{}.{}: libmseed cannot pack the samples", record_->station, record_->channel));
    // The next data may be unrelated: their difference to the previous sample is not stored.
    if (flush && record_->ststate != nullptr) record_->ststate->comphistory = 0;
    return static_cast<std::size_t>(packed);
  }

  void save(StateWriter& state) const override {
    state.add(record_->sequence_number);
    // Differences continue from one record to the next.
    state.add(record_->ststate != nullptr);
    if (record_->ststate != nullptr) state.add(*record_->ststate);
  }

  void load(StateReader& state) override {
    state.get(record_->sequence_number);
    bool has_packed = false;
    state.get(has_packed);
    if (!has_packed) return;
    // libmseed frees it with the record.
    record_->ststate = static_cast<StreamState*>(std::calloc(1, sizeof(StreamState)));
    if (record_->ststate == nullptr) throw std::bad_alloc();
    state.get(*record_->ststate);
  }

 private:
  [[nodiscard]] int code() const {
    switch (encoding_) {
      case TraceEncoding::steim1:
        return DE_STEIM1;
      case TraceEncoding::int16:
        return DE_INT16;
      case TraceEncoding::int32:
        return DE_INT32;
      case TraceEncoding::float32:
        return DE_FLOAT32;
      case TraceEncoding::float64:
        return DE_FLOAT64;
      case TraceEncoding::steim2:
        break;
    }
    return DE_STEIM2;
  }

  Msr record_;
  TraceEncoding encoding_;
};

template <class Number, class From>
std::vector<std::byte> plain_bytes(std::span<const From> samples) {
  std::vector<std::byte> bytes(samples.size() * sizeof(Number));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto number = static_cast<Number>(samples[i]);
    std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
  }
  return bytes;
}

class Version3Packer final : public Packer {
 public:
  Version3Packer(const std::string& name, double rate_hz, TraceEncoding encoding) {
    const std::optional<std::string> identifier = identifier_of(name);
    if (!identifier)
      throw ConfigError(
          fmt::format("'{}' is not a channel: expected NETWORK.STATION.LOCATION.CHANNEL of letters, digits "
                      "and dashes, up to 8 each, the channel as BHZ or B_H_Z, for example NL.HGN.00.BHZ",
                      name));
    head_ = {.identifier = *identifier, .rate_hz = rate_hz, .encoding = encoding};
  }

  std::size_t pack(std::int64_t start_ns, std::span<const std::int32_t> ints, std::span<const float> floats,
                   bool flush, std::vector<std::byte>& records) override {
    const std::size_t count = std::max(ints.size(), floats.size());
    std::size_t done = 0;
    while (done < count) {
      const SteimPiece piece = ints.empty() ? plain(floats.subspan(done)) : coded(ints.subspan(done));
      const bool is_full = piece.samples < count - done || is_payload_full(piece);
      if (!is_full && !flush) break;
      head_.start_ns = start_ns + std::llround(static_cast<double>(done) * 1e9 / head_.rate_hz);
      head_.samples = static_cast<std::uint32_t>(piece.samples);
      encode_version3(head_, piece.frames, records);
      done += piece.samples;
    }
    return done;
  }

 private:
  /// For unencoded numbers; for Steim encodings only the next sample shows it.
  [[nodiscard]] bool is_payload_full(const SteimPiece& piece) const {
    return head_.encoding != TraceEncoding::steim1 && head_.encoding != TraceEncoding::steim2 &&
           piece.frames.size() == version3_payload;
  }

  [[nodiscard]] SteimPiece plain(std::span<const float> samples) const {
    const bool is_double = head_.encoding == TraceEncoding::float64;
    samples = samples.first(
        std::min(samples.size(), version3_payload / (is_double ? sizeof(double) : sizeof(float))));
    return {samples.size(), is_double ? plain_bytes<double>(samples) : plain_bytes<float>(samples)};
  }

  [[nodiscard]] SteimPiece coded(std::span<const std::int32_t> samples) const {
    if (head_.encoding == TraceEncoding::steim1 || head_.encoding == TraceEncoding::steim2)
      return encode_steim(samples, steim_frames_per_record,
                          head_.encoding == TraceEncoding::steim1 ? SteimLevel::one : SteimLevel::two);
    const bool is_short = head_.encoding == TraceEncoding::int16;
    samples = samples.first(std::min(
        samples.size(), version3_payload / (is_short ? sizeof(std::int16_t) : sizeof(std::int32_t))));
    return {samples.size(),
            is_short ? plain_bytes<std::int16_t>(samples) : plain_bytes<std::int32_t>(samples)};
  }

  Version3Head head_;
};

}  // namespace

class RecordWriter::Impl {
 public:
  Impl(const std::string& name, double rate_hz, TraceEncoding encoding, MseedVersion version)
      : encoding_(encoding), rate_hz_(rate_hz) {
    if (version == MseedVersion::three)
      packer_ = std::make_unique<Version3Packer>(name, rate_hz, encoding);
    else
      packer_ = std::make_unique<Version2Packer>(name, rate_hz, encoding);
  }

  void put(std::int64_t start_ns, std::span<const float> samples) {
    if (ints_.empty() && floats_.empty()) start_ns_ = start_ns;
    if (is_float(encoding_)) {
      floats_.insert(floats_.end(), samples.begin(), samples.end());
      return;
    }
    const bool is_short = encoding_ == TraceEncoding::int16;
    const double least =
        is_short ? std::numeric_limits<std::int16_t>::min() : std::numeric_limits<std::int32_t>::min();
    const double most =
        is_short ? std::numeric_limits<std::int16_t>::max() : std::numeric_limits<std::int32_t>::max();
    for (const float sample : samples) {
      const double nearest = std::nearbyint(double{sample});
      if (nearest < least || nearest > most) ++clipped_;
      ints_.push_back(static_cast<std::int32_t>(std::clamp(nearest, least, most)));
    }
  }

  /// Returns the number of records; those of version 2 have one length.
  std::size_t pack(bool flush, std::vector<std::byte>& records) {
    std::size_t written = 0;
    while (!ints_.empty() || !floats_.empty()) {
      const std::size_t run = encoding_ == TraceEncoding::steim2 ? steim2_run(ints_) : ints_.size();
      const bool ends = flush || run < ints_.size();
      const std::size_t before = records.size();
      const std::size_t packed =
          packer_->pack(start_ns_, std::span(ints_).first(run), floats_, ends, records);
      for (std::size_t at = before; at < records.size(); ++written) at += length_at(records, at);
      ints_.erase(ints_.begin(), ints_.begin() + static_cast<std::ptrdiff_t>(ints_.empty() ? 0 : packed));
      floats_.erase(floats_.begin(),
                    floats_.begin() + static_cast<std::ptrdiff_t>(floats_.empty() ? 0 : packed));
      start_ns_ += std::llround(static_cast<double>(packed) * 1e9 / rate_hz_);
      if (!ends) break;
    }
    return written;
  }

  void save(StateWriter& state) const {
    state.add(start_ns_).add(clipped_).add(ints_).add(floats_);
    packer_->save(state);
  }

  void load(StateReader& state) {
    state.get(start_ns_).get(clipped_).get_all(ints_);
    state.get_all(floats_);
    packer_->load(state);
  }

  std::uint64_t clipped_ = 0;

 private:
  static std::size_t length_at(const std::vector<std::byte>& records, std::size_t at) {
    const std::size_t length = version3_length(std::span(records).subspan(at));
    return length > 0 ? length : version2_bytes;
  }

  TraceEncoding encoding_;
  double rate_hz_;
  std::unique_ptr<Packer> packer_;
  std::int64_t start_ns_ = 0;
  std::vector<std::int32_t> ints_;
  std::vector<float> floats_;
};

RecordWriter::RecordWriter(const std::string& channel, double rate_hz, TraceEncoding encoding,
                           MseedVersion version)
    : impl_(std::make_unique<Impl>(channel, rate_hz, encoding, version)) {}
RecordWriter::~RecordWriter() = default;
RecordWriter::RecordWriter(RecordWriter&&) noexcept = default;

std::size_t RecordWriter::put(std::int64_t start_ns, std::span<const float> samples,
                              std::vector<std::byte>& records) {
  impl_->put(start_ns, samples);
  return impl_->pack(false, records);
}

std::size_t RecordWriter::flush(std::vector<std::byte>& records) {
  return impl_->pack(true, records);
}

std::uint64_t RecordWriter::clipped() const {
  return impl_->clipped_;
}

void RecordWriter::save(StateWriter& state) const {
  impl_->save(state);
}

void RecordWriter::load(StateReader& state) {
  impl_->load(state);
}

}  // namespace takt::sensors
