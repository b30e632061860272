#pragma once
/// Sources and sinks over TCP and ZeroMQ.

#include "pipeline/stage_kinds.hpp"

namespace takt::pipeline {

[[nodiscard]] SourceKind tcp_source();
[[nodiscard]] SourceKind zmq_source();
[[nodiscard]] SinkKind tcp_sink();
[[nodiscard]] SinkKind zmq_sink();

}  // namespace takt::pipeline
