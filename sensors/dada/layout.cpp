/// Conversion of a PSRDADA file's samples in any order of axes to frames.

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/leap_seconds.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/files/beamlet_order.hpp"
#include "sensors/files/input_stream.hpp"

namespace takt::sensors {

namespace {

/// Converts the bytes of a file to numbers.
class DadaNumbers {
 public:
  explicit DadaNumbers(const DadaHeader& header)
      : bits_(static_cast<std::size_t>(header.bits)),
        encoding_(header.encoding),
        swaps_(header.is_big_endian != (std::endian::native == std::endian::big)) {
    if (bits_ >= 8) return;
    const std::size_t in_byte = 8 / bits_;
    for (std::size_t byte = 0; byte < 256; ++byte)
      for (std::size_t i = 0; i < in_byte; ++i)
        table_.push_back(value_of_code(byte >> ((header.is_high_first ? in_byte - 1 - i : i) * bits_) &
                                       ((1U << bits_) - 1)));
  }

  void decode(std::span<const std::byte> from, std::span<float> to) const {
    if (bits_ < 8) {
      const std::size_t in_byte = 8 / bits_;
      for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = table_[std::to_integer<std::size_t>(from[i / in_byte]) * in_byte + i % in_byte];
    } else if (bits_ == 8) {
      decode_words<std::uint8_t, std::int8_t>(from, to);
    } else if (bits_ == 16) {
      decode_words<std::uint16_t, std::int16_t>(from, to);
    } else {
      decode_words<std::uint32_t, std::int32_t>(from, to);
    }
  }

 private:
  /// For 1 to 4 bits.
  [[nodiscard]] float value_of_code(std::size_t code) const {
    const bool is_high = code >> (bits_ - 1) != 0;
    if (bits_ == 1) return is_high == (encoding_ == DadaEncoding::offset_binary) ? 1.0F : -1.0F;
    const auto half = static_cast<float>(1U << (bits_ - 1));
    const auto value = static_cast<float>(code);
    if (encoding_ == DadaEncoding::offset_binary) return value - half;
    return is_high ? value - 2 * half : value;
  }

  template <class Word, class Signed>
  void decode_words(std::span<const std::byte> from, std::span<float> to) const {
    constexpr double half = static_cast<double>(std::uint64_t{1} << (8 * sizeof(Word) - 1));
    for (std::size_t i = 0; i < to.size(); ++i) {
      Word word{};
      std::memcpy(&word, from.data() + i * sizeof word, sizeof word);
      if (swaps_) word = swapped(word);
      if (encoding_ == DadaEncoding::offset_binary)
        to[i] = static_cast<float>(static_cast<double>(word) - half);
      else if (encoding_ == DadaEncoding::twos_complement)
        to[i] = static_cast<float>(static_cast<Signed>(word));
      else
        std::memcpy(&to[i], &word, std::min(sizeof word, sizeof(float)));
    }
  }

  template <class Word>
  static Word swapped(Word word) {
    Word result = 0;
    for (std::size_t i = 0; i < sizeof word; ++i)
      result = static_cast<Word>(result | (word >> 8 * i & 0xFF) << 8 * (sizeof word - 1 - i));
    return result;
  }

  std::size_t bits_;
  DadaEncoding encoding_;
  bool swaps_;
  /// For 1 to 4 bits: the values in each byte.
  std::vector<float> table_;
};

/// Converts the bytes of heaps (samples, if there are none) to numbers in the order time, channel,
/// polarisation.
class DadaHeaps {
 public:
  explicit DadaHeaps(const DadaHeader& header)
      : numbers_(header),
        times_(header.heap_samples),
        channels_(header.channels),
        polarisations_(header.polarisations),
        parts_(static_cast<std::size_t>(header.dimensions)),
        bytes_(header.values_per_sample() * times_ * static_cast<std::size_t>(header.bits) / 8),
        is_in_order_(header.order == "T" || header.order == "TF" || header.order == "TP" ||
                     header.order == "TFP"),
        scratch_(header.values_per_sample() * times_) {
    // From the fastest axis on; the first T is the step between heaps.
    std::size_t step = parts_;
    for (std::size_t i = header.order.size(); i-- > 1;) {
      const char axis = header.order[i];
      (axis == 'F' ? channel_step_ : axis == 'P' ? polarisation_step_ : time_step_) = step;
      step *= axis == 'F' ? channels_ : axis == 'P' ? polarisations_ : times_;
    }
  }

  /// Size of a heap.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t values() const { return scratch_.size(); }

  /// Decodes whole heaps.
  void decode(std::span<const std::byte> heaps, float* to) {
    const std::size_t count = heaps.size() / bytes_;
    if (is_in_order_) return numbers_.decode(heaps, {to, count * values()});
    for (std::size_t heap = 0; heap < count; ++heap) {
      numbers_.decode(heaps.subspan(heap * bytes_, bytes_), scratch_);
      for (std::size_t t = 0; t < times_; ++t)
        for (std::size_t c = 0; c < channels_; ++c)
          for (std::size_t p = 0; p < polarisations_; ++p, to += parts_)
            std::copy_n(scratch_.data() + t * time_step_ + c * channel_step_ + p * polarisation_step_, parts_,
                        to);
    }
  }

