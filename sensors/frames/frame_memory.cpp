#include "sensors/frames/frame_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include <sys/mman.h>

namespace takt::sensors {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

FrameMemory::FrameMemory(std::size_t count, Bytes frame_size)
    : size_(frame_size.count),
      stride_(rounded_up(std::max<std::size_t>(size_, 1), size_ < page ? cache_line : page)) {
  if (count > (std::numeric_limits<std::size_t>::max() - huge_page) / stride_) throw std::bad_alloc();
  const std::size_t bytes = count * stride_;
  const std::size_t unit = bytes < huge_page ? page : huge_page;
  const std::size_t rounded = rounded_up(std::max<std::size_t>(bytes, 1), unit);
  memory_.reset(static_cast<std::byte*>(std::aligned_alloc(unit, rounded)));
  if (!memory_) throw std::bad_alloc();
  // Advice only: without huge pages the system uses small ones.
  if (unit == huge_page) ::madvise(memory_.get(), rounded, MADV_HUGEPAGE);
  std::memset(memory_.get(), 0, rounded);
  begin_ = memory_.get();
}

FrameMemory::FrameMemory(const FramePool& pool, Bytes frame_size)
    : size_(frame_size.count), stride_(pool.stride), begin_(pool.memory.data()) {}

void FrameMemory::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

}  // namespace takt::sensors
