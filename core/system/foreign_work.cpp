#include "core/system/foreign_work.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace takt {

namespace {

double seconds_of(int who) {
  rusage use{};
  ::getrusage(who, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

/// CPU seconds of other processes since the computer was booted.
std::optional<double> foreign_seconds() {
  std::ifstream file("/proc/stat");
  std::string line;
  std::getline(file, line);
  const std::optional<double> ticks = worked_ticks(line);
  if (!ticks) return std::nullopt;
  return *ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)) - seconds_of(RUSAGE_SELF) -
         seconds_of(RUSAGE_CHILDREN);
}

}  // namespace

std::optional<double> worked_ticks(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string name;
  // user nice system idle iowait irq softirq steal
  std::array<double, 8> ticks{};
  if (!(words >> name) || name != "cpu") return std::nullopt;
  for (double& each : ticks)
    if (!(words >> each)) return std::nullopt;
  const auto [user, nice, system, idle, waiting, hard, soft, stolen] = ticks;
  return user + nice + system + hard + soft + stolen;
}

ForeignWork::ForeignWork() : since_(std::chrono::steady_clock::now()), before_s_(foreign_seconds()) {}

std::optional<double> ForeignWork::processors() const {
  const std::optional<double> now_s = foreign_seconds();
  const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - since_;
  if (!now_s || !before_s_ || lasted.count() <= 0) return std::nullopt;
  return std::max(0.0, (*now_s - *before_s_) / lasted.count());
}

}  // namespace takt
