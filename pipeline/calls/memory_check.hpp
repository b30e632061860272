#pragma once
/// Finds kernels that write where they must not: `takt run --check-memory`.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/calls/kernel_call.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

/// Watches calls of kernels: each makes its output in memory of the check's own, between guards, from where
/// it is copied to its place; inputs are compared with what they were. Costs several passes over each frame.
class MemoryCheck {
 public:
  /// For outputs of up to this size.
  explicit MemoryCheck(Bytes largest_output);

  /// Before the call: where the kernel is to make its output instead. The header is a copy.
  [[nodiscard]] FrameBuffer begin(std::span<const FrameView> inputs, const FrameBuffer& output);
  /// After it: throws WorkError when the kernel has written before or behind its output or header, or into an
  /// input; otherwise copies the output to its place.
  void end(std::span<const FrameView> inputs, const FrameBuffer& output);

 private:
  static constexpr std::size_t guard_bytes = 4096;
  struct GuardedHeader {
    std::array<std::byte, 64> before;
    FrameHeader header;
    std::array<std::byte, 64> behind;
  };

  sensors::FrameMemory memory_;
  GuardedHeader header_;
  /// Of each input's header and elements.
  std::vector<std::uint64_t> digests_;
};

/// A call that `check` watches, where there is one.
[[nodiscard]] inline KernelResult call_kernel(Kernel& kernel, const KernelCall& call, MemoryCheck* check) {
  if (check == nullptr) return call_kernel(kernel, call);
  KernelCall watched = call;
  watched.output = check->begin(call.inputs, call.output);
  watched.has_canary = false;
  const KernelResult result = call_kernel(kernel, watched);
  check->end(call.inputs, call.output);
  return result;
}

}  // namespace takt::pipeline
