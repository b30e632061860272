#include "sensors/frames/row_sampler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numbers>
#include <string_view>

namespace takt::sensors {

namespace {

constexpr std::array<std::string_view, 4> frequency_axes{"channel", "frequency", "beamlet", "subband"};
constexpr std::size_t longest_piece = 1024;

template <class Value>
double number_at(const std::byte* at) {
  Value value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<double>(value);
}

/// Returns an element, real or complex.
std::complex<double> element_at(ElementType type, const std::byte* at) {
  switch (type) {
    case ElementType::int8:
      return number_at<std::int8_t>(at);
    case ElementType::uint8:
      return number_at<std::uint8_t>(at);
    case ElementType::int16:
      return number_at<std::int16_t>(at);
    case ElementType::int32:
      return number_at<std::int32_t>(at);
    case ElementType::float32:
      return number_at<float>(at);
    case ElementType::float64:
      return number_at<double>(at);
    case ElementType::complex_int8:
      return {number_at<std::int8_t>(at), number_at<std::int8_t>(at + 1)};
    case ElementType::complex_int16:
      return {number_at<std::int16_t>(at), number_at<std::int16_t>(at + 2)};
    case ElementType::uint16:
      return number_at<std::uint16_t>(at);
    case ElementType::complex_uint8:
      return {number_at<std::uint8_t>(at) - zero_of(type), number_at<std::uint8_t>(at + 1) - zero_of(type)};
    case ElementType::complex_uint16:
      return {number_at<std::uint16_t>(at) - zero_of(type), number_at<std::uint16_t>(at + 2) - zero_of(type)};
    case ElementType::complex_float32:
      break;
  }
  return {number_at<float>(at), number_at<float>(at + 4)};
}

/// FFT in place, for a power of two (Cooley and Tukey 1965, decimation in time).
void transform(std::vector<std::complex<double>>& data) {
  const std::size_t count = data.size();
  for (std::size_t i = 1, j = 0; i < count; ++i) {
    std::size_t bit = count >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(data[i], data[j]);
  }
  for (std::size_t length = 2; length <= count; length *= 2) {
    for (std::size_t k = 0; k < length / 2; ++k) {
      const std::complex<double> twiddle =
          std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
      for (std::size_t from = k; from < count; from += length) {
        const std::complex<double> odd = twiddle * data[from + length / 2];
        data[from + length / 2] = data[from] - odd;
        data[from] += odd;
      }
    }
  }
}

/// Returns the means of the valid values per column, reduced to the largest number of columns.
std::vector<float> columns_of(const std::vector<double>& sums, const std::vector<std::size_t>& counts) {
  const std::size_t columns = std::min(sums.size(), RowSampler::most_columns);
  std::vector<float> row(columns, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t c = 0; c < columns; ++c) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = c * sums.size() / columns; i < (c + 1) * sums.size() / columns; ++i) {
      sum += sums[i];
      count += counts[i];
    }
    if (count > 0) row[c] = static_cast<float>(sum / static_cast<double>(count));
  }
  return row;
}

/// Reports whether all places are within half a step of equidistant ones from the first to the last.
bool are_even(const std::vector<double>& places) {
  const double step = (places.back() - places.front()) / static_cast<double>(places.size() - 1);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!(std::abs(places[i] - (places.front() + step * static_cast<double>(i))) <= std::abs(step) / 2))
      return false;
  return true;
}

}  // namespace

RowSampler::RowSampler(const FrameType& type)
    : element_(type.element), size_(size_of(type.element)), is_complex_(is_complex(type.element)) {
  choose_axis(type);
  limit();
  place_columns();
}

void RowSampler::place_columns() {
  const std::size_t values = piece_ == 0 ? along_count_ : is_complex_ ? piece_ : piece_ / 2;
  const std::size_t columns = std::min(values, most_columns);
  // A column lies at the centre of the values of which it is the mean.
  if (values > columns) {
    const double step = (last_ - first_) / static_cast<double>(values - 1);
    const double half = (static_cast<double>(values) / static_cast<double>(columns) - 1) / 2 * step;
    first_ += half;
    last_ -= half;
  }
  const double step = columns > 1 ? (last_ - first_) / static_cast<double>(columns - 1) : 0;
  for (std::size_t c = 0; c < columns; ++c) {
    if (uneven_.empty()) {
      places_.push_back(first_ + step * static_cast<double>(c));
      continue;
    }
    double sum = 0;
    const std::size_t from = c * values / columns, to = (c + 1) * values / columns;
    for (std::size_t i = from; i < to; ++i) sum += uneven_[i * along_step_];
    places_.push_back(sum / static_cast<double>(to - from));
  }
}

