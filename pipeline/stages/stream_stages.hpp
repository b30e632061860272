#pragma once
/// Sources and sinks over TCP, UDP and ZeroMQ.

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

[[nodiscard]] SourceKind tcp_source();
[[nodiscard]] SourceKind zmq_source();
[[nodiscard]] SourceKind udp_source();
[[nodiscard]] SourceKind udp_pcap_source();
[[nodiscard]] SinkKind tcp_sink();
[[nodiscard]] SinkKind zmq_sink();
[[nodiscard]] SinkKind udp_sink();

}  // namespace takt::pipeline
