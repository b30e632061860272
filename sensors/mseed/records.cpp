#include "sensors/mseed/records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <libmseed.h>

#include "sensors/mseed/quiet_libmseed.hpp"
#include "sensors/mseed/version2.hpp"
#include "sensors/mseed/version3.hpp"

namespace takt::sensors {

namespace {

/// Integers up to here are floats without rounding.
constexpr std::int32_t exact_integers = 1 << 24;

bool is_exact(std::int32_t value) {
  return (value >= -exact_integers && value <= exact_integers) ||
         static_cast<std::int64_t>(static_cast<float>(value)) == value;
}

void take_samples(const MSRecord& record, TraceRecord& trace) {
  const auto copy = [&](const auto* from) {
    std::ranges::transform(std::span(from, trace.samples.size()), trace.samples.begin(),
                           [](auto value) { return static_cast<float>(value); });
  };
  if (record.sampletype == 'i') {
    const std::span integers(static_cast<const std::int32_t*>(record.datasamples), trace.samples.size());
    trace.rounded = static_cast<std::size_t>(
        std::ranges::count_if(integers, [](auto value) { return !is_exact(value); }));
    copy(integers.data());
  } else if (record.sampletype == 'f') {
    copy(static_cast<const float*>(record.datasamples));
  } else {
    copy(static_cast<const double*>(record.datasamples));
  }
}

/// libmseed takes a version 2 record at its word: it reads so many samples, wherever the record ends.
bool holds_its_samples(const Version2Head& head, std::size_t bytes) {
  const std::size_t end = head.bytes > 0 ? head.bytes : bytes, begin = head.data_offset,
                    samples = head.samples;
  if (end > bytes || begin > end) return false;
  switch (head.encoding) {
    case DE_ASCII:
      return samples <= end - begin;
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

/// The samples of a version 2 record by libmseed; false where it cannot decode them.
bool unpack_samples(std::span<const std::byte> bytes, TraceRecord& trace) {
  silence_libmseed();
  // It corrects the order of bytes in place.
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
  if (with_samples && head->samples > 0 &&
      !unpack_samples(bytes.first(head->bytes > 0 ? head->bytes : bytes.size()), trace))
    return {};
  return trace;
}

}  // namespace

std::optional<TraceRecord> decode_record(std::span<const std::byte> bytes, bool with_samples) {
  std::optional<TraceRecord> record = version3_length(bytes) > 0 ? decode_version3(bytes, with_samples)
                                                                 : decode_version2(bytes, with_samples);
  // What the factors of version 2 can tell; a blockette 100 and version 3 have floating-point numbers, by
  // which times and numbers of samples may be anything.
  constexpr double least_hz = 0.9e-9, most_hz = 1.1e9;
  if (record && !record->is_log && (record->rate_hz < least_hz || record->rate_hz > most_hz)) return {};
  return record;
}

}  // namespace takt::sensors
