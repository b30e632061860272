#pragma once
/// Finds kernels that write to invalid memory: `takt run --check-memory`.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/calls/kernel_call.hpp"
#include "sensors/frames/frame_memory.hpp"

namespace takt::pipeline {

/// Checks calls of kernels: each writes its output between guards in the checker's memory, from which it is
/// copied to its place. Checks that inputs are unchanged. Costs several passes over each frame.
class MemoryCheck {
 public:
  /// Accepts outputs of up to this size.
  explicit MemoryCheck(Bytes largest_output);

  /// Call before the kernel: returns the buffer for its output. The header is a copy.
  [[nodiscard]] FrameBuffer begin(std::span<const FrameView> inputs, const FrameBuffer& output);
  /// Call after the kernel: throws WorkError if it has written outside its output or header, or to an input;
  /// otherwise copies the output to its place.
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
  /// Digests of each input's header and elements.
  std::vector<std::uint64_t> digests_;
};

/// Makes a call with `check`, if there is one.
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
