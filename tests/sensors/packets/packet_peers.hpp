#pragma once
/// Small streams of every packet format that is assembled by lane and time: a sender and its receiver.

#include <algorithm>
#include <memory>
#include <ostream>
#include <string_view>

#include "sensors/gnuradio/codec.hpp"
#include "sensors/lofar/builder.hpp"
#include "sensors/lofar/synthesis.hpp"
#include "sensors/lwa/builder.hpp"
#include "sensors/lwa/synthesis.hpp"
#include "sensors/spead/builder.hpp"
#include "sensors/spead/synthesis.hpp"
#include "sensors/vdif/builder.hpp"
#include "sensors/vdif/synthesis.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::test {

inline constexpr std::uint32_t first_second_sent = 1'656'466'200;

/// Returns the datagrams that a builder has counted, each in exactly one counter.
inline std::uint64_t counted_packets(const sensors::SourceCounters& counters) {
  static constexpr std::string_view ends[] = {"packets_received",  "packets_late",        "packets_early",
                                              "packets_duplicate", "packets_implausible", "packets_aside",
                                              "end_marks",         "packets_regrouped"};
  std::uint64_t counted = 0;
  for (const sensors::Counter& counter : counters.details) {
    if (std::ranges::count(ends, counter.name) > 0 || counter.name.starts_with("refused_"))
      counted += counter.value;
    // Pieces are counted like packets, but are not packets.
    if (counter.name == "parts_regrouped") counted -= counter.value;
  }
  return counted;
}

/// A format's sender and receiver.
struct PacketPeer {
  const char* name;
  std::size_t lanes;
  std::unique_ptr<sensors::PacketStream> (*stream)();
  sensors::PacketFormat (*format)(const sensors::Assembly& assembly);
  friend void PrintTo(const PacketPeer& peer, std::ostream* out) { *out << peer.name; }
};

inline sensors::LofarFormat peer_lofar() {
  sensors::LofarFormat format = small_format(3, 8);
  format.station = 1;
  return format;
}

/// 8000 packets/s of each thread.
inline sensors::VdifFormat peer_vdif() {
  sensors::VdifFormat format;
  format.threads = {0, 1};
  format.payload_bytes = 200;
  format.sample_hz = 6.4e6;
  format.packets = 8;
  return format;
}

/// Heaps of four packets, 8000 packets/s.
inline sensors::SpeadFormat peer_spead() {
  sensors::SpeadFormat format;
  format.element = sensors::ElementType::complex_int8;
  format.frame.element = format.element;
  format.frame.axes = {{"time", 1024, {}}};
  format.frame.rate_hz = 2000;
  format.payload_bytes = 512;
  format.item = 0x1800;
  format.timestamp = 0x1600;
  format.heap_ticks = 1024;
  format.ticks_per_second = 2.048e6;
  format.since_s = 1.6e9;
  return format;
}

/// TBN of one stand, about 8000 packets/s of both polarisations; an hour is a whole number of
/// packets.
inline sensors::LwaFormat peer_lwa() {
  sensors::LwaFormat format;
  format.mode = sensors::LwaMode::tbn;
  format.signals = {2};
  format.sample_hz = static_cast<double>(sensors::lwa_clock_hz) / 98;
  return format;
}

/// 8000 datagrams/s.
inline sensors::GnuradioUdpFormat peer_gnuradio() {
  sensors::GnuradioUdpFormat format;
  format.type.element = sensors::ElementType::complex_float32;
  format.type.axes = {{"time", 128, {}}};
  format.type.rate_hz = 1000;
  format.payload_bytes = 128;
  return format;
}

inline const PacketPeer packet_peers[] = {
    {"lofar", 3,
     []() -> std::unique_ptr<sensors::PacketStream> {
       return std::make_unique<sensors::LofarSynthesis>(
           sensors::LofarSynthesisOptions{.format = peer_lofar(), .second = first_second_sent});
     },
     [](const sensors::Assembly& assembly) { return sensors::lofar_packets(peer_lofar(), assembly, 0); }},
    {"vdif", 2,
     []() -> std::unique_ptr<sensors::PacketStream> {
       return std::make_unique<sensors::VdifSynthesis>(
           sensors::VdifSynthesisOptions{.format = peer_vdif(), .second = first_second_sent});
     },
     [](const sensors::Assembly& assembly) { return sensors::vdif_packets(peer_vdif(), assembly, 0); }},
    {"spead", 1,
     []() -> std::unique_ptr<sensors::PacketStream> {
       return std::make_unique<sensors::SpeadSynthesis>(
           sensors::SpeadSynthesisOptions{.format = peer_spead(), .second = first_second_sent});
     },
     [](const sensors::Assembly& assembly) { return sensors::spead_packets(peer_spead(), assembly, 0); }},
    {"lwa", 1,
     []() -> std::unique_ptr<sensors::PacketStream> {
       return std::make_unique<sensors::LwaSynthesis>(
           sensors::LwaSynthesisOptions{.format = peer_lwa(), .second = first_second_sent});
     },
     [](const sensors::Assembly& assembly) { return sensors::lwa_packets(peer_lwa(), assembly, 0); }},
    {"gnuradio", 1,
     []() -> std::unique_ptr<sensors::PacketStream> {
       return std::make_unique<sensors::GnuradioSynthesis>(
           sensors::GnuradioSynthesisOptions{.format = peer_gnuradio(), .second = first_second_sent});
     },
     [](const sensors::Assembly& assembly) {
       return sensors::gnuradio_packets(peer_gnuradio(), assembly, 0);
     }}};

}  // namespace takt::test
