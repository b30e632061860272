#pragma once

#include <takt/pipeline/kernel.hpp>

takt::pipeline::SourceKind csv_file_source();
takt::pipeline::SourceKind csv_udp_source();
takt::pipeline::SinkKind csv_sink();
