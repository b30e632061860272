/// Preloaded into a program: its wall clock is an hour ahead as soon as the file TAKT_JUMPING_CLOCK exists,
/// as when a user sets the computer's clock.

#include <cstdlib>

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  using Function = int (*)(clockid_t, timespec*);
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "clock_gettime"));
  static const char* const file = std::getenv("TAKT_JUMPING_CLOCK");
  const int result = real(clock, time);
  constexpr time_t hour = 3600;
  if (clock == CLOCK_REALTIME && file != nullptr && ::access(file, F_OK) == 0) time->tv_sec += hour;
  return result;
}