 private:
  DadaNumbers numbers_;
  std::size_t times_, channels_, polarisations_, parts_, bytes_;
  bool is_in_order_;
  std::size_t time_step_ = 0, channel_step_ = 0, polarisation_step_ = 0;
  std::vector<float> scratch_;
};

/// Reads rows of a file in heaps: the numbers of a sample, float32 in the order channel, polarisation.
class HeapReader final : public RowReader {
 public:
  HeapReader(const std::filesystem::path& file, const DadaHeader& header)
      : file_(file), heaps_(header), times_(header.heap_samples), row_(header.values_per_sample()) {
    file_.seekg(static_cast<std::streamoff>(header.header_bytes));
    bytes_.resize(heaps_.bytes());
    values_.resize(heaps_.values());
    next_ = times_;
  }

  std::size_t read(std::span<std::byte> rows) override {
    const std::size_t row_bytes = row_ * sizeof(float), wanted = rows.size() / row_bytes;
    std::size_t count = 0;
    while (count < wanted && (next_ < times_ || read_heap())) {
      const std::size_t now = std::min(wanted - count, times_ - next_);
      std::memcpy(rows.data() + count * row_bytes, values_.data() + next_ * row_, now * row_bytes);
      next_ += now;
      count += now;
    }
    return count;
  }

  std::uint64_t skip(std::uint64_t rows) override {
    std::uint64_t count = 0;
    while (count < rows && (next_ < times_ || read_heap())) {
      const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(rows - count, times_ - next_));
      next_ += now;
      count += now;
    }
    return count;
  }

  [[nodiscard]] std::uint64_t bytes_left_over() const override { return left_over_; }
  [[nodiscard]] std::string fault() const override { return file_.fault(); }

 private:
  /// Returns false at the end.
  bool read_heap() {
    file_.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
    if (file_.bad())
      throw WorkError(fmt::format("{}: reading failed: {}", file_.path().string(), std::strerror(errno)));
    if (const auto count = static_cast<std::size_t>(file_.gcount()); count < bytes_.size()) {
      left_over_ += count;
      return false;
    }
    heaps_.decode(bytes_, values_.data());
    next_ = 0;
    return true;
  }

  InputStream file_;
  DadaHeaps heaps_;
  std::size_t times_, row_;
  std::vector<std::byte> bytes_;
  /// Values of the current heap, and its next time.
  std::vector<float> values_;
  std::size_t next_ = 0;
  std::uint64_t left_over_ = 0;
};

}  // namespace

SampleLayout layout_of(const DadaHeader& header, std::size_t samples) {
  SampleLayout layout;
  check_frame(static_cast<double>(header.values_per_sample()) * static_cast<double>(samples));
  layout.offset = header.header_bytes;
  layout.rows = samples;
  layout.row_hz = 1 / header.sample_s;
  // Separates whole seconds from the fraction, for observations of days.
  const long double since = static_cast<long double>(header.offset_bytes) /
                            static_cast<long double>(header.bytes_per_sample()) *
                            static_cast<long double>(header.sample_s);
  constexpr long double most_s = 1e9L;
  if (since > most_s)
    throw ConfigError(fmt::format("OBS_OFFSET {} is {:.3g} s after the start: expected at most {:.0g} s",
                                  header.offset_bytes, static_cast<double>(since),
                                  static_cast<double>(most_s)));
  layout.counted_from_ns = header.utc_start_ns;
  layout.utc_ns = leap_seconds().utc_ns_after(header.utc_start_ns, std::llround(since * 1e9L));
  layout.description = header.description;
  layout.warnings = header.warnings;

  Axis channel{header.dimensions == 2 ? "beamlet" : "channel", header.channels, {}};
  const double step = header.bandwidth_hz / static_cast<double>(header.channels);
  for (std::size_t i = 0; header.frequency_hz != 0 && header.bandwidth_hz != 0 && i < header.channels; ++i)
    channel.coordinates.push_back(header.frequency_hz - header.bandwidth_hz / 2 +
                                  (static_cast<double>(i) + 0.5) * step);
  Axis time{"time", samples, {}};
  for (std::size_t i = 0; i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) * header.sample_s);
  const Axis polarisation{"polarisation", header.polarisations, {}};
  layout.type.rate_hz = 1 / (header.sample_s * static_cast<double>(samples));
  layout.type.unit = "counts";
  if (header.dimensions == 1) {
    layout.type.element = ElementType::float32;
    layout.type.axes = {time, channel, polarisation};
  } else {
    layout.type.element = ElementType::complex_float32;
    layout.type.axes = {channel, time, polarisation};
  }
  layout.may_hold_nan = header.encoding == DadaEncoding::floating;
  const bool has_heaps = header.heap_samples > 1, is_complex = header.dimensions == 2;
  if (has_heaps) {
    layout.row_bytes = header.values_per_sample() * sizeof(float);
    layout.open = [header](const std::filesystem::path& file) {
      return std::make_unique<HeapReader>(file, header);
    };
  } else {
    layout.row_bytes = header.values_per_sample() * static_cast<std::size_t>(header.bits) / 8;
  }
  layout.convert = [=, heaps = DadaHeaps(header), scratch = std::vector<float>()](
                       std::span<const std::byte> rows, std::span<std::byte> elements) mutable {
    auto* const to = reinterpret_cast<float*>(elements.data());
    if (!is_complex) {
      if (has_heaps)
        std::ranges::copy(rows, elements.begin());
      else
        heaps.decode(rows, to);
      return;
    }
    scratch.resize(samples * header.values_per_sample());
    if (has_heaps)
      std::memcpy(scratch.data(), rows.data(), rows.size());
    else
      heaps.decode(rows, scratch.data());
    to_beamlets(scratch.data(), to, samples, header.channels, header.polarisations * 2);
  };
  return layout;
}

}  // namespace takt::sensors
