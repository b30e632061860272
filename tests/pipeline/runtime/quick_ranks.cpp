/// A program for any number of ranks that measures the cost of messages through
/// the runtime's channels, and prints the machine.

#include <cstdio>

#include "logp/calibration/quick.hpp"
#include "logp/machine_yaml.hpp"
#include "pipeline/runtime/channels/channel_endpoint.hpp"
#include "pipeline/runtime/channels/nodes.hpp"

int main() {
  MPI_Init(nullptr, nullptr);
  const auto machine = takt::logp::measure_quickly(
      MPI_COMM_WORLD, {.largest = takt::Bytes{200'000},
                       .endpoints = takt::pipeline::channel_endpoints(
                           MPI_COMM_WORLD, 8, takt::pipeline::nodes_of_ranks(MPI_COMM_WORLD))});
  if (machine) std::fputs(takt::logp::to_yaml(*machine).c_str(), stdout);
  MPI_Finalize();
}
