#include "pipeline/pages/capture_page.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/text_fill.hpp"
#include "core/pictures/text_table.hpp"
#include "sensors/files/file_pattern.hpp"
#include "sensors/lofar/packet.hpp"
#include "sensors/pcap/capture_file.hpp"
#include "sensors/vdif/header.hpp"

namespace takt::pipeline {

namespace {

using CaptureJson = nlohmann::ordered_json;
using Datagram = std::span<const std::byte>;

bool looks_like_spead(Datagram bytes) {
  return bytes.size() >= 8 && bytes[0] == std::byte{0x53} && bytes[1] == std::byte{4} &&
         std::to_integer<int>(bytes[2]) + std::to_integer<int>(bytes[3]) == 8;
}

bool looks_like_vdif(Datagram bytes) {
  if (bytes.size() < sensors::vdif_header_bytes) return false;
  const sensors::VdifHeader header = sensors::decode_vdif(bytes);
  return header.frame_bytes == bytes.size() && header.frame_bytes > header.header_bytes();
}

bool looks_like_lofar(Datagram bytes) {
  if (bytes.size() < sensors::lofar_header_bytes) return false;
  const sensors::LofarHeader header = sensors::decode_header(bytes.first<sensors::lofar_header_bytes>());
  return sensors::packet_bytes_of(header) == bytes.size();
}

std::string format_of(Datagram bytes) {
  if (looks_like_spead(bytes)) return "SPEAD";
  constexpr std::size_t number = 8;
  if (looks_like_vdif(bytes)) return "VDIF";
  if (bytes.size() > number && looks_like_vdif(bytes.subspan(number))) return "VDIF, numbered";
  if (looks_like_lofar(bytes)) return "LOFAR";
  return "";
}

/// Doubles the length of the parts until this time lies before the end of the last one.
void make_room(CaptureSummary& summary, std::int64_t utc_ns) {
  while ((utc_ns - summary.first_utc_ns) / summary.part_ns >=
         static_cast<std::int64_t>(CaptureSummary::most_parts)) {
    summary.part_ns *= 2;
    for (auto& [number, port] : summary.ports)
      for (std::size_t i = 0; i < CaptureSummary::most_parts; ++i)
        port.parts[i] = 2 * i < CaptureSummary::most_parts ? port.parts[2 * i] + port.parts[2 * i + 1] : 0;
  }
}

double seconds_of(std::int64_t from_ns, std::int64_t to_ns) {
  constexpr double second = 1e9;
  return static_cast<double>(to_ns - from_ns) / second;
}

/// Returns the mean rate of datagrams between the first and the last one.
double rate_of(const CaptureSummary::Port& port) {
  const double seconds = seconds_of(port.first_utc_ns, port.last_utc_ns);
  return seconds > 0 ? static_cast<double>(port.datagrams - 1) / seconds : 0;
}

std::string sizes_of(const CaptureSummary::Port& port) {
  return port.least_bytes == port.most_bytes ? fmt::format("{}", port.least_bytes)
                                             : fmt::format("{} to {}", port.least_bytes, port.most_bytes);
}

/// Returns one row for each port; formatted for users, or as plain numbers for programs.
std::vector<std::vector<std::string>> rows_of(const CaptureSummary& summary) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [number, port] : summary.ports)
    rows.push_back({fmt::format("{}", number), fmt::format("{}", port.datagrams),
                    fmt::format("{}", port.bytes), sizes_of(port), fmt::format("{:.6g}", rate_of(port)),
                    port.looks_like.empty() ? "-" : port.looks_like});
  return rows;
}

constexpr const char* how_to_see =
    "--pipeline P.yaml, a pipeline whose source receives or reads them, shows their contents.";

View rates_view(const CaptureSummary& summary) {
  constexpr std::size_t most_lines = 7;
  const auto parts = static_cast<std::size_t>(
      std::min<std::int64_t>((summary.last_utc_ns - summary.first_utc_ns) / summary.part_ns + 1,
                             static_cast<std::int64_t>(CaptureSummary::most_parts)));
  const double part_s = static_cast<double>(summary.part_ns) / 1e9;
  CaptureJson x = CaptureJson::array(), series = CaptureJson::array();
  for (std::size_t i = 0; i < parts; ++i) x.push_back(static_cast<double>(i) * part_s);
  const auto add = [&](const std::string& name, const auto& count_in) {
    CaptureJson y = CaptureJson::array();
    for (std::size_t i = 0; i < parts; ++i) y.push_back(static_cast<double>(count_in(i)) / part_s);
    series.push_back({{"name", name}, {"style", "steps"}, {"x", x}, {"y", y}});
  };
  const bool is_each = summary.ports.size() <= most_lines;
  if (is_each)
    for (const auto& [number, port] : summary.ports)
      add(fmt::format("port {}", number), [&, &counts = port.parts](std::size_t i) { return counts[i]; });
  else
    add("all ports", [&](std::size_t i) {
      std::uint64_t sum = 0;
      for (const auto& [number, port] : summary.ports) sum += port.parts[i];
      return sum;
    });
  return CaptureJson{{"kind", "chart"},
                     {"name", "Datagrams over time"},
                     {"says", fmt::format("Datagrams per second, in intervals of {}.",
                                          time_text(static_cast<double>(summary.part_ns)))},
                     {"x", "seconds"},
                     {"y", "datagrams/s"},
                     {"series", series}}
      .dump();
}

