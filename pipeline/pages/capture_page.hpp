#pragma once
/// Shows captures of datagrams (pcap and pcapng files) as a page: ports, amounts of data and evenness of
/// arrival.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// Statistics of a capture by port, in bounded memory: for each port, counts in at most 512 equal parts of
/// the time.
struct CaptureSummary {
  static constexpr std::size_t most_parts = 512;

  struct Port {
    std::uint64_t datagrams = 0, bytes = 0;
    std::size_t least_bytes = 0, most_bytes = 0;
    std::int64_t first_utc_ns = 0, last_utc_ns = 0;
    /// The format that the first datagram resembles; empty if none.
    std::string looks_like;
    std::array<std::uint32_t, most_parts> parts{};
  };

  std::map<std::uint16_t, Port> ports;
  /// Missing data of the capture, one sentence each: sensors::CaptureFile::warnings.
  std::vector<std::string> warnings;
  std::int64_t first_utc_ns = 0, last_utc_ns = 0;
  /// Length of a part.
  std::int64_t part_ns = 1'000'000;
};

/// O(datagrams). Throws ConfigError like sensors::CaptureFile, and if the file has no datagrams.
[[nodiscard]] CaptureSummary summarise_capture(const std::filesystem::path& file);

[[nodiscard]] Page capture_page(const std::string& name, const CaptureSummary& summary);
/// Formats a summary for users, and as one line for each port for programs.
[[nodiscard]] std::string capture_to_text(const std::string& name, const CaptureSummary& summary);
[[nodiscard]] std::string capture_to_csv(const CaptureSummary& summary);

}  // namespace takt::pipeline
