#include "sensors/backlog/spill_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace fs = std::filesystem;

namespace {

/// Transfers all bytes, or returns false with errno set.
template <class Transfer>
bool transfer_all(Transfer transfer, std::size_t bytes, off_t place) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t step = transfer(done, bytes - done, place + static_cast<off_t>(done));
    if (step < 0 && errno == EINTR) continue;
    if (step == 0) errno = EIO;
    if (step <= 0) return false;
    done += static_cast<std::size_t>(step);
  }
  return true;
}

bool write_all(int file, const void* data, std::size_t bytes, off_t place) {
  const auto* const from = static_cast<const std::byte*>(data);
  return transfer_all(
      [&](std::size_t done, std::size_t rest, off_t at) { return ::pwrite(file, from + done, rest, at); },
      bytes, place);
}

bool read_all(int file, void* data, std::size_t bytes, off_t place) {
  auto* const to = static_cast<std::byte*>(data);
  return transfer_all(
      [&](std::size_t done, std::size_t rest, off_t at) { return ::pread(file, to + done, rest, at); }, bytes,
      place);
}

int open_or_throw(const fs::path& in, int flags) {
  const int file = ::open(in.c_str(), flags | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0)
    throw WorkError(fmt::format("cannot create a spill file in {}: {}",
                                (flags & O_TMPFILE) == O_TMPFILE ? in.string() : in.parent_path().string(),
                                std::strerror(errno)));
  return file;
}

}  // namespace

std::uint64_t records_in(Bytes bytes, std::size_t frame_bytes) {
  return bytes.count / (sizeof(SpillFile::Head) + frame_bytes);
}

SpillFile SpillFile::unnamed(const fs::path& folder, std::uint64_t records, std::size_t frame_bytes) {
  const fs::path in = folder.empty() ? fs::temp_directory_path() : folder;
  return {open_or_throw(in, O_TMPFILE), records, frame_bytes};
}

SpillFile SpillFile::kept(const fs::path& path, std::uint64_t records, std::size_t frame_bytes) {
  SpillFile file(open_or_throw(path, O_CREAT | O_NOFOLLOW), records, frame_bytes);
  if (::flock(file.file_, LOCK_EX | LOCK_NB) != 0)
    throw WorkError(fmt::format("{} is in use by another process: {}", path.string(), std::strerror(errno)));
  return file;
}

SpillFile::SpillFile(int file, std::uint64_t records, std::size_t frame_bytes)
    : file_(file), records_(records), frame_bytes_(frame_bytes) {
  if (!read_all(file_, &gone_, sizeof(gone_), 0)) gone_ = {};
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      records_(other.records_),
      frame_bytes_(other.frame_bytes_),
      gone_(other.gone_) {}

SpillFile::~SpillFile() {
  if (file_ >= 0) ::close(file_);
}

off_t SpillFile::place(std::uint64_t record) const {
  return static_cast<off_t>(sizeof(gone_) + record % records_ * (sizeof(Head) + frame_bytes_));
}

void SpillFile::add(const Gone& more) {
  gone_.dropped += more.dropped;
  gone_.lost += more.lost;
  // If it cannot be written, only the next process's counts are wrong.
  (void)write_all(file_, &gone_, sizeof(gone_), 0);
}

bool SpillFile::write(std::uint64_t record, const FrameView& frame, bool is_cut_off) {
  const Head head{*frame.header, is_cut_off ? 1U : 0U, gone_, record + 1};
  const off_t at = place(record);
  return write_all(file_, frame.bytes.data(), frame_bytes_, at + static_cast<off_t>(sizeof(head))) &&
         write_all(file_, &head, sizeof(head), at);
}

bool SpillFile::read(std::uint64_t record, Head& head, std::span<std::byte> bytes) const {
  const off_t at = place(record);
  return read_all(file_, &head, sizeof(head), at) &&
         read_all(file_, bytes.data(), frame_bytes_, at + static_cast<off_t>(sizeof(head)));
}

SpillFile::Head SpillFile::head(std::uint64_t record) const {
  Head head;
  if (!read_all(file_, &head, sizeof(head), place(record))) head.number = 0;
  return head;
}

bool SpillFile::holds(std::uint64_t record) const {
  return head(record).number == record + 1;
}

std::optional<SpillFile::Range> SpillFile::found() const {
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < records_; ++i) {
    const std::uint64_t number = head(i).number;
    if (number > next && (number - 1) % records_ == i) next = number;
  }
  if (next == 0) return std::nullopt;
  // The next record, in the place of the oldest, may be incomplete.
  const std::uint64_t oldest = next - std::min(next, records_ - 1);
  std::uint64_t first = next;
  while (first > oldest && holds(first - 1)) --first;
  return Range{first, next};
}

void SpillFile::clear() {
  gone_ = {};
  if (::ftruncate(file_, 0) != 0)
    throw WorkError(fmt::format("cannot truncate the spill file: {}", std::strerror(errno)));
}

}  // namespace takt::sensors
