#include "pipeline/kernels/beamform.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "core/system/wide_registers.hpp"
#include "pipeline/kernels/beam_geometry.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

/// Parses one number of a weights file; errors name its place.
double weight_at(const std::string& file, std::string_view line, std::size_t row, std::size_t& at) {
  at = std::min(line.find_first_not_of(" \t\r,", at), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t\r,", at), line.size());
  std::string_view word = line.substr(at, end - at);
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc{} || rest != word.data() + word.size() || !std::isfinite(value))
    throw ConfigError({file, static_cast<int>(row), static_cast<int>(at) + 1},
                      word.empty() ? std::string("the line ends where a number is expected")
                                   : fmt::format("'{}' is not a number", excerpt(word)));
  at = end;
  return value;
}

/// Reads [antenna][beamlet] from the file, if there is one.
std::vector<std::complex<double>> written_weights(const Parameters& parameters, std::size_t antennas,
                                                  std::size_t beamlets) {
  const std::vector<std::string> files = parameters.texts("weights");
  if (files.empty()) return {};
  if (files.size() > 1) parameters.refuse("weights", "expected one file");
  std::vector<std::complex<double>> weights;
  const std::string text = read_text_file(files.front());
  std::size_t row = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const std::string_view content = line.substr(0, line.find('#'));
    begin = end + 1;
    ++row;
    if (content.find_first_not_of(" \t\r,") == std::string_view::npos) continue;
    std::size_t at = 0;
    std::vector<std::complex<double>> own;
    while (content.find_first_not_of(" \t\r,", at) != std::string_view::npos) {
      const double re = weight_at(files.front(), content, row, at);
      own.emplace_back(re, weight_at(files.front(), content, row, at));
    }
    if (own.size() == 1) own.resize(beamlets, own.front());
    if (own.size() != beamlets)
      throw ConfigError(
          {files.front(), static_cast<int>(row), 1},
          fmt::format("expected weights of {} beamlets (2 numbers each), or one for all, found {}", beamlets,
                      own.size()));
    weights.insert(weights.end(), own.begin(), own.end());
  }
  if (weights.size() != antennas * beamlets)
    throw ConfigError(
        {files.front(), static_cast<int>(row), 1},
        fmt::format("expected {} rows, one per antenna, found {}", antennas, weights.size() / beamlets));
  return weights;
}

