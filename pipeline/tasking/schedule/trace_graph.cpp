#include "pipeline/tasking/schedule/default_trace.hpp"

namespace takt::tasking::schedule {

const char* default_trace_file() {
  return "trace.graph";
}

}  // namespace takt::tasking::schedule
