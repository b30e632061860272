#include "pipeline/kernel.hpp"
#include "pipeline/kernels/fft.hpp"
#include "pipeline/kernels/integrate.hpp"
#include "pipeline/kernels/lofar_unpack.hpp"
#include "pipeline/kernels/pass.hpp"
#include "pipeline/kernels/select.hpp"
#include "pipeline/kernels/spin.hpp"
#include "pipeline/kernels/statistics.hpp"
#include "pipeline/kernels/stokes.hpp"
#include "pipeline/stages/sinks.hpp"
#include "pipeline/stages/sources.hpp"

namespace takt::pipeline {

/// The one table of built-in kernels, in the order of a stream's way; sources and sinks have their own.
KernelRegistry KernelRegistry::with_built_in_kernels() {
  KernelRegistry registry;
  registry.add(lofar_unpack_kernel());
  registry.add(select_kernel());
  registry.add(fft_kernel());
  registry.add(stokes_kernel());
  registry.add(integrate_kernel());
  registry.add(statistics_kernel());
  registry.add(pass_kernel());
  registry.add(spin_kernel());
  for (const SourceKind& source : all_sources()) registry.add_source(source);
  for (const SinkKind& sink : all_sinks()) registry.add_sink(sink);
  return registry;
}

}  // namespace takt::pipeline
