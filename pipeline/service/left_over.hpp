#pragma once
/// Handles processes and files left by an earlier service or an earlier run of a stream.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

/// Waits for the end of a launcher started by an earlier service on this directory. The death of that service
/// was its request to end; this call repeats the request and kills it after ten seconds. Does nothing if the
/// pid now belongs to another process.
void await_end_of_launcher(std::int64_t pid, const std::filesystem::path& folder);

/// Reaps processes adopted from launchers, except `own`
/// children.
void reap_adopted(const std::vector<pid_t>& own);

/// Renames the files of an earlier run of a stream to `NAME.before-20260102T030405Z`, because a restarted
/// stream begins new ones. Returns its actions, one sentence each.
[[nodiscard]] std::vector<std::string> set_aside_outputs(const Pipeline& pipeline,
                                                         const std::filesystem::path& folder);

}  // namespace takt::pipeline
