#pragma once
/// The phase of a pulsar as polynomials in time, as TEMPO, TEMPO2 and PINT write them (`polyco.dat`).

#include <cstdint>
#include <filesystem>
#include <vector>

namespace takt::pipeline {

/// phase = reference + 60 dt f0 + sum over k of c[k] dt^k turns, dt in minutes from the middle of a block.
/// Source: the TEMPO manual, "polyco.dat"; Hobbs, Edwards and Manchester, MNRAS 369 (2006).
class Polyco {
 public:
  /// Throws ConfigError with file:line:column where the file is no such one.
  explicit Polyco(const std::filesystem::path& file);

  /// Turns at a moment, nanoseconds since 1970, by the block whose middle is nearest. Throws WorkError where
  /// that does not reach so far.
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
