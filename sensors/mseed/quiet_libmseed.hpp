#pragma once
/// RAII ownership of libmseed's records, and suppression of its messages.

#include <memory>
#include <mutex>

#include <libmseed.h>

namespace takt::sensors {

struct MsrDeleter {
  void operator()(MSRecord* record) const { msr_free(&record); }
};
using Msr = std::unique_ptr<MSRecord, MsrDeleter>;

/// Suppresses libmseed's messages: its callers count the errors.
inline void silence_libmseed() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto nothing = [](char*) {};
    ms_loginit(nothing, "", nothing, "");
  });
}

}  // namespace takt::sensors