class Beamform final : public Kernel {
 public:
  explicit Beamform(const Parameters& parameters) : parameters_(parameters) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    is_stacked_ = inputs.size() == 1;
    if (is_stacked_) {
      require_input(inputs, 0, {ElementType::complex_float32},
                    {"antenna", "beamlet", "time", "polarisation"});
      antennas_ = type.axes.front().size;
      type.axes.erase(type.axes.begin());
    } else {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        require_input(inputs, i, {ElementType::complex_float32}, {"beamlet", "time", "polarisation"});
        if (inputs[i].to_string() != type.to_string())
          throw InputError(fmt::format("{} cannot be added to {}", inputs[i].to_string(), type.to_string()),
                           i);
      }
      one_time_.require(inputs);
      require_same_axes(inputs);
      antennas_ = inputs.size();
    }
    beamlets_ = type.axes[0].size;
    run_ = type.axes[1].size * type.axes[2].size;
    least_ = least_count(parameters_.number("least"), antennas_);
    find_weights(type);
    Axis& beamlets = type.axes[0];
    beamlets.size *= beams_;
    const std::vector<double> of_one = beamlets.coordinates;
    if (geometry_->beams() == 1) {
      azimuth_ = add_side(type, "azimuth", "deg");
      elevation_ = add_side(type, "elevation", "deg");
    }
    for (std::size_t beam = 1; beam < beams_; ++beam)
      beamlets.coordinates.insert(beamlets.coordinates.end(), of_one.begin(), of_one.end());
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    one_time_.merge(inputs, *output.header);
    if (geometry_->tracks()) point(output.header->utc_ns + half_frame_ns_);
    if (geometry_->beams() == 1) {
      output.header->side[azimuth_] = pointing_.azimuth;
      output.header->side[elevation_] = pointing_.elevation;
    }
    const bool may_miss = output.header->missing_parts > 0;
    auto* to = reinterpret_cast<Value*>(output.bytes.data());
    for (std::size_t beam = 0; beam < beams_; ++beam)
      for (std::size_t b = 0; b < beamlets_; ++b, to += run_) {
        std::fill_n(to, run_, Value{});
        if (may_miss) {
          std::ranges::fill(present_, 0.0F);
          std::ranges::fill(present_weight_, 0.0F);
        }
        float all = 0;
        for (std::size_t a = 0; a < antennas_; ++a) {
          const auto* const from = reinterpret_cast<const Value*>(inputs[is_stacked_ ? 0 : a].bytes.data()) +
                                   ((is_stacked_ ? a * beamlets_ : 0) + b) * run_;
          const Value weight = weights_[(beam * antennas_ + a) * beamlets_ + b];
          all += std::abs(weight);
          if (may_miss)
            add_present(from, weight, to);
          else
            add(reinterpret_cast<const float*>(from), weight.real(), weight.imag(),
                reinterpret_cast<float*>(to), 2 * run_);
        }
        if (may_miss)
          for (std::size_t i = 0; i < run_; ++i)
            to[i] = present_[i] < least_ || (present_weight_[i] == 0 && all > 0)
                        ? Value(missing_value, missing_value)
                    : all > 0 ? to[i] * (all / present_weight_[i])
                              : Value{};
      }
    mark_nan(output);
    return Outcome::produced;
  }

 private:
  using Value = std::complex<float>;

  TAKT_WIDE static void add(const float* __restrict from, float re, float im, float* __restrict to,
                            std::size_t count) {
    for (std::size_t i = 0; i < count; i += 2) {
      to[i] += re * from[i] - im * from[i + 1];
      to[i + 1] += re * from[i + 1] + im * from[i];
    }
  }

  void add_present(const Value* from, Value weight, Value* to) {
    const float modulus = std::abs(weight);
    for (std::size_t i = 0; i < run_; ++i) {
      if (std::isnan(from[i].real()) || std::isnan(from[i].imag())) continue;
      to[i] += Value(weight.real() * from[i].real() - weight.imag() * from[i].imag(),
                     weight.real() * from[i].imag() + weight.imag() * from[i].real());
      ++present_[i];
      present_weight_[i] += modulus;
    }
  }

  /// Computes the part of the weights that does not depend on the directions.
  void find_weights(const FrameType& type) {
    const std::vector<std::complex<double>> written = written_weights(parameters_, antennas_, beamlets_);
    std::vector<double> gains = numbers(parameters_, "gains");
    if (gains.empty()) gains.assign(antennas_, 1);
    if (gains.size() != antennas_)
      parameters_.refuse("gains", fmt::format("{} gains are given for {} antennas", gains.size(), antennas_));
    geometry_.emplace(parameters_, antennas_);
    if (geometry_->beams() > 0 && type.axes[0].coordinates.empty())
      throw InputError(fmt::format("pointing needs the frequencies of the beamlets: {}", type.to_string()));
    frequencies_ = type.axes[0].coordinates;
    beams_ = std::max<std::size_t>(geometry_->beams(), 1);
    for (std::size_t a = 0; a < antennas_; ++a)
      for (std::size_t b = 0; b < beamlets_; ++b)
        own_weights_.push_back((written.empty() ? 1.0 : std::conj(written[a * beamlets_ + b])) * gains[a] /
                               static_cast<double>(antennas_));
    weights_.resize(beams_ * antennas_ * beamlets_);
    half_frame_ns_ = type.rate_hz > 0 ? std::llround(0.5e9 / type.rate_hz) : 0;
    point(0);
    present_.resize(run_);
    present_weight_.resize(run_);
  }

  /// Computes conj(w) / A of each beam, antenna and beamlet at that time.
  void point(std::int64_t utc_ns) {
    for (std::size_t beam = 0; beam < beams_; ++beam) {
      const bool is_pointed = geometry_->beams() > 0;
      const Pointing source = is_pointed ? geometry_->at(beam, utc_ns) : Pointing{};
      if (beam == 0) pointing_ = source;
      for (std::size_t a = 0; a < antennas_; ++a) {
        const double earlier_s = is_pointed ? geometry_->earlier_s(a, source) : 0;
        for (std::size_t b = 0; b < beamlets_; ++b) {
          const double turns = is_pointed ? std::fmod(frequencies_[b] * earlier_s, 1.0) : 0;
          weights_[(beam * antennas_ + a) * beamlets_ + b] =
              Value(own_weights_[a * beamlets_ + b] * std::polar(1.0, -2 * std::numbers::pi * turns));
        }
      }
    }
  }

  Parameters parameters_;
  bool is_stacked_ = false;
  OneTime one_time_;
  std::size_t antennas_ = 0, beams_ = 1, beamlets_ = 0;
  /// Elements of a beamlet.
  std::size_t run_ = 0;
  std::optional<BeamGeometry> geometry_;
  std::vector<double> frequencies_;
  /// Half a frame: beams on the sky are steered for the middle of the frame.
  std::int64_t half_frame_ns_ = 0;
  /// Direction of the first beam, and its fields in frames.
  Pointing pointing_;
  std::size_t azimuth_ = 0, elevation_ = 0;
  /// [antenna][beamlet], and [beam][antenna][beamlet].
  std::vector<std::complex<double>> own_weights_;
  std::vector<Value> weights_;
  /// For a run: the present and the required number of antennas, and the sum of the moduli of their weights.
  std::vector<float> present_, present_weight_;
  float least_ = 1;
};

}  // namespace

KernelKind beamform_kernel() {
  return {
      .name = "beamform",
      .summary = "sums antennas in phase: beams towards directions",
      .stateless = true,
      .inputs = 1,
      .more_inputs = true,
      .parameters = {{.name = "positions",
                      .type = ParameterType::texts,
                      .fallback = "",
                      .help = "position of each antenna, east:north:up in m; none: sum without phases"},
                     {.name = "directions",
                      .type = ParameterType::texts,
                      .fallback = "",
                      .help =
                          "direction of each beam, azimuth:elevation in degrees, azimuth from north to east",
                      .may_change = true},
                     {.name = "sky",
                      .type = ParameterType::texts,
                      .fallback = "",
                      .help = "source that each beam tracks, right ascension:declination in degrees, of date",
                      .may_change = true},
                     {.name = "site",
                      .fallback = "",
                      .help = "site of the array for sky, longitude:latitude in degrees, east and north"},
                     {.name = "gains",
                      .type = ParameterType::texts,
                      .fallback = "",
                      .help = "gain of each antenna; none: 1",
                      .may_change = true},
                     {.name = "weights",
                      .type = ParameterType::input_files,
                      .fallback = "",
                      .help = "file with a row per antenna: re im of each beamlet, or of all; none: 1"},
                     {.name = "speed",
                      .type = ParameterType::number,
                      .fallback = "299792458",
                      .help = "speed of the waves, m/s",
                      .minimum = 1,
                      .maximum = 299792458},
                     least_parameter("least share of antennas with data")},
      .make = make_from<Beamform>};
}

}  // namespace takt::pipeline
