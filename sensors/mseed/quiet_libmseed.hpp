#pragma once
/// libmseed's records, owned, and without what it prints.

#include <memory>
#include <mutex>

#include <libmseed.h>

namespace takt::sensors {

struct MsrDeleter {
  void operator()(MSRecord* record) const { msr_free(&record); }
};
using Msr = std::unique_ptr<MSRecord, MsrDeleter>;

/// What libmseed has to say is counted where it is called, not printed.
inline void silence_libmseed() {
  static std::once_flag once;
  std::call_once(once, [] {
    const auto nothing = [](char*) {};
    ms_loginit(nothing, "", nothing, "");
  });
}

}  // namespace takt::sensors
