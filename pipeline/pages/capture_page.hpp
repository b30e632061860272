#pragma once
/// Captures of datagrams (pcap and pcapng files) as a page: which ports were sent to, how much and how
/// evenly.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/pictures/page.hpp"

namespace takt::pipeline {

/// All datagrams of a capture by their port, in bounded memory: of each port counts in equal parts of the
/// time, 512 at most.
struct CaptureSummary {
  static constexpr std::size_t most_parts = 512;

  struct Port {
    std::uint64_t datagrams = 0, bytes = 0;
    std::size_t least_bytes = 0, most_bytes = 0;
    std::int64_t first_utc_ns = 0, last_utc_ns = 0;
    /// The format that the first datagram looks like; empty where it looks like none.
    std::string looks_like;
    std::array<std::uint32_t, most_parts> parts{};
  };

  std::map<std::uint16_t, Port> ports;
  /// What the capture lacks, one sentence each: sensors::CaptureFile::warnings.
  std::vector<std::string> warnings;
  std::int64_t first_utc_ns = 0, last_utc_ns = 0;
  /// How long a part is.
  std::int64_t part_ns = 1'000'000;
};

/// O(datagrams). Throws ConfigError as sensors::CaptureFile does, and where there is no datagram in it.
[[nodiscard]] CaptureSummary summarise_capture(const std::filesystem::path& file);

[[nodiscard]] Page capture_page(const std::string& name, const CaptureSummary& summary);
/// For people, and a line a port for programs.
[[nodiscard]] std::string capture_to_text(const std::string& name, const CaptureSummary& summary);
[[nodiscard]] std::string capture_to_csv(const CaptureSummary& summary);

}  // namespace takt::pipeline
