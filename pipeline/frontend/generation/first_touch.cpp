#include "pipeline/frontend/generation/first_touch.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace takt::frontend {

namespace {

void add_written(const Program& program, const Call& call, std::set<Section>& sections) {
  const Procedure& procedure = program.procedure(call);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    if (call.arguments[i].section && procedure.parameters[i].access != Access::in)
      sections.insert(*call.arguments[i].section);
}

std::uint64_t end_of(const Section& section) {
  return section.offset + (section.rows - 1) * section.pitch + section.bytes;
}

}  // namespace

std::string first_touch_helper() {
  return R"(
/* Gives each page of the memory its place, so that the times are without it. */
static void takt_touch(void *first, size_t bytes) {
  volatile char *const at = (volatile char *)first;
  for (size_t i = 0; i < bytes; i += 4096) at[i] = at[i];
  at[bytes - 1] = at[bytes - 1];
}
)";
}

std::set<Section> written_sections(const Program& program) {
  std::set<Section> sections;
  for (const Call& call : program.calls) add_written(program, call, sections);
  return sections;
}

std::set<Section> written_sections(const Program& program, const ParallelProgram& parallel,
                                   std::size_t rank) {
  std::set<Section> sections;
  for (const RankStep& step : parallel.ranks[rank])
    if (step.kind == RankStep::Kind::call)
      add_written(program, program.calls[step.subject], sections);
    else if (step.kind == RankStep::Kind::receive)
      for (const FlowId flow : parallel.transfers[step.subject].flows)
        sections.insert(program.flows[flow.index()].sections.begin(),
                        program.flows[flow.index()].sections.end());
  return sections;
}

std::string first_touch(const Program& program, const std::set<Section>& sections,
                        const std::string& indent) {
  std::string text;
  for (auto next = sections.begin(); next != sections.end();) {
    const ArrayId id = next->array;
    const std::uint64_t begin = next->offset;
    std::uint64_t end = begin;
    for (; next != sections.end() && next->array == id && next->offset <= end; ++next)
      end = std::max(end, end_of(*next));
    if (end == begin) continue;
    const Array& array = program.arrays[id.index()];
    text += fmt::format("{}takt_touch((char *){}{} + {}, {});\n", indent, array.allocation.empty() ? "&" : "",
                        array.name, begin, end - begin);
  }
  return text;
}

}  // namespace takt::frontend
