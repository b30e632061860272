#include "pipeline/runtime/channels/node_memory.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/units.hpp"

namespace takt::pipeline {

namespace {

[[noreturn]] void fail(const char* what, std::size_t bytes) {
  throw WorkError(fmt::format("cannot {} {} of memory shared by ranks: {}", what, to_string(Bytes{bytes}),
                              std::strerror(errno)));
}

}  // namespace

NodeMemory NodeMemory::create(std::size_t bytes) {
  const int file = ::memfd_create("takt", MFD_CLOEXEC);
  if (file < 0) fail("make", bytes);
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    ::close(file);
    fail("make", bytes);
  }
  return {file, bytes};
}

NodeMemory NodeMemory::open(const std::string& handle, std::size_t bytes) {
  const int file = ::open(handle.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail("open", bytes);
  return {file, bytes};
}

NodeMemory::NodeMemory(int file, std::size_t bytes) : file_(file), size_(bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (memory == MAP_FAILED) {
    const int reason = errno;
    ::close(file);
    errno = reason;
    fail("map", bytes);
  }
  begin_ = static_cast<std::byte*>(memory);
}

NodeMemory::NodeMemory(NodeMemory&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      begin_(std::exchange(other.begin_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

NodeMemory& NodeMemory::operator=(NodeMemory&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}

NodeMemory::~NodeMemory() {
  close_handle();
  if (begin_ != nullptr) ::munmap(begin_, size_);
}

std::string NodeMemory::handle() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file_);
}

void NodeMemory::close_handle() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace takt::pipeline
