#include "pipeline/kernel.hpp"
#include "pipeline/kernels/align.hpp"
#include "pipeline/kernels/bandpass.hpp"
#include "pipeline/kernels/beamform.hpp"
#include "pipeline/kernels/clip.hpp"
#include "pipeline/kernels/correlate.hpp"
#include "pipeline/kernels/dedisperse.hpp"
#include "pipeline/kernels/delay.hpp"
#include "pipeline/kernels/detrend.hpp"
#include "pipeline/kernels/downmix.hpp"
#include "pipeline/kernels/fft.hpp"
#include "pipeline/kernels/fill.hpp"
#include "pipeline/kernels/fir.hpp"
#include "pipeline/kernels/fold.hpp"
#include "pipeline/kernels/hold.hpp"
#include "pipeline/kernels/iir.hpp"
#include "pipeline/kernels/integrate.hpp"
#include "pipeline/kernels/large_fft.hpp"
#include "pipeline/kernels/lofar_unpack.hpp"
#include "pipeline/kernels/matched_filter.hpp"
#include "pipeline/kernels/matrix_product.hpp"
#include "pipeline/kernels/pass.hpp"
#include "pipeline/kernels/pfb.hpp"
#include "pipeline/kernels/phase_rotate.hpp"
#include "pipeline/kernels/power_iteration.hpp"
#include "pipeline/kernels/python.hpp"
#include "pipeline/kernels/quantise.hpp"
#include "pipeline/kernels/real_fft.hpp"
#include "pipeline/kernels/remove_response.hpp"
#include "pipeline/kernels/resample.hpp"
#include "pipeline/kernels/rfi_mask.hpp"
#include "pipeline/kernels/select.hpp"
#include "pipeline/kernels/spin.hpp"
#include "pipeline/kernels/sta_lta.hpp"
#include "pipeline/kernels/stack.hpp"
#include "pipeline/kernels/statistics.hpp"
#include "pipeline/kernels/stokes.hpp"
#include "pipeline/kernels/sum.hpp"
#include "pipeline/kernels/threshold.hpp"
#include "pipeline/kernels/transpose.hpp"
#include "pipeline/kernels/unpack.hpp"
#include "pipeline/stages/sinks.hpp"
#include "pipeline/stages/sources.hpp"

namespace takt::pipeline {

/// Registers all built-in kernels, in the usual order of a stream; sources and sinks have their own tables.
KernelRegistry KernelRegistry::with_built_in_kernels() {
  KernelRegistry registry;
  registry.add(lofar_unpack_kernel());
  registry.add(unpack_kernel());
  registry.add(select_kernel());
  registry.add(stack_kernel());
  registry.add(merge_lanes_kernel());
  registry.add(transpose_kernel());
  registry.add(fft_kernel());
  registry.add(inverse_fft_kernel());
  registry.add(real_fft_kernel());
  registry.add(large_fft_kernel());
  registry.add(pfb_kernel());
  registry.add(delay_kernel());
  registry.add(align_kernel());
  registry.add(phase_rotate_kernel());
  registry.add(downmix_kernel());
  registry.add(fir_kernel());
  registry.add(iir_kernel());
  registry.add(decimate_kernel());
  registry.add(resample_kernel());
  registry.add(remove_response_kernel());
  registry.add(stokes_kernel());
  registry.add(beamform_kernel());
  registry.add(correlate_kernel());
  registry.add(matrix_product_kernel());
  registry.add(power_iteration_kernel());
  registry.add(sum_kernel());
  registry.add(integrate_kernel());
  registry.add(statistics_kernel());
  registry.add(bandpass_kernel());
  registry.add(rfi_mask_kernel());
  registry.add(clip_kernel());
  registry.add(fill_kernel());
  registry.add(detrend_kernel());
  registry.add(dedisperse_kernel());
  registry.add(fold_kernel());
  registry.add(matched_filter_kernel());
  registry.add(sta_lta_kernel());
  registry.add(threshold_kernel());
  registry.add(quantise_kernel());
  registry.add(python_kernel());
  registry.add(pass_kernel());
  registry.add(hold_kernel());
  registry.add(spin_kernel());
  for (const SourceKind& source : all_sources()) registry.add_source(source);
  for (const SinkKind& sink : all_sinks()) registry.add_sink(sink);
  return registry;
}

}  // namespace takt::pipeline
