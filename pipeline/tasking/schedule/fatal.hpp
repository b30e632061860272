#pragma once
/// The end of a program that breaks a rule of SCHEDULE.

#include <cstdint>
#include <string>

namespace takt::tasking::schedule {

/// Prints `schedule: tag TAG: FAULT; rule: RULE` on stderr (without tag where it is 0), completes the trace,
/// and ends the process with status 1, as a Fortran stop with a message. For any thread, also while other
/// units run.
[[noreturn]] void stop(std::int64_t tag, const std::string& fault, const std::string& rule);

/// Prints such a line without ending the process.
void report(std::int64_t tag, const std::string& fault, const std::string& rule);

/// Prints a line in a signal handler, completes the trace and ends the process with status 1 at once.
[[noreturn]] void stop_in_signal(const char* line);

}  // namespace takt::tasking::schedule
