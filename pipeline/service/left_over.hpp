#pragma once
/// What an earlier service, or an earlier run of a stream, has left behind.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Waits until a launcher that an earlier service on this folder has started is gone. It was asked to end
/// when that service died; here again, and after ten seconds it is killed. A pid that is another process's by
/// now is let alone.
void await_end_of_launcher(std::int64_t pid, const std::filesystem::path& folder);

/// Takes note of the ends of processes that launchers left behind, which are ours then; not of `own`
/// children.
void reap_adopted(const std::vector<pid_t>& own);

/// Gives the files that an earlier run of a stream has written other names, `NAME.before-20260102T030405Z`,
/// since a stream that is started again begins new ones. Returns what was done, a sentence each.
[[nodiscard]] std::vector<std::string> set_aside_outputs(const Pipeline& pipeline,
                                                         const std::filesystem::path& folder);

}  // namespace takt::pipeline
