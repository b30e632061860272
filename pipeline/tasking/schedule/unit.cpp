#include "pipeline/tasking/schedule/unit.hpp"

namespace takt::tasking::schedule {

namespace {

using P = void*;
using FortranProcedure = void (*)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P);
using ContextProcedure = void (*)(std::int64_t, void*);

}  // namespace

void Call::operator()(std::int64_t tag) const {
  const Parameters& p = parameters;
  if (kind == Kind::with_context)
    reinterpret_cast<ContextProcedure>(procedure)(tag, p[0]);
  else
    reinterpret_cast<FortranProcedure>(procedure)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9],
                                                  p[10], p[11], p[12], p[13], p[14], p[15], p[16], p[17],
                                                  p[18], p[19]);
}

}  // namespace takt::tasking::schedule
