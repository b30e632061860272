#pragma once
/// Computes the phase of a pulsar from polynomials in time of TEMPO, TEMPO2 or PINT (`polyco.dat`).

#include <cstdint>
#include <filesystem>
#include <vector>

namespace takt::pipeline {

/// phase = reference + 60 dt f0 + sum over k of c[k] dt^k turns, dt in minutes from the middle of a block.
/// Source: the TEMPO manual, "polyco.dat"; Hobbs, Edwards and Manchester, MNRAS 369 (2006).
class Polyco {
 public:
  /// Throws ConfigError with file:line:column if the file is not valid.
  explicit Polyco(const std::filesystem::path& file);

  /// Returns the turns at a time in nanoseconds since 1970, from the block with the nearest middle. Throws
  /// WorkError if that block does not cover the time.
  [[nodiscard]] long double turns(long double utc_ns) const;

 private:
  struct Block {
    long double middle_ns = 0, phase = 0, hertz = 0;
    double span_minutes = 0;
    std::vector<double> coefficients;
  };
  std::filesystem::path file_;
  std::vector<Block> blocks_;
};

}  // namespace takt::pipeline
