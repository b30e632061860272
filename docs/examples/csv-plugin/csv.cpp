// Registers what the plug-in has.

#include "csv.hpp"

extern "C" void takt_register_kernels(takt::pipeline::KernelRegistry& registry) {
  registry.add_source(csv_file_source());
  registry.add_source(csv_udp_source());
  registry.add_sink(csv_sink());
}
