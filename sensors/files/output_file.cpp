#include "sensors/files/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/system/outside_wait.hpp"
#include "core/system/stop_request.hpp"

namespace takt::sensors {

namespace {

/// Calls `write(bytes, offset)` until all is written; returns the error number, or 0.
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

/// Makes a closed pipe an error of the write instead of the end of the program.
void block_broken_pipe_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool is_pipe(const std::filesystem::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISFIFO(found.st_mode);
}

/// Returns the pipe's non-blocking descriptor, or -1. Waits for a reader; throws WorkError if the user stops
/// the run meanwhile.
int open_pipe(const std::filesystem::path& path) {
  constexpr std::chrono::milliseconds nap{20};
  std::optional<OutsideWait> waits;
  while (true) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor >= 0 || errno != ENXIO) return descriptor;
    if (asked_to_stop_at())
      throw WorkError(fmt::format("{}: interrupted before the pipe had a reader", path.string()));
    if (!waits) waits.emplace(fmt::format("a reader of the pipe '{}'", path.string()));
    std::this_thread::sleep_for(nap);
  }
}

/// Waits until the pipe accepts data, or its reader has gone.
void wait_for_reader(int descriptor, const std::filesystem::path& path) {
  const OutsideWait waits(fmt::format("the reader of the pipe '{}'", path.string()));
  pollfd wanted{descriptor, POLLOUT, 0};
  (void)::poll(&wanted, 1, -1);
}

/// Reports whether the open file has this name.
bool is_at(const std::filesystem::path& path, int descriptor) {
  struct stat named {
  }, opened{};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(descriptor, &opened) == 0 &&
         named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

/// Locks the file; returns whether that succeeded. Retries, since checks hold the lock briefly.
bool is_free(int descriptor) {
  constexpr int attempts = 5;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
  }
  return false;
}

/// Suffix for errors of a descriptor that was valid when it was opened.
constexpr const char* closed_by_others =
    "; its descriptor was closed by other code of this process, such as another task of the rank";

constexpr const char* being_written = "another run is writing it";

std::string kept(off_t size) {
  return fmt::format(
      "the file exists ({}); rename it, add %Y%m%dT%H%M%S (the time of the first frame) to the sink's path, "
      "or replace it with --overwrite or 'overwrite: true'",
      to_string(Bytes{static_cast<std::uint64_t>(size)}));
}

}  // namespace

std::string claim_on(const std::filesystem::path& path, OldFile old) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return "";
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_locked =
      descriptor >= 0 && ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (descriptor >= 0) ::close(descriptor);
  if (is_locked) return being_written;
  return old == OldFile::keep && found.st_size > 0 ? kept(found.st_size) : "";
}

OutputFile::~OutputFile() {
  let_go();
}

