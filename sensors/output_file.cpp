#include "sensors/output_file.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// Calls `write(bytes, offset)` until all is written; the error number, or 0.
template <class Write>
int write_all(std::span<const std::byte> bytes, std::uint64_t offset, Write write) {
  while (!bytes.empty()) {
    const ssize_t count = write(bytes, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return ENOSPC;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return 0;
}

/// A reader that goes away is an error of the write then, and not the end of the program.
void block_broken_pipe_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::open(const std::filesystem::path& path) {
  path_ = path;
  size_ = 0;
  has_begun_ = false;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0 && errno != ENOENT) fail("cannot be written", errno);
  if (descriptor_ < 0) {
    const std::filesystem::path folder = path_.has_parent_path() ? path_.parent_path() : ".";
    if (::access(folder.c_str(), W_OK | X_OK) != 0) fail("cannot be created", errno);
    return;
  }
  is_stream_ = ::lseek(descriptor_, 0, SEEK_CUR) < 0;
  if (is_stream_) block_broken_pipe_signal();
}

void OutputFile::begin() {
  has_begun_ = true;
  if (descriptor_ < 0) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("cannot be created", errno);
  } else if (!is_stream_ && ::ftruncate(descriptor_, 0) != 0 && errno != EINVAL) {
    fail("cannot be emptied", errno);
  }
}

int OutputFile::write(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (is_stream_)
    return write_all(bytes, offset, [&](std::span<const std::byte> rest, off_t) {
      return ::write(descriptor_, rest.data(), rest.size());
    });
  return write_all(bytes, offset, [&](std::span<const std::byte> rest, off_t at) {
    return ::pwrite(descriptor_, rest.data(), rest.size(), at);
  });
}

void OutputFile::append(std::initializer_list<std::span<const std::byte>> record) {
  if (!has_begun_) begin();
  std::uint64_t end = size_;
  for (const std::span<const std::byte> piece : record) {
    if (const int error = write(piece, end)) {
      // A pipe or a device has no length to take back.
      if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) errno = 0;
      fail("cannot be written", error);
    }
    end += piece.size();
  }
  size_ = end;
}

void OutputFile::close() {
  if (descriptor_ < 0) return;
  // Devices and pipes know no synchronisation, which is no failure.
  const int synchronised = ::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
  const int closed = ::close(std::exchange(descriptor_, -1)) != 0 ? errno : 0;
  if (synchronised) fail("cannot be completed", synchronised);
  if (closed) fail("cannot be completed", closed);
}

void OutputFile::fail(const char* what, int error) const {
  throw WorkError(fmt::format("{}: the output {}: {}", path_.string(), what, std::strerror(error)));
}

}  // namespace takt::sensors
