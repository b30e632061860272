#include "sensors/mseed/records.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <libmseed.h>

#include "sensors/files/rounding.hpp"
#include "sensors/mseed/quiet_libmseed.hpp"
#include "sensors/mseed/version2.hpp"
#include "sensors/mseed/version3.hpp"

namespace takt::sensors {

namespace {

/// Integers of 24 bits, which libmseed does not decode.
constexpr int int24_encoding = 2;

/// The encodings of libmseed 2.19, and the one above.
constexpr std::array known_encodings{int24_encoding, DE_ASCII,  DE_INT16,  DE_INT32,      DE_FLOAT32,
                                     DE_FLOAT64,     DE_STEIM1, DE_STEIM2, DE_GEOSCOPE24, DE_GEOSCOPE163,
                                     DE_GEOSCOPE164, DE_CDSN,   DE_SRO,    DE_DWWSSN};

void take_samples(const MSRecord& record, TraceRecord& trace) {
  const auto copy = [&](const auto* from) {
    const std::span values(from, trace.samples.size());
    std::ranges::transform(values, trace.samples.begin(),
                           [](auto value) { return static_cast<float>(value); });
    trace.rounded = static_cast<std::size_t>(
        std::ranges::count_if(values, [](auto value) { return is_rounded(static_cast<double>(value)); }));
  };
  if (record.sampletype == 'i')
    copy(static_cast<const std::int32_t*>(record.datasamples));
  else if (record.sampletype == 'f')
    copy(static_cast<const float*>(record.datasamples));
  else
    copy(static_cast<const double*>(record.datasamples));
}

/// Checks the sample count of a version 2 record: libmseed reads that many samples beyond the record's end.
bool holds_its_samples(const Version2Head& head, std::size_t bytes) {
  const std::size_t end = head.bytes > 0 ? head.bytes : bytes, begin = head.data_offset,
                    samples = head.samples;
  if (end > bytes || begin > end) return false;
  switch (head.encoding) {
    case DE_ASCII:
      return samples <= end - begin;
    case DE_STEIM1:
    case DE_STEIM2:
      // Both decoders stop at the last frame; neither encoding has more than seven samples in four bytes.
      return samples <= 2 * (end - begin);
    case DE_FLOAT64:
      return samples * 8 <= end - begin;
    case DE_INT32:
    case DE_FLOAT32:
      return samples * 4 <= end - begin;
    case int24_encoding:
    case DE_GEOSCOPE24:
      return samples * 3 <= end - begin;
    default:
      return samples * 2 <= end - begin;
  }
}

/// Decodes the samples of a version 2 record by libmseed; returns false if it cannot.
bool unpack_samples(std::span<const std::byte> bytes, TraceRecord& trace) {
  silence_libmseed();
  // libmseed corrects the byte order in place.
  std::vector<char> copy(bytes.size());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  MSRecord* unpacked = nullptr;
  const int error = msr_unpack(copy.data(), static_cast<int>(copy.size()), &unpacked, 1, 0);
  const Msr record(unpacked);
  if (error != MS_NOERROR || record->numsamples != static_cast<std::int64_t>(trace.samples.size()) ||
      record->sampletype == 'a')
    return false;
  take_samples(*record, trace);
  return true;
}

std::int32_t integer_at(std::span<const std::byte> bytes, std::size_t at, std::size_t size,
                        bool is_big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[at + (is_big_endian ? i : size - 1 - i)]);
  const unsigned unused = 32 - 8 * static_cast<unsigned>(size);
  return static_cast<std::int32_t>(value << unused) >> unused;
}

/// Marks a Steim record whose last sample differs from the value in its first frame.
void check_last_sample(const Version2Head& head, std::span<const std::byte> bytes, TraceRecord& trace) {
  const bool is_steim = head.encoding == DE_STEIM1 || head.encoding == DE_STEIM2;
  // After the word of codes and the first sample.
  const std::size_t at = head.data_offset + 8;
  if (!is_steim || trace.samples.empty() || at + 4 > bytes.size()) return;
  if (static_cast<float>(integer_at(bytes, at, 4, head.are_samples_big_endian)) != trace.samples.back())
    trace.marks.set(RecordMark::wrong_last_sample);
}

void take_int24(const Version2Head& head, std::span<const std::byte> bytes, TraceRecord& trace) {
  for (std::size_t i = 0; i < trace.samples.size(); ++i)
    trace.samples[i] =
        static_cast<float>(integer_at(bytes, head.data_offset + 3 * i, 3, head.are_samples_big_endian));
}

std::optional<TraceRecord> decode_version2(std::span<const std::byte> bytes, bool with_samples) {
  if (bytes.size() < least_version2_record) return {};
  const std::optional<Version2Head> head = read_version2_head(bytes);
  if (!head) return {};
  TraceRecord trace{.channel = head->channel,
                    .start_ns = head->start_ns,
                    .rate_hz = head->rate_hz,
                    .samples = {},
                    .is_log = head->encoding == DE_ASCII || !(head->rate_hz > 0),
                    .publication = head->publication,
                    .has_leap_second = head->has_leap_second,
                    .starts_in_leap_second = head->starts_in_leap_second,
                    .marks = head->marks};
  if (with_samples && !holds_its_samples(*head, bytes.size())) return {};
  if (trace.is_log) return trace;
  trace.samples.resize(head->samples);
  if (std::ranges::find(known_encodings, head->encoding) == known_encodings.end()) {
    if (with_samples) return {};
    trace.unknown_encoding = head->encoding;
  }
  if (!with_samples || head->samples == 0) return trace;
  const std::span<const std::byte> record = bytes.first(head->bytes > 0 ? head->bytes : bytes.size());
  if (head->encoding == int24_encoding)
    take_int24(*head, record, trace);
  else if (!unpack_samples(record, trace))
    return {};
  check_last_sample(*head, record, trace);
  return trace;
}

}  // namespace

std::optional<TraceRecord> decode_record(std::span<const std::byte> bytes, bool with_samples) {
  std::optional<TraceRecord> record = version3_length(bytes) > 0 ? decode_version3(bytes, with_samples)
                                                                 : decode_version2(bytes, with_samples);
  // The limits of version 2's factors. A blockette 100 and version 3 have floating-point numbers, with which
  // times and numbers of samples could be arbitrary.
  constexpr double least_hz = 0.9e-9, most_hz = 1.1e9;
  if (record && !record->is_log && (record->rate_hz < least_hz || record->rate_hz > most_hz)) return {};
  return record;
}

}  // namespace takt::sensors