std::vector<PageFact> capture_facts(const CaptureSummary& summary) {
  std::uint64_t datagrams = 0, bytes = 0;
  for (const auto& [number, port] : summary.ports) {
    datagrams += port.datagrams;
    bytes += port.bytes;
  }
  return {{"datagrams", number_text(static_cast<double>(datagrams)), ""},
          {"bytes", bytes_text(static_cast<double>(bytes)), "in them"},
          {"from", sensors::name_at("%Y-%m-%dT%H:%M:%S.%f", summary.first_utc_ns), "UTC"},
          {"duration", time_text(ns_per_second * seconds_of(summary.first_utc_ns, summary.last_utc_ns)), ""}};
}

}  // namespace

CaptureSummary summarise_capture(const std::filesystem::path& file) {
  sensors::CaptureFile capture(file);
  CaptureSummary summary;
  sensors::CapturedDatagram datagram;
  while (capture.next(datagram)) {
    // A datagram without a time gets that of its predecessor.
    const std::int64_t utc_ns = datagram.utc_ns.value_or(summary.last_utc_ns);
    if (summary.ports.empty()) summary.first_utc_ns = summary.last_utc_ns = utc_ns;
    const auto [found, is_new] = summary.ports.try_emplace(datagram.port);
    CaptureSummary::Port& port = found->second;
    if (is_new) {
      port.first_utc_ns = utc_ns;
      port.least_bytes = datagram.bytes.size();
      port.looks_like = format_of(datagram.bytes);
    }
    ++port.datagrams;
    port.bytes += datagram.bytes.size();
    port.least_bytes = std::min(port.least_bytes, datagram.bytes.size());
    port.most_bytes = std::max(port.most_bytes, datagram.bytes.size());
    port.last_utc_ns = std::max(port.last_utc_ns, utc_ns);
    summary.last_utc_ns = std::max(summary.last_utc_ns, utc_ns);
    make_room(summary, utc_ns);
    // The clock may be set back during a capture.
    const std::int64_t part = (utc_ns - summary.first_utc_ns) / summary.part_ns;
    ++port.parts[static_cast<std::size_t>(std::max<std::int64_t>(part, 0))];
  }
  if (summary.ports.empty())
    throw ConfigError({file.string()},
                      fmt::format("it holds no UDP datagram{}{}", capture.warnings().empty() ? "" : "; ",
                                  fmt::join(capture.warnings(), "; ")));
  summary.warnings = capture.warnings();
  return summary;
}

Page capture_page(const std::string& name, const CaptureSummary& summary) {
  const CaptureJson table{
      {"kind", "table"},
      {"name", "Ports"},
      {"says", "Destination ports, and the first datagram of each."},
      {"columns", {"port", "datagrams", "bytes", "bytes per datagram", "rate", "looks like"}},
      {"numbers",
       {static_cast<int>(ColumnKind::number), static_cast<int>(ColumnKind::number),
        static_cast<int>(ColumnKind::bytes), static_cast<int>(ColumnKind::text),
        static_cast<int>(ColumnKind::hz), static_cast<int>(ColumnKind::text)}},
      {"rows", rows_of(summary)}};
  std::string says = std::string("Captured datagrams. ") + how_to_see;
  for (const std::string& warning : summary.warnings) says += " " + warning + ".";
  return {.title = name,
          .says = std::move(says),
          .facts = capture_facts(summary),
          .views = {rates_view(summary), table.dump()}};
}

std::string capture_to_text(const std::string& name, const CaptureSummary& summary) {
  std::string text = name + ": captured datagrams\n";
  for (const PageFact& fact : capture_facts(summary))
    text += fmt::format("  {:<12} {}{}\n", fact.name, fact.value,
                        fact.meaning.empty() ? "" : fmt::format("  ({})", fact.meaning));
  TextTable table({{"port", true},
                   {"datagrams", true},
                   {"bytes", true},
                   {"of each", true},
                   {"a second", true},
                   {"looks like"}});
  for (std::vector<std::string>& row : rows_of(summary)) table.add(std::move(row));
  text += table.to_text(2);
  for (const std::string& warning : summary.warnings) text += fill(warning, text_columns) + "\n";
  return text + fill(how_to_see, text_columns) + "\n";
}

std::string capture_to_csv(const CaptureSummary& summary) {
  std::string text = "port,datagrams,bytes,least_bytes,most_bytes,rate_hz,looks_like\n";
  for (const auto& [number, port] : summary.ports)
    text += fmt::format("{},{},{},{},{},{:.10g},\"{}\"\n", number, port.datagrams, port.bytes,
                        port.least_bytes, port.most_bytes, rate_of(port), port.looks_like);
  return text;
}

}  // namespace takt::pipeline