void OutputFile::let_go() {
  if (descriptor_ < 0) return;
  // While it is still locked, so that no other process writes to an unlinked file.
  if (is_new_ && !has_begun_ && is_at(path_, descriptor_)) ::unlink(path_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

void OutputFile::open(const std::filesystem::path& path, OldFile old) {
  if (const std::string claim = take(path, old); !claim.empty())
    throw ConfigError(fmt::format("cannot write the file '{}': {}", path.string(), claim));
}

bool OutputFile::try_open(const std::filesystem::path& path, OldFile old) {
  return take(path, old).empty();
}

std::string OutputFile::take(const std::filesystem::path& path, OldFile old) {
  let_go();
  path_ = path;
  size_ = 0;
  has_begun_ = is_new_ = is_stream_ = false;
  synchronised_ns_ = now_ns();
  while (true) {
    descriptor_ = is_pipe(path_) ? open_pipe(path_) : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0 && errno != ENOENT) fail("cannot be written", errno);
    is_new_ = descriptor_ < 0;
    if (is_new_) descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("cannot be created", errno);

    struct stat found {};
    if (::fstat(descriptor_, &found) != 0 || !S_ISREG(found.st_mode)) {
      is_stream_ = ::lseek(descriptor_, 0, SEEK_CUR) < 0;
      if (is_stream_) block_broken_pipe_signal();
      return "";
    }
    // A file system without locks is used without them.
    if (!is_free(descriptor_)) {
      is_new_ = false;
      let_go();
      return being_written;
    }
    // The previous owner of the lock may have removed or filled the file meanwhile.
    if (is_at(path_, descriptor_) && ::fstat(descriptor_, &found) == 0) {
      if (found.st_size == 0 || old == OldFile::replace) return "";
      let_go();
      return kept(found.st_size);
    }
    ::close(std::exchange(descriptor_, -1));
  }
}

void OutputFile::resume(const std::filesystem::path& path, std::uint64_t size) {
  if (const std::string claim = take(path, OldFile::replace); !claim.empty())
    throw WorkError(fmt::format("{}: cannot continue the output: {}", path.string(), claim));
  struct stat found {};
  if (!is_stream_ && ::fstat(descriptor_, &found) == 0 && S_ISREG(found.st_mode)) {
    const auto there = static_cast<std::uint64_t>(found.st_size);
    if (there < size) {
      let_go();
      throw WorkError(fmt::format("{}: cannot continue the output: {} were written, but the file has {}",
                                  path.string(), to_string(Bytes{size}), to_string(Bytes{there})));
    }
    // The rest of a block is zeros, not old data.
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail("cannot be cut", errno);
    size_ = size;
    if (const int error = fit()) fail("cannot be cut", error);
  }
  // A file without records is removed.
  is_new_ = size == 0 && !is_stream_;
  has_begun_ = size > 0;
  size_ = size;
}

/// Devices cannot be truncated.
void OutputFile::begin() {
  has_begun_ = true;
  if (!is_stream_ && ::ftruncate(descriptor_, 0) != 0 && errno != EINVAL) fail("cannot be emptied", errno);
}

int OutputFile::write(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (is_stream_)
    return write_all(bytes, offset, [&](std::span<const std::byte> rest, off_t) {
      ssize_t count = ::write(descriptor_, rest.data(), rest.size());
      while (count < 0 && errno == EAGAIN) {
        wait_for_reader(descriptor_, path_);
        count = ::write(descriptor_, rest.data(), rest.size());
      }
      return count;
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
      // A pipe or a device cannot be truncated.
      if (::ftruncate(descriptor_, static_cast<off_t>(size_)) == 0) (void)fit();
      fail("cannot be written", error);
    }
    end += piece.size();
  }
  size_ = end;
  if (block_bytes_ > 1)
    if (const int error = fit()) fail("cannot be written", error);
  if (synchronise_every_ > Time(0) && now_ns() - synchronised_ns_ >= synchronise_every_.count())
    synchronise();
}

void OutputFile::append_zeros(std::uint64_t bytes) {
  if (!has_begun_) begin();
  if (!is_stream_ && ::ftruncate(descriptor_, static_cast<off_t>(size_ + bytes)) == 0) {
    size_ += bytes;
    if (const int error = fit()) fail("cannot be written", error);
    return;
  }
  // Devices have no length.
  if (!is_stream_ && errno != EINVAL) fail("cannot be written", errno);
  const std::vector<std::byte> zeros(std::min<std::uint64_t>(bytes, 1U << 20));
  for (std::uint64_t left = bytes; left > 0;) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left, zeros.size()));
    append({std::span(zeros).first(piece)});
    left -= piece;
  }
}

void OutputFile::rewrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (const int error = write(bytes, offset)) fail("cannot be written", error);
}

int OutputFile::fit() const {
  return ::ftruncate(descriptor_, static_cast<off_t>(whole_size())) == 0 || errno == EINVAL ? 0 : errno;
}

/// Devices and pipes do not support synchronisation, which is no failure.
void OutputFile::synchronise() {
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail("cannot be completed", errno);
  synchronised_ns_ = now_ns();
}

void OutputFile::close() {
  if (descriptor_ < 0) return;
  if (!has_begun_) return let_go();
  synchronise();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot be completed", errno);
}

void OutputFile::fail(const char* what, int error) const {
  throw WorkError(fmt::format("{}: the output {}: {}{}", path_.string(), what, std::strerror(error),
                              error == EBADF ? closed_by_others : ""));
}

}  // namespace takt::sensors
