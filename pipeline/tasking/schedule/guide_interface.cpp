/// The routines of the SCHEDULE users guide, as Fortran compilers name them: lower case with a trailing
/// underscore. Arguments come by reference. The number of parameters after a procedure varies; the lengths of
/// CHARACTER arguments follow them. 20 are read, also where the caller passes fewer.

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <span>
#include <string>

#include "pipeline/tasking/schedule/code_address.hpp"
#include "pipeline/tasking/schedule/fatal.hpp"
#include "pipeline/tasking/schedule/locks.hpp"
#include "pipeline/tasking/schedule/program.hpp"

namespace takt::tasking::schedule {
namespace {

// What lies above the caller's arguments is read, too, which sanitizers would report.
#define TAKT_READS_BEYOND __attribute__((no_sanitize("address"), noinline))

TAKT_READS_BEYOND Call::Parameters read_parameters(std::va_list list) {
  Call::Parameters parameters;
  for (void*& each : parameters) each = va_arg(list, void*);
  return parameters;
}

Call call_of(std::int64_t tag, const char* function, Procedure procedure,
             const Call::Parameters& parameters) {
  if (!is_code(reinterpret_cast<const void*>(procedure)))
    stop(tag, std::string(function) + ": the procedure is a variable",
         "the caller of " + std::string(function) + " declares the procedure EXTERNAL");
  return {procedure, Call::Kind::fortran, parameters};
}

}  // namespace
}  // namespace takt::tasking::schedule

// Exactly these names are visible in the shared library.
#define TAKT_ROUTINE extern "C" __attribute__((visibility("default")))

namespace rules = takt::tasking::schedule;

TAKT_ROUTINE TAKT_READS_BEYOND void sched_(const int* nprocs, rules::Procedure description, ...) {
  std::va_list list;
  va_start(list, description);
  const auto parameters = rules::read_parameters(list);
  va_end(list);
  rules::sched(*nprocs, rules::call_of(0, "sched", description, parameters), rules::most_tags);
}

TAKT_ROUTINE void dep_(const int* jobtag, const int* icango, const int* ncheks, const int* list) {
  rules::Program& program = rules::running_program(*jobtag, "dep");
  if (*ncheks < 0 || *ncheks > rules::most_dependents)
    rules::stop(*jobtag, "dep: ncheks = " + std::to_string(*ncheks),
                "ncheks is 0 to " + std::to_string(rules::most_dependents));
  std::array<std::int64_t, rules::most_dependents> dependents;
  const auto end = std::copy(list, list + *ncheks, dependents.begin());
  program.dep(*jobtag, *icango, {dependents.begin(), end});
}

TAKT_ROUTINE TAKT_READS_BEYOND void putq_(const int* jobtag, rules::Procedure unit, ...) {
  std::va_list list;
  va_start(list, unit);
  const auto parameters = rules::read_parameters(list);
  va_end(list);
  rules::Program& program = rules::running_program(*jobtag, "putq");
  program.putq(*jobtag, rules::call_of(*jobtag, "putq", unit, parameters));
}

TAKT_ROUTINE void nxtag_(const int* mypar, int* jobtag) {
  *jobtag = static_cast<int>(rules::running_program(*mypar, "nxtag").nxtag(*mypar));
}

TAKT_ROUTINE TAKT_READS_BEYOND void spawn_(const int* mypar, const int* jobtag, rules::Procedure unit, ...) {
  std::va_list list;
  va_start(list, unit);
  const auto parameters = rules::read_parameters(list);
  va_end(list);
  rules::Program& program = rules::running_program(*mypar, "spawn");
  program.spawn(*mypar, *jobtag, rules::call_of(*jobtag, "spawn", unit, parameters));
}

TAKT_ROUTINE int ientry_(const int* mytag, const int* entries) {
  return static_cast<int>(rules::running_program(*mytag, "ientry").ientry(*mytag, *entries));
}

/// LOGICAL of Fortran: 1 is .true.
TAKT_ROUTINE int wait_(const int* mytag, const int* label) {
  return rules::running_program(*mytag, "wait").wait(*mytag, *label) ? 1 : 0;
}

/// Of static or a unit: gives a unit that has not started another priority; units have 0.
TAKT_ROUTINE void setpri_(const int* jobtag, const int* priority) {
  rules::running_program(*jobtag, "setpri").set_priority(*jobtag, *priority);
}

TAKT_ROUTINE void lckasn_(int* lock) {
  rules::assign_lock(lock);
}

TAKT_ROUTINE void lockon_(int* lock) {
  rules::turn_lock_on(lock);
}

TAKT_ROUTINE void lockoff_(int* lock) {
  rules::turn_lock_off(lock);
}

/// Of a unit: mode 0 reads so many bytes at `array`, 1 writes them.
TAKT_ROUTINE void touches_(const void* array, const int* bytes, const int* mode) {
  if (rules::Program* const program = rules::program_if_any(); program != nullptr)
    program->touches(array, *bytes, *mode);
}

/// The name of an array for messages; the length of the CHARACTER argument comes last.
TAKT_ROUTINE void nmarry_(const char* name, const void* array, const int* bytes, std::size_t length) {
  std::string text(name, length);
  text.erase(text.find_last_not_of(' ') + 1);
  rules::name_array(array, static_cast<std::size_t>(std::max(*bytes, 0)), text);
}

/// Another name of lockoff in the guide's example.
TAKT_ROUTINE void unlock_(int* lock) {
  rules::turn_lock_off(lock);
}
