#pragma once
/// The keywords of SIGPROC headers, and the parser of a header's keyword-value pairs.
///
/// Source: Lorimer, "SIGPROC (Pulsar) Signal Processing Programs", chapter on data formats; the names and
/// types of later programs (`signed`, `nsamples`, `FREQUENCY_START`) are those of SIGPROC 4.3's
/// `read_header`.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sensors/files/header_keywords.hpp"

namespace takt::sensors {

/// Returns the table of the reader, `HEADER_START` to `FREQUENCY_END`.
[[nodiscard]] const HeaderKeywords& sigproc_keywords();

struct SigprocPair {
  std::string keyword;
  /// Empty for a flag such as `FREQUENCY_START`; the bytes as a text for a value of inferred size.
  std::variant<std::monostate, std::int64_t, double, std::string> value;
  /// Offset of the keyword in the file.
  std::size_t offset = 0;
  [[nodiscard]] std::string text() const;
};

/// The pairs between `HEADER_START` and `HEADER_END`, and the length of the header.
///
/// A header does not contain the sizes of its values. The size for an unknown keyword is inferred: among no
/// value, 1, 4 and 8 bytes and a string, the one after which keywords follow up to `HEADER_END`. If none or
/// several sizes match, the header is refused with the keyword. O(bytes).
class SigprocPairs {
 public:
  /// Throws ConfigError with the path and the offset. `bytes` begin with the file.
  SigprocPairs(std::string_view bytes, const std::string& path);

  [[nodiscard]] const std::vector<SigprocPair>& pairs() const { return pairs_; }
  [[nodiscard]] std::size_t header_bytes() const { return header_bytes_; }

 private:
  std::vector<SigprocPair> pairs_;
  std::size_t header_bytes_ = 0;
};

/// Throws ConfigError: `PATH: not a SIGPROC file: at byte OFFSET: WHAT`.
[[noreturn]] void refuse_sigproc(const std::string& path, std::size_t offset, const std::string& what);

}  // namespace takt::sensors
