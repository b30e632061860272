#pragma once
/// Makes one call of a kernel, with the runtime's checks.

#include <span>

#include "pipeline/calls/canary.hpp"
#include "pipeline/kernel.hpp"

namespace takt::pipeline {

struct KernelCall {
  /// Empty if the kernel is only flushed.
  std::span<const FrameView> inputs;
  /// True at the end of the stream: the kernel is to be flushed.
  bool finishes = false;
  FrameBuffer output;
  /// True if canary_bytes after the output belong to the runtime and are to be checked.
  bool has_canary = false;
};

struct KernelResult {
  Outcome outcome = Outcome::absorbed;
  /// True if the kernel has been flushed.
  bool has_finished = false;
};

/// Throws WorkError for an outcome that is not valid for `process` or `finish`.
[[noreturn]] void throw_wrong_outcome(Outcome outcome, const char* function);

/// Calls `Kernel::process`; the outcome is `produced` or `absorbed`. Throws WorkError for any other outcome,
/// or if the kernel has written past its output.
[[gnu::always_inline]] inline Outcome process_checked(Kernel& kernel, std::span<const FrameView> inputs,
                                                      const FrameBuffer& output, bool has_canary) {
  if (has_canary) plant_canary(output.bytes);
  const Outcome made = kernel.process(inputs, output);
  if (made > Outcome::absorbed) [[unlikely]]
    throw_wrong_outcome(made, "process");
  if (has_canary && !canary_lives(output.bytes)) [[unlikely]]
    throw_dead_canary(output.bytes);
  return made;
}

/// Calls `Kernel::finish`, which may also return `more`.
inline Outcome finish_checked(Kernel& kernel, const FrameBuffer& output, bool has_canary) {
  if (has_canary) plant_canary(output.bytes);
  const Outcome made = kernel.finish(output);
  if (made > Outcome::more) throw_wrong_outcome(made, "finish");
  if (has_canary && !canary_lives(output.bytes)) throw_dead_canary(output.bytes);
  return made;
}

/// Provides one output frame: a kernel that fills it for its input is flushed in the next call.
[[nodiscard]] inline KernelResult call_kernel(Kernel& kernel, const KernelCall& call) {
  *call.output.header = call.inputs.empty() ? FrameHeader{} : *call.inputs.front().header;
  Outcome made = Outcome::absorbed;
  if (!call.inputs.empty()) made = process_checked(kernel, call.inputs, call.output, call.has_canary);
  if (!call.finishes || made != Outcome::absorbed) return {made, false};
  made = finish_checked(kernel, call.output, call.has_canary);
  // It waited for the end of the stream, not for the pipeline, and so has no latency.
  call.output.header->ingested_ns = 0;
  if (made == Outcome::more) return {Outcome::produced, false};
  return {made, true};
}

}  // namespace takt::pipeline
