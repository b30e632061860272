#include "sensors/files/disk_watch.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "core/system/clock.hpp"
#include "core/units.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t watch_every_ns = 5'000'000'000;
/// A disk that would be full within this time at the present rate causes a warning.
constexpr double soon_s = 600;

}  // namespace

void DiskWatch::note(const std::filesystem::path& file, std::uint64_t bytes) {
  written_ += bytes;
  const std::int64_t now = now_ns();
  if (begun_ns_ == 0) begun_ns_ = watched_ns_ = now;
  if (now - watched_ns_ < watch_every_ns) return;
  watched_ns_ = now;
  struct statvfs disk {};
  if (::statvfs(file.c_str(), &disk) != 0) return;
  const auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  const double rate = static_cast<double>(written_) / (static_cast<double>(now - begun_ns_) / 1e9);
  const double left_s = static_cast<double>(free) / std::max(rate, 1.0);
  if (left_s > soon_s) return;
  const std::lock_guard lock(mutex_);
  if (warning_.empty())
    warning_ =
        fmt::format("the disk of {} has {} free, enough for {:.0f} s at {}/s", file.string(),
                    to_string(Bytes{free}), left_s, to_string(Bytes{static_cast<std::uint64_t>(rate)}));
}

std::vector<std::string> DiskWatch::warnings() const {
  const std::lock_guard lock(mutex_);
  if (warning_.empty()) return {};
  return {warning_};
}

}  // namespace takt::sensors
