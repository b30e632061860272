#include "pipeline/frontend/pages/program_page.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/formats/json.hpp"
#include "core/pictures/figure_text.hpp"
#include "core/pictures/graph_view.hpp"
#include "pipeline/frontend/communication/owner_computes.hpp"
#include "pipeline/frontend/weights/costs.hpp"

namespace takt::frontend {

namespace {

using ProgramJson = nlohmann::ordered_json;

View to_view(const ProgramJson& json) {
  return json.dump(-1, ' ', false, ProgramJson::error_handler_t::replace);
}

/// The meaning of a part of the text (core/pictures/web/src/data.ts).
enum class PartAccess : std::uint8_t { none, in, out, inout, name };

/// A part of the text that belongs to a call there.
struct Mark {
  Place place;
  std::size_t site = 0;
  PartAccess access = PartAccess::none;
};

PartAccess access_of(Access access) {
  if (access == Access::in) return PartAccess::in;
  return access == Access::out ? PartAccess::out : PartAccess::inout;
}

/// Returns the marks in the order of the text, without those that overlap an earlier one, and sets the site
/// of each call.
std::vector<Mark> marks_of(const Program& program, ProgramJson& sites, ProgramJson& site_of_call) {
  std::vector<Mark> marks;
  std::map<std::uint32_t, std::size_t> known;
  for (const Call& call : program.calls) {
    const auto [found, is_new] = known.try_emplace(call.place.offset, known.size());
    site_of_call.push_back(found->second);
    if (!is_new) continue;
    sites.push_back(program.source.locate(call.place).line);
    const Procedure& procedure = program.procedure(call);
    marks.push_back({{call.place.offset, static_cast<std::uint32_t>(procedure.name.size())},
                     found->second,
                     PartAccess::name});
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      if (call.arguments[i].section && call.arguments[i].place.length > 0)
        marks.push_back({call.arguments[i].place, found->second, access_of(procedure.parameters[i].access)});
  }
  std::ranges::sort(marks, {}, [](const Mark& mark) { return mark.place.offset; });
  std::uint32_t end = 0;
  std::erase_if(marks, [&](const Mark& mark) {
    if (mark.place.offset < end) return true;
    end = mark.place.offset + mark.place.length;
    return false;
  });
  return marks;
}

View source_view(const WeightedProgram& weighted) {
  const Program& program = weighted.read.program;
  ProgramJson view{
      {"kind", "source"},
      {"name", "Source"},
      {"says", "A call in the text shows its tasks, one after the other; a task shows its call."},
      {"sites", ProgramJson::array()}};
  ProgramJson& calls = view["calls"] = {{"site", ProgramJson::array()}, {"text", ProgramJson::array()}};
  const std::vector<Mark> marks = marks_of(program, view["sites"], calls["site"]);
  for (const CallId call : ids<CallId>(program.calls.size())) calls["text"].push_back(program.text_of(call));
  ProgramJson& parts = view["parts"] = {
      {"text", ProgramJson::array()}, {"site", ProgramJson::array()}, {"access", ProgramJson::array()}};
  const std::string& text = program.source.text();
  const auto add = [&](std::size_t begin, std::size_t end, std::int64_t site, PartAccess access) {
    if (begin == end) return;
    parts["text"].push_back(text.substr(begin, end - begin));
    parts["site"].push_back(site);
    parts["access"].push_back(static_cast<int>(access));
  };
  std::size_t at = 0;
  for (const Mark& mark : marks) {
    add(at, mark.place.offset, -1, PartAccess::none);
    at = mark.place.offset + mark.place.length;
    add(mark.place.offset, at, static_cast<std::int64_t>(mark.site), mark.access);
  }
  add(at, text.size(), -1, PartAccess::none);
  view["graph"] = ProgramJson::parse(graph_view(weighted.graph, {}, "ns"));
  return to_view(view);
}

View procedures_view(const WeightedProgram& weighted) {
  const Program& program = weighted.read.program;
  const std::vector<OperationCounts> counts = count_procedures(weighted.read);
  ProgramJson view{
      {"kind", "table"},
      {"name", "Procedures"},
      {"says", "Calls, their works, and the operations of one call as formulas of the parameters."},
      {"columns", {"procedure", "calls", "work", "of a call", "operations"}},
      {"numbers", ProgramJson::array()},
      {"rows", ProgramJson::array()}};
  for (const ColumnKind kind :
       {ColumnKind::text, ColumnKind::number, ColumnKind::ns, ColumnKind::ns, ColumnKind::text})
    view["numbers"].push_back(static_cast<int>(kind));
  for (std::size_t i = 0; i < program.procedures.size(); ++i) {
    std::int64_t calls = 0, work = 0;
    for (std::size_t call = 0; call < program.calls.size(); ++call) {
      if (program.calls[call].procedure.index() != i) continue;
      ++calls;
      work += weighted.work[call].count();
    }
    std::string operations;
    for (const auto& [kind, formula] : counts[i].counts)
      operations += fmt::format("{}{}: {}", operations.empty() ? "" : "; ", kind, formula.to_string());
    view["rows"].push_back({program.procedures[i].name, fmt::format("{}", calls), fmt::format("{}", work),
                            fmt::format("{}", work / std::max<std::int64_t>(1, calls)), operations});
  }
  return to_view(view);
}

/// Blocks of each array by owner, where calls write several.
View partitionings_view(const Program& program, std::size_t owners) {
  ProgramJson view{
      {"kind", "partitions"},
      {"unit", "ns"},
      {"name", "Data partitionings"},
      {"says", fmt::format("The partitions of each array along the dimension that calls write, on {} owners.",
                           owners)}};
  for (const char* const column : {"task", "frame", "bytes", "group"})
    view["parts"][column] = ProgramJson::array();
  // A row has no place for more blocks.
  constexpr std::size_t most_partitions = 64;
  const std::vector<std::size_t> counts = partition_counts(program);
  for (std::size_t array = 0; array < counts.size(); ++array) {
    if (counts[array] < 2 || counts[array] > most_partitions) continue;
    for (const Distribution distribution :
         {Distribution::block, Distribution::cyclic, Distribution::block_cyclic}) {
      ProgramJson group = ProgramJson::array();
      for (std::size_t index = 0; index < counts[array]; ++index)
        group.push_back(owner_of(distribution, index, counts[array], owners));
      view["parts"]["task"].push_back(
          fmt::format("{}, {}", program.arrays[array].name, name_of(distribution)));
      view["parts"]["frame"].push_back(0);
      view["parts"]["bytes"].push_back(program.arrays[array].bytes);
      view["parts"]["group"].push_back(std::move(group));
    }
  }
  return view["parts"]["task"].empty() ? View() : to_view(view);
}

}  // namespace

Page program_page(const std::string& title, const WeightedProgram& weighted, std::size_t owners) {
  const Program& program = weighted.read.program;
  Page page{.title = title,
            .says = "A sequential program as a task graph: each call of a procedure is a task.",
            .facts = {{"calls", fmt::format("{}", program.calls.size()), "tasks"},
                      {"edges", fmt::format("{}", weighted.graph.edge_count()), "data that calls read"},
                      {"work", time_text(static_cast<double>(weighted.graph.total_work().count())),
                       weighted.origin == WorkOrigin::measured ? "measured" : "estimated"}},
            .views = {source_view(weighted), procedures_view(weighted)}};
  if (program.calls.size() <= most_calls_in_interactions)
    page.views.push_back(interaction_view(weighted.graph, {}, "ns"));
  if (View partitionings = partitionings_view(program, owners); !partitionings.empty())
    page.views.push_back(std::move(partitionings));
  return page;
}

}  // namespace takt::frontend
