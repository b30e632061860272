#include <cstdint>
#include <span>
#include <string>

#include "pipeline/tasking/schedule/fatal.hpp"
#include "pipeline/tasking/schedule/locks.hpp"
#include "pipeline/tasking/schedule/program.hpp"
#include "pipeline/tasking/schedule/takt_schedule.h"

namespace takt::tasking::schedule {
namespace {

Call call_with(takt_unit unit, void* context) {
  Call call;
  call.procedure = reinterpret_cast<Procedure>(unit);
  call.kind = Call::Kind::with_context;
  call.parameters[0] = context;
  return call;
}

}  // namespace
}  // namespace takt::tasking::schedule

#define TAKT_C_ROUTINE extern "C" __attribute__((visibility("default")))

TAKT_C_ROUTINE void takt_sched(int64_t workers, takt_unit description, void* context) {
  takt::tasking::schedule::sched(workers, takt::tasking::schedule::call_with(description, context), 0);
}

TAKT_C_ROUTINE void takt_dep(int64_t tag, int64_t icango, int64_t ncheks, const int64_t* list) {
  takt::tasking::schedule::Program& program = takt::tasking::schedule::running_program(tag, "dep");
  if (ncheks < 0)
    takt::tasking::schedule::stop(tag, "dep: ncheks = " + std::to_string(ncheks), "ncheks is 0 or more");
  program.dep(tag, icango, std::span<const std::int64_t>(list, static_cast<std::size_t>(ncheks)));
}

TAKT_C_ROUTINE void takt_putq(int64_t tag, takt_unit unit, void* context) {
  takt::tasking::schedule::running_program(tag, "putq")
      .putq(tag, takt::tasking::schedule::call_with(unit, context));
}

TAKT_C_ROUTINE int64_t takt_nxtag(int64_t parent) {
  return takt::tasking::schedule::running_program(parent, "nxtag").nxtag(parent);
}

TAKT_C_ROUTINE void takt_spawn(int64_t parent, int64_t tag, takt_unit unit, void* context) {
  takt::tasking::schedule::running_program(parent, "spawn")
      .spawn(parent, tag, takt::tasking::schedule::call_with(unit, context));
}

TAKT_C_ROUTINE int64_t takt_ientry(int64_t tag, int64_t entries) {
  return takt::tasking::schedule::running_program(tag, "ientry").ientry(tag, entries);
}

TAKT_C_ROUTINE bool takt_wait(int64_t tag, int64_t label) {
  return takt::tasking::schedule::running_program(tag, "wait").wait(tag, label);
}

TAKT_C_ROUTINE bool takt_set_priority(int64_t tag, int priority) {
  return takt::tasking::schedule::running_program(tag, "setpri").set_priority(tag, priority);
}

TAKT_C_ROUTINE void takt_touches(const void* address, int64_t bytes, int mode) {
  if (auto* const program = takt::tasking::schedule::program_if_any(); program != nullptr)
    program->touches(address, bytes, mode);
}

TAKT_C_ROUTINE void takt_name_array(const char* name, const void* address, int64_t bytes) {
  takt::tasking::schedule::name_array(address, bytes < 0 ? 0 : static_cast<std::size_t>(bytes), name);
}

TAKT_C_ROUTINE void takt_lckasn(int* lock) {
  takt::tasking::schedule::assign_lock(lock);
}

TAKT_C_ROUTINE void takt_lockon(int* lock) {
  takt::tasking::schedule::turn_lock_on(lock);
}

TAKT_C_ROUTINE void takt_lockoff(int* lock) {
  takt::tasking::schedule::turn_lock_off(lock);
}