void RowSampler::choose_axis(const FrameType& type) {
  const std::vector<Axis>& axes = type.axes;
  // A few channels without frequencies are neighbouring sensors.
  constexpr std::size_t few = 16;
  const auto is_spectrum = [](const Axis& axis) {
    return axis.size > 1 && std::ranges::find(frequency_axes, axis.name) != frequency_axes.end() &&
           (axis.size >= few || !axis.coordinates.empty());
  };
  std::size_t chosen = axes.size();
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (is_spectrum(axes[i]) && (chosen == axes.size() || axes[i].size > axes[chosen].size)) chosen = i;
  bool is_time = false;
  if (chosen == axes.size())
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (axes[i].name == "time" && axes[i].size >= 8) {
        chosen = i;
        is_time = true;
      }
  // Neither: all elements, one after the other.
  if (chosen == axes.size()) {
    along_ = type.element_count();
    name_ = axes.size() == 1 ? axes[0].name : "element";
    last_ = along_ > 0 ? static_cast<double>(along_ - 1) : 0;
    is_power_ = is_complex_;
    return;
  }
  const Axis& axis = axes[chosen];
  along_ = axis.size;
  for (std::size_t i = 0; i < chosen; ++i) outer_ *= axes[i].size;
  for (std::size_t i = chosen + 1; i < axes.size(); ++i) inner_ *= axes[i].size;
  if (!is_time) {
    const bool has_values = axis.coordinates.size() == axis.size,
               is_even = has_values && are_even(axis.coordinates);
    name_ = axis.name;
    places_unit_ = has_values ? "Hz" : "";
    unit_ = is_even ? "Hz" : "";
    if (has_values && !is_even) uneven_ = axis.coordinates;
    first_ = is_even ? axis.coordinates.front() : 0;
    last_ = is_even ? axis.coordinates.back() : static_cast<double>(axis.size - 1);
    is_power_ = true;
    return;
  }
  piece_ = std::min(longest_piece, std::bit_floor(axis.size));
  const double hertz = type.rate_hz * static_cast<double>(axis.size);
  name_ = "frequency";
  places_unit_ = unit_ = hertz > 0 ? "Hz" : "cycles per sample";
  const double step = (hertz > 0 ? hertz : 1) / static_cast<double>(piece_);
  const double half = static_cast<double>(piece_ / 2);
  first_ = is_complex_ ? -half * step : 0;
  last_ = (half - 1) * step;
  is_power_ = true;
}

void RowSampler::limit() {
  along_count_ = along_;
  if (piece_ > 0) {
    constexpr std::size_t most_pieces = 8;
    along_count_ = std::min(along_ / piece_, most_pieces) * piece_;
  } else if (along_ > most_elements) {
    along_step_ = (along_ + most_elements - 1) / most_elements;
    along_count_ = along_ / along_step_;
  }
  const std::size_t room = std::max<std::size_t>(1, most_elements / std::max<std::size_t>(along_count_, 1));
  inner_count_ = std::min(inner_, room);
  outer_count_ = std::min(outer_, std::max<std::size_t>(1, room / inner_count_));
}

void RowSampler::sample(std::span<const std::byte> elements, std::span<std::byte> to) const {
  std::byte* at = to.data();
  const std::size_t run = inner_count_ * size_;
  for (std::size_t o = 0; o < outer_count_; ++o) {
    const std::byte* const block = elements.data() + o * outer_ / outer_count_ * along_ * inner_ * size_;
    if (inner_count_ == inner_ && along_step_ == 1) {
      std::memcpy(at, block, along_count_ * run);
      at += along_count_ * run;
      continue;
    }
    for (std::size_t i = 0; i < along_count_; ++i, at += run)
      std::memcpy(at, block + i * along_step_ * inner_ * size_, run);
  }
}

std::vector<float> RowSampler::row(std::span<const std::byte> sample) const {
  return piece_ > 0 ? spectrum(sample) : means(sample);
}

std::vector<float> RowSampler::means(std::span<const std::byte> sample) const {
  std::vector<double> sums(along_count_, 0);
  std::vector<std::size_t> counts(along_count_, 0);
  const std::byte* at = sample.data();
  for (std::size_t o = 0; o < outer_count_; ++o)
    for (std::size_t i = 0; i < along_count_; ++i)
      for (std::size_t k = 0; k < inner_count_; ++k, at += size_) {
        const std::complex<double> value = element_at(element_, at);
        const double number = is_complex_ ? std::norm(value) : value.real();
        if (!std::isfinite(number)) continue;
        sums[i] += number;
        ++counts[i];
      }
  return columns_of(sums, counts);
}

std::vector<float> RowSampler::spectrum(std::span<const std::byte> sample) const {
  const std::size_t bins = is_complex_ ? piece_ : piece_ / 2;
  std::vector<double> sums(bins, 0);
  std::vector<std::size_t> counts(bins, 0);
  std::vector<double> window(piece_);
  double power = 0;
  for (std::size_t n = 0; n < piece_; ++n) {
    window[n] =
        0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(piece_));
    power += window[n] * window[n];
  }
  std::vector<std::complex<double>> piece(piece_);
  for (std::size_t o = 0; o < outer_count_; ++o)
    for (std::size_t k = 0; k < inner_count_; ++k)
      for (std::size_t from = 0; from < along_count_; from += piece_) {
        bool is_whole = true;
        for (std::size_t n = 0; n < piece_; ++n) {
          const std::size_t index = (o * along_count_ + from + n) * inner_count_ + k;
          piece[n] = window[n] * element_at(element_, sample.data() + index * size_);
          is_whole = is_whole && std::isfinite(piece[n].real()) && std::isfinite(piece[n].imag());
        }
        if (!is_whole) continue;
        transform(piece);
        for (std::size_t b = 0; b < bins; ++b) {
          const std::size_t bin = is_complex_ ? (b + piece_ / 2) % piece_ : b;
          sums[b] += std::norm(piece[bin]) / power;
          ++counts[b];
        }
      }
  return columns_of(sums, counts);
}

}  // namespace takt::sensors
