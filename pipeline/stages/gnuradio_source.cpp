#include "pipeline/stages/frame_types.hpp"
#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "sensors/gnuradio/builder.hpp"
#include "sensors/gnuradio/codec.hpp"

namespace takt::pipeline {

namespace {

std::vector<ParameterSpec> gnuradio_parameters() {
  return with_frame_type(
      with_assembly({{.name = "payload",
                      .type = ParameterType::bytes,
                      .fallback = "1472",
                      .help = "bytes of samples per datagram",
                      .minimum = 1,
                      .maximum = 65'000},
                     {.name = "header",
                      .fallback = "sequence",
                      .help = "header of each datagram: its number, 64 bits (header type 1), or none (0)",
                      .choices = {"sequence", "none"}}}));
}

sensors::GnuradioUdpFormat gnuradio_format(const Parameters& parameters) {
  return {.type = frame_type_of(parameters),
          .payload_bytes = parameters.bytes("payload").count,
          .has_sequence = parameters.text("header") == "sequence"};
}

SourceKind gnuradio_udp() {
  SourceKind kind =
      live_source("gnuradio_udp", "samples of GNU Radio's UDP sink, with or without datagram numbers",
                  with_udp("port of the UDP sink", gnuradio_parameters()));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
      refuse_several_ports(parameters);
      return std::make_unique<sensors::UdpSource>(
          udp_options(parameters),
          sensors::gnuradio_packets(gnuradio_format(parameters), assembly_of(parameters), index));
    });
  };
  return kind;
}

SourceKind gnuradio_pcap() {
  SourceKind kind =
      recorded_source("gnuradio_pcap", "a capture (pcap or pcapng file) of datagrams of GNU Radio's UDP sink",
                      with_capture("destination port", gnuradio_parameters()));
  kind.make = [](const Parameters& parameters, std::uint32_t index) {
    return at_place(parameters, [&] {
      refuse_several_ports(parameters);
      const sensors::GnuradioUdpFormat format = gnuradio_format(parameters);
      return captured_source(parameters, sensors::gnuradio_packets(format, assembly_of(parameters), index),
                             [format] { return std::make_unique<sensors::GnuradioCodec>(format); });
    });
  };
  return kind;
}

}  // namespace

std::vector<SourceKind> gnuradio_sources() {
  return {gnuradio_udp(), gnuradio_pcap()};
}

}  // namespace takt::pipeline
