#include "pipeline/stages/frame_types.hpp"
#include "pipeline/stages/make_at.hpp"
#include "pipeline/stages/packet_sources.hpp"
#include "sensors/gnuradio/builder.hpp"

namespace takt::pipeline {

SourceKind gnuradio_udp_source() {
  SourceKind kind =
      live_source("gnuradio_udp", "samples of GNU Radio's UDP sink, with its datagrams' numbers or without",
                  with_udp("the port that it sends to",
                           with_frame_type(with_assembly(
                               {{.name = "payload",
                                 .type = ParameterType::bytes,
                                 .fallback = "1472",
                                 .help = "bytes of samples in each datagram",
                                 .minimum = 1,
                                 .maximum = 65'000},
                                {.name = "header",
                                 .fallback = "sequence",
                                 .help = "of each datagram: its number, 64 bits (header type 1), or none (0)",
                                 .choices = {"sequence", "none"}}}))));
  kind.make = [](const Parameters& parameters, std::uint32_t index) -> std::unique_ptr<sensors::Source> {
    return at_place(parameters, [&]() -> std::unique_ptr<sensors::Source> {
      if (parameters.integers("ports").size() != 1)
        throw sensors::OptionError("ports", "one stream comes on one port, expected one");
      return std::make_unique<sensors::UdpSource>(
          udp_options(parameters),
          sensors::gnuradio_packets({.type = frame_type_of(parameters),
                                     .payload_bytes = parameters.bytes("payload").count,
                                     .has_sequence = parameters.text("header") == "sequence"},
                                    assembly_of(parameters), index));
    });
  };
  return kind;
}

}  // namespace takt::pipeline
