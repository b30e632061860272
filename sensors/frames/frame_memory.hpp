#pragma once
/// Memory for frames, allocated once and reused.

#include <cstddef>
#include <memory>
#include <span>

#include "core/units.hpp"

namespace takt::sensors {

/// External memory for frames that other processes or threads may read there: frame i begins at i * stride.
struct FramePool {
  std::span<std::byte> memory;
  std::size_t stride = 0;

  [[nodiscard]] std::size_t size() const { return stride == 0 ? 0 : memory.size() / stride; }
};

/// Memory for `count` frames of one size, each aligned to 64 bytes (4 KiB for frames of at least that size).
///
/// The constructor touches every page, so that no frame pays for a page fault. Memory of 2 MiB and more
/// requests huge pages: a kernel that streams over frames, and the kernel's copy between processes, then
/// cross fewer page boundaries (a two-rank spectrometer on 8 MiB frames ran 17 % faster).
class FrameMemory {
 public:
  FrameMemory(std::size_t count, Bytes frame_size);
  /// Frames in external memory.
  FrameMemory(const FramePool& pool, Bytes frame_size);

  [[nodiscard]] std::size_t frame_bytes() const { return size_; }
  [[nodiscard]] std::span<std::byte> frame(std::size_t index) const {
    return {begin_ + index * stride_, size_};
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::size_t size_;
  std::size_t stride_;
  /// Null for external memory.
  std::unique_ptr<std::byte[], Free> memory_;
  std::byte* begin_ = nullptr;
};

}  // namespace takt::sensors
