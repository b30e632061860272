#include "pipeline/frontend/generation/call_units.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/frontend/reading/dependences.hpp"

namespace takt::frontend {

namespace {

/// How a procedure uses files, the terminal and hidden state.
struct Uses {
  bool reads = false, prints = false;
  /// What takt cannot repeat, such as `rand`.
  std::vector<std::string> others;
};

Uses classify(const Procedure& procedure) {
  constexpr auto reading = std::to_array<std::string_view>({"cin", "getchar", "scanf", "stdin", "vscanf"});
  constexpr auto printing =
      std::to_array<std::string_view>({"cout", "printf", "putchar", "puts", "stdout", "vprintf"});
  // Into a file, or messages on stderr, which have no order.
  constexpr auto writing =
      std::to_array<std::string_view>({"fflush", "fprintf", "fputc", "fputs", "fwrite", "putc", "vfprintf"});
  // A file that a call opens by its name is the same for every input.
  constexpr auto harmless =
      std::to_array<std::string_view>({"cerr",    "clearerr", "clog",   "fclose", "feof",   "ferror", "fgetc",
                                       "fgets",   "fopen",    "fread",  "fscanf", "fseek",  "ftell",  "getc",
                                       "getline", "perror",   "rewind", "stderr", "ungetc", "vfscanf"});
  const auto is_among = [](const auto& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  const bool has_messages =
      procedure.environment.contains("stderr") && !procedure.environment.contains("fopen");
  Uses uses;
  for (const std::string& name : procedure.environment) {
    // A generator that the call itself seeds gives each input the same numbers.
    const bool is_seeded = (name == "rand" || name == "srand") && procedure.environment.contains("srand");
    if (is_among(reading, name))
      uses.reads = true;
    else if (is_among(printing, name))
      uses.prints = true;
    else if (is_among(writing, name))
      uses.prints = uses.prints || !has_messages;
    else if (!is_among(harmless, name) && !is_seeded)
      uses.others.push_back(name);
  }
  return uses;
}

class UnitMaker {
 public:
  explicit UnitMaker(const Program& program)
      : program_(program), from_(program.calls.size()), into_(program.calls.size()) {
    for (const FlowId id : ids<FlowId>(program.flows.size())) {
      from_[flow(id).from.index()].push_back(id);
      for (const CallId reader : flow(id).to) into_[reader.index()].push_back(id);
    }
    std::vector<Uses> uses;
    for (const Procedure& procedure : program.procedures) uses.push_back(classify(procedure));
    for (const Call& call : program.calls) uses_.push_back(uses[call.procedure.index()]);
  }

  CallUnits make() {
    check();
    const auto calls = ids<CallId>(program_.calls.size());
    made_.unit_of.resize(program_.calls.size());
    for (const CallId call : calls)
      if (uses_of(call).reads) add(call, made_.input, "input");
    for (const CallId call : calls)
      if (!uses_of(call).reads && !uses_of(call).prints) {
        std::optional<std::size_t> own;
        add(call, own,
            fmt::format("{}-{}", program_.procedure(program_.calls[call.index()]).name, call.index()));
      }
    for (const CallId call : calls)
      if (uses_of(call).prints) add(call, made_.output, "output");
    for (std::size_t unit = 0; unit < made_.units.size(); ++unit) connect(unit);
    for (CallUnit& unit : made_.units) lay_out(unit);
    return std::move(made_);
  }

 private:
  [[nodiscard]] const Flow& flow(FlowId id) const { return program_.flows[id.index()]; }
  [[nodiscard]] const Uses& uses_of(CallId call) const { return uses_[call.index()]; }
  [[nodiscard]] const std::string& procedure_of(CallId call) const {
    return program_.procedure(program_.calls[call.index()]).name;
  }

  void check() const {
    std::vector<Violation> violations;
    std::set<ProcedureId> known;
    for (const CallId call : ids<CallId>(program_.calls.size()))
      if (std::optional<Violation> found = violation_of(call))
        if (known.insert(program_.calls[call.index()].procedure).second)
          violations.push_back(std::move(*found));
    if (!violations.empty()) throw ProgramError(program_.source, std::move(violations));
  }

  [[nodiscard]] std::optional<Violation> violation_of(CallId call) const {
    const Uses& uses = uses_of(call);
    const std::string& name = procedure_of(call);
    Violation violation{.place = program_.calls[call.index()].place, .rule = "pipeline"};
    if (!uses.others.empty()) {
      violation.message = fmt::format(
          "{} uses {}: a pipeline runs calls on several inputs at once and in trial runs, so they may read "
          "and print, but not depend on other state",
          name, fmt::join(uses.others, ", "));
      violation.rewrite = "compute it in the procedure, or generate a program without takt (--repeat)";
      return violation;
    }
    if (uses.reads && uses.prints) {
      violation.message = fmt::format(
          "{} reads stdin and prints: a pipeline reads inputs ahead of the results that are printed", name);
      violation.rewrite = "read in one procedure, and print in another one";
      return violation;
    }
    if (uses.reads)
      for (const FlowId id : into_[call.index()])
        if (!uses_of(flow(id).from).reads) {
          violation.message =
              fmt::format("{} reads stdin, and needs {} of {}: a pipeline reads inputs before other calls",
                          name, flow(id).text, procedure_of(flow(id).from));
          violation.other = program_.calls[flow(id).from.index()].place;
          violation.note = "the other call";
          violation.rewrite = "read in a procedure that needs no result of others";
          return violation;
        }
    if (uses.prints)
      for (const FlowId id : from_[call.index()])
        for (const CallId reader : flow(id).to)
          if (!uses_of(reader).prints) {
            violation.message =
                fmt::format("{} prints, and makes {} for {}: a pipeline prints after other calls", name,
                            flow(id).text, procedure_of(reader));
            violation.other = program_.calls[reader.index()].place;
            violation.note = "the other call";
            violation.rewrite = "print in a procedure of its own, which only reads";
            return violation;
          }
    return std::nullopt;
  }

  /// Adds a call to a unit, which is made with its first call.
  void add(CallId call, std::optional<std::size_t>& unit, const std::string& name) {
    if (!unit) {
      unit = made_.units.size();
      made_.units.push_back({.name = name});
    }
    made_.units[*unit].calls.push_back(call);
    made_.unit_of[call.index()] = *unit;
  }

  void connect(std::size_t unit) {
    std::vector<std::size_t>& inputs = made_.units[unit].inputs;
    for (const CallId call : made_.units[unit].calls)
      for (const FlowId id : into_[call.index()]) {
        const std::size_t from = made_.unit_of[flow(id).from.index()];
        if (from == unit || std::ranges::find(inputs, from) != inputs.end()) continue;
        inputs.push_back(from);
        made_.units[from].is_read = true;
      }
  }

  void lay_out(CallUnit& unit) const {
    std::uint64_t end = 0;
    for (const bool only_read : {true, false}) {
      for (const CallId id : unit.calls) {
        const Call& call = program_.calls[id.index()];
        for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
          const std::optional<Section>& section = call.arguments[i].section;
          if (!section || program_.procedure(call).parameters[i].access == Access::in) continue;
          if (only_read && !is_read(id, *section)) continue;
          unit.results.push_back({id, i, next_place(end)});
          end = next_place(end) + section->size();
        }
      }
      if (!unit.results.empty()) break;
    }
    unit.bytes = std::max<std::uint64_t>(1, end);
  }

  [[nodiscard]] bool is_read(CallId call, const Section& section) const {
    return std::ranges::any_of(from_[call.index()], [&](FlowId id) {
      return std::ranges::any_of(flow(id).sections,
                                 [&](const Section& read) { return overlap(read, section); });
    });
  }

  const Program& program_;
  /// Flows by their writer, and by each reader.
  std::vector<std::vector<FlowId>> from_, into_;
  std::vector<Uses> uses_;
  CallUnits made_;
};

}  // namespace

CallUnits call_units(const Program& program) {
  return UnitMaker(program).make();
}

}  // namespace takt::frontend
