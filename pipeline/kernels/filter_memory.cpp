#include "pipeline/kernels/filter_memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace takt::pipeline {

FilterMemory::FilterMemory(std::span<const std::complex<double>> poles, double width, double least)
    : limit_(least > 0 ? 1 - least : std::numeric_limits<double>::infinity()) {
  double sum = 0;
  for (const std::complex<double>& pole : poles) {
    Mode mode;
    const double magnitude = std::min(std::abs(pole), 1.0);
    // A pole at 0 has no memory.
    if (magnitude <= 0) continue;
    mode.decay = -std::log(magnitude);
    mode.drift = std::abs(std::log(pole));
    const double pair = std::abs(pole.imag()) > 1e-12 ? 2 : 1;
    mode.weight = pair * (1 - magnitude) / (1 + magnitude) / width;
    for (std::size_t bit = 0; bit < mode.left.size(); ++bit)
      mode.left[bit] = std::exp(-2 * mode.decay * std::ldexp(1.0, static_cast<int>(bit)));
    sum += mode.weight;
    modes_.push_back(mode);
  }
  for (Mode& mode : modes_) mode.weight /= std::max(sum, 1.0);
}

std::uint64_t FilterMemory::cross(std::span<double> uncertainties, std::uint64_t since,
                                  std::uint64_t missing) const {
  std::array<double, most_modes> powers{};
  double sum = 0;
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const Mode& mode = modes_[k];
    const double jump = std::min(mode.drift * static_cast<double>(missing), 1.0);
    uncertainties[k] =
        std::min(uncertainties[k] * std::exp(-mode.decay * static_cast<double>(since)) + jump, 1.0);
    powers[k] = mode.weight * uncertainties[k] * uncertainties[k];
    sum += powers[k];
  }
  if (sum <= limit_) return 0;
  const auto after = [&](std::size_t bit) {
    double power = 0;
    for (std::size_t k = 0; k < modes_.size(); ++k) power += powers[k] * modes_[k].left[bit];
    return power;
  };
  // Finds the longest time after which the uncertainty exceeds the limit, bit by bit.
  std::size_t bit = 0;
  while (bit < most_bits && after(bit) > limit_) ++bit;
  std::uint64_t time = 0;
  while (bit-- > 0) {
    if (after(bit) <= limit_) continue;
    for (std::size_t k = 0; k < modes_.size(); ++k) powers[k] *= modes_[k].left[bit];
    time += std::uint64_t{1} << bit;
  }
  return time + 1;
}

}  // namespace takt::pipeline
