#include "sensors/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// Writes all of it at the offset; the error number, or 0.
int write_all(int descriptor, std::span<const std::byte> bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return ENOSPC;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return 0;
}

}  // namespace

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::open(const std::filesystem::path& path) {
  path_ = path;
  size_ = 0;
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot be created", errno);
}

void OutputFile::append(std::initializer_list<std::span<const std::byte>> record) {
  std::uint64_t end = size_;
  for (const std::span<const std::byte> piece : record) {
    if (const int error = write_all(descriptor_, piece, end)) {
      // A device has no length to take back.
      if (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) errno = 0;
      fail("cannot be written", error);
    }
    end += piece.size();
  }
  size_ = end;
}

void OutputFile::overwrite(std::span<const std::byte> head) {
  if (const int error = write_all(descriptor_, head, 0)) fail("cannot be written", error);
}

void OutputFile::close() {
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
