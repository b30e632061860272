#pragma once
/// The header of a block of a GUPPI raw file: FITS cards of 80 characters, up to END.
///
/// Source: "GUPPI Raw Data Format" (NRAO), and the keywords of its successors (hpguppi, rawspec).

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

/// The user's values that replace those of the header.
struct GuppiReading {
  /// 0: from NPOL.
  std::size_t polarisations = 0;
  /// UTC of packet 0, nanoseconds since 1970.
  std::optional<std::int64_t> start_ns;
};

/// The cards of one block.
class GuppiCards {
 public:
  /// Reads up to the first byte after the header, padding excluded. Returns nothing if the bytes are no
  /// cards, or END does not occur within the longest header.
  [[nodiscard]] static std::optional<GuppiCards> read(std::istream& stream);

  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& values() const { return values_; }
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  /// Returns the size of all cards.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

  /// Returns a number in a range; without the keyword the fallback. Throws ConfigError with `place` (a file
  /// and block), the keyword and what was expected.
  template <class Number>
  [[nodiscard]] Number number(const std::string& place, const char* key, std::optional<Number> fallback,
                              Number least, Number most) const;
  [[noreturn]] void refuse(const std::string& place, const char* key, const std::string& expected) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::size_t bytes_ = 0;
};

/// The common properties of all blocks of a file.
struct GuppiHeader {
  std::size_t channels = 1, polarisations = 2, bits = 8;
  /// False for real samples: of one channel.
  bool is_complex = true;
  /// PKTFMT SIMPLE: [time][channel], others [channel][time].
  bool is_time_first = false;
  /// Bytes of samples in a block; samples of each channel at its end that the next one repeats.
  std::uint64_t block_bytes = 0, overlap = 0;
  double sample_s = 0, frequency_hz = 0, bandwidth_hz = 0;
  /// The channels of an antenna are adjacent.
  std::size_t antennas = 1;
  bool is_padded = false;
  friend bool operator==(const GuppiHeader&, const GuppiHeader&) = default;

  /// Returns the values at one time.
  [[nodiscard]] std::size_t values_per_sample() const {
    return channels * polarisations * (is_complex ? 2 : 1);
  }
  [[nodiscard]] std::size_t sample_bytes() const { return values_per_sample() * bits / 8; }
  /// Returns the samples in a block that the next one does not repeat.
  [[nodiscard]] std::uint64_t samples() const { return block_bytes / sample_bytes() - overlap; }
};

/// Throws ConfigError with `place`, the keyword and what was expected. Adds warnings to `notes`, if
/// given.
[[nodiscard]] GuppiHeader read_guppi_header(const GuppiCards& cards, const std::string& place,
                                            const GuppiReading& reading, HeaderNotes* notes);

[[nodiscard]] const HeaderKeywords& guppi_keywords();

}  // namespace takt::sensors
