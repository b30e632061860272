#include "pipeline/frontend/generation/mpi_program.hpp"

#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/text_file.hpp"
#include "pipeline/frontend/generation/c_text.hpp"
#include "pipeline/frontend/generation/first_touch.hpp"
#include "pipeline/frontend/generation/message_text.hpp"
#include "pipeline/frontend/reading/sections_header.hpp"
#include "pipeline/frontend/reading/task_graph.hpp"

namespace takt::frontend {

namespace {

std::string helper_prefix(const Program& program) {
  const std::string text = without_comments(program.source.text());
  const std::string unlike = with_prefix(text, helper_names, "takt_");
  return unlike == text ? "" : "takt_";
}

/// Every MPI library has tags up to this; tags of a pair of ranks start again beyond it, since messages with
/// equal tags keep their order.
constexpr std::uint32_t largest_tag = 32767;

/// Reports whether the ranks exchange their messages before the time begins. Repeated programs do that with
/// their first inputs.
bool warms_up(const ParallelProgram& parallel, const GenerationOptions& options) {
  return options.times && !options.repeats && !parallel.transfers.empty();
}

class RankWriter {
 public:
  RankWriter(const Program& program, const ParallelProgram& parallel, const GenerationOptions& options,
             std::string prefix)
      : program_(program),
        parallel_(parallel),
        times_(options.times),
        warms_up_(warms_up(parallel, options)),
        prefix_(std::move(prefix)),
        tags_(parallel.transfers.size()) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> next;
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      const Transfer& transfer = parallel.transfers[i];
      tags_[i] = next[{transfer.from, transfer.to}]++ % (largest_tag + 1);
      std::uint64_t bytes = 0;
      for (const FlowId flow : transfer.flows) bytes += program.flows[flow.index()].size();
      if (bytes > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        throw ConfigError(
            {program.source.name()},
            fmt::format("a message of {} bytes is too large for MPI: expected less than 2 GiB; divide "
                        "the section of {}",
                        bytes, program.flows[transfer.flows.front().index()].text));
    }
  }

  [[nodiscard]] std::string write(std::size_t rank) const {
    std::string text = fmt::format("\nstatic void {}rank_{}(void) {{\n", prefix_, rank);
    for (const RankStep& step : parallel_.ranks[rank]) text += "  " + line(step) + "\n";
    return text + "}\n";
  }

 private:
  [[nodiscard]] std::string line(const RankStep& step) const {
    if (step.kind == RankStep::Kind::call) {
      const std::string call = program_.text_of(CallId(step.subject));
      return fmt::format("{}{} /* {} */", warms_up_ ? fmt::format("if (!{}warming_up) ", prefix_) : "",
                         timed("computing", call), task_name(program_, CallId(step.subject)));
    }
    const Transfer& transfer = parallel_.transfers[step.subject];
    const bool sends = step.kind == RankStep::Kind::send;
    std::string sections;
    std::set<std::string> names;
    for (const FlowId id : transfer.flows) {
      const Flow& flow = program_.flows[id.index()];
      for (const Section& section : flow.sections)
        sections += ", " + section_text(program_, section, prefix_);
      if (!sends) names.insert(task_name(program_, flow.from));
    }
    std::string from;
    for (const std::string& name : names) from += (from.empty() ? " /* from " : ", ") + name;
    const std::string transfers =
        fmt::format("{}{}({}, {}{})", prefix_, sends ? "SEND" : "RECEIVE",
                    sends ? transfer.to : transfer.from, tags_[step.subject], sections);
    return timed("communicating", transfers) + (from.empty() ? "" : from + " */");
  }

  /// Returns the statement, measured if times are wanted.
  [[nodiscard]] std::string timed(std::string_view sum, const std::string& statement) const {
    return times_ ? fmt::format("{0}TIMED({0}{1}, {2});", prefix_, sum, statement) : statement + ";";
  }

  const Program& program_;
  const ParallelProgram& parallel_;
  bool times_, warms_up_;
  std::string prefix_;
  std::vector<std::uint32_t> tags_;
};

/// Arrays whose initial values calls change: a repeated program restores them for each input.
std::vector<std::string> changed_arrays(const Program& program) {
  std::set<ArrayId> written;
  for (const Call& call : program.calls)
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      if (call.arguments[i].section && program.procedure(call).parameters[i].access != Access::in)
        written.insert(call.arguments[i].section->array);
  std::vector<std::string> names;
  for (const ArrayId id : written) {
    const Array& array = program.arrays[id.index()];
    if (!array.is_initialised) continue;
    names.push_back(array.allocation.empty() ? fmt::format("&{}, {}", array.name, array.bytes)
                                             : fmt::format("{}, {}", array.name, array.bytes));
  }
  return names;
}

/// Returns the choice of the function of each rank.
std::string rank_switch(const ParallelProgram& parallel, const std::string& indent,
                        const std::string& prefix) {
  std::string text = indent + "switch (rank) {\n";
  for (std::size_t rank = 0; rank < parallel.ranks.size(); ++rank)
    if (!parallel.ranks[rank].empty())
      text += fmt::format("{0}  case {1}: {2}rank_{1}(); break;\n", indent, rank, prefix);
  return text + fmt::format("{0}  default: break;\n{0}}}\n", indent);
}

/// Returns the steps of each rank; of a repeated program in a loop over the inputs.
std::string steps_text(const ReadProgram& program, const ParallelProgram& parallel,
                       const GenerationOptions& options, const std::string& prefix) {
  const std::string indent = options.repeats ? "    " : "  ";
  const std::vector<std::string> changed =
      options.repeats ? changed_arrays(program.program) : std::vector<std::string>{};
  std::string text;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const std::string bytes = changed[i].substr(changed[i].rfind(' ') + 1);
    text += fmt::format(
        "  void *const takt_initial_{0} = malloc({1});\n  if (takt_initial_{0} == NULL) return 1;\n"
        "  memcpy(takt_initial_{0}, {2});\n",
        i, bytes, changed[i]);
  }
  if (options.repeats) text += "  for (long takt_input = 0; takt_input < takt_inputs; takt_input++) {\n";
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const std::size_t comma = changed[i].rfind(',');
    text += fmt::format("    memcpy({}, takt_initial_{}{});\n", changed[i].substr(0, comma), i,
                        changed[i].substr(comma));
  }
  text += rank_switch(parallel, indent, prefix);
  if (options.repeats) {
    if (!parallel.transfers.empty()) text += fmt::format("    {}next_input();\n", prefix);
    text += "  }\n";
  }
  for (std::size_t i = 0; i < changed.size(); ++i) text += fmt::format("  free(takt_initial_{});\n", i);
  return text;
}

std::string first_touches(const Program& program, const ParallelProgram& parallel) {
  std::string cases;
  for (std::size_t rank = 0; rank < parallel.ranks.size(); ++rank)
    if (const std::string touches = first_touch(program, written_sections(program, parallel, rank), "      ");
        !touches.empty())
      cases += fmt::format("    case {}:\n{}      break;\n", rank, touches);
  return cases.empty() ? cases : "  switch (rank) {\n" + cases + "    default: break;\n  }\n";
}

std::string main_text(const ReadProgram& program, const ParallelProgram& parallel,
                      const GenerationOptions& options, const std::string& prefix) {
  const std::size_t ranks = parallel.ranks.size();
  const std::string name = base_name(program.program);
  std::string text = fmt::format(R"(
int main(int argc, char **argv) {{
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != {0}) {{
    if (rank == 0) fprintf(stderr, "{1} needs {0} ranks, not %d: mpirun -n {0} {1}\n", size);
    MPI_Finalize();
    return 2;
  }}
)",
                                 ranks, name);
  if (options.repeats)
    text += fmt::format(R"(  const long takt_inputs = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
  if (takt_inputs < 1) {{
    if (rank == 0) fprintf(stderr, "expected the number of inputs, such as 100: mpirun -n {} {} 100\n");
    MPI_Finalize();
    return 2;
  }}
)",
                        ranks, name);
  text += preparations_text(program);
  if (options.times) text += first_touches(program.program, parallel);
  if (warms_up(parallel, options))
    text += fmt::format(
        "  {0}keep_memory();\n  {0}warming_up = 1;\n{1}  {0}free_messages(1);\n"
        "  {0}warming_up = 0;\n  {0}communicating = 0;\n",
        prefix, rank_switch(parallel, "  ", prefix));
  if (options.times) text += "  MPI_Barrier(MPI_COMM_WORLD);\n  const double start = MPI_Wtime();\n";
  text += steps_text(program, parallel, options, prefix);
  if (options.times) {
    text += fmt::format(
        R"(  double mine[3] = {{MPI_Wtime() - start, {1}computing, {1}communicating}}, all[{0}][3];
  MPI_Gather(mine, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < {0}; i++)
    fprintf(stderr, "rank %d: %.9f s, computing %.9f s, communicating %.9f s\n", i, all[i][0], all[i][1], all[i][2]);
)",
        ranks, prefix);
    if (options.repeats)
      text +=
          "  if (rank == 0) fprintf(stderr, \"%ld inputs, %.6g per second\\n\", takt_inputs, takt_inputs / "
          "all[0][0]);\n";
  }
  if (!parallel.transfers.empty()) {
    if (options.repeats) text += fmt::format("  {}next_input();\n", prefix);
    text += fmt::format("  {}free_messages(1);\n", prefix);
  }
  text += "  MPI_Finalize();\n";
  return text + fmt::format("  return {};\n}}\n", program.program.exit_code);
}

std::string makefile_text(const std::string& name, const std::string& ending, std::size_t ranks) {
  const bool is_c = ending == ".c";
  return fmt::format(R"({2} = {3}
{4} = -O2 -Wall -Wextra -ffp-contract=off -I.
LDLIBS = -lm

{0}: {0}{5}
	$({2}) $({4}) -o $@ $< $(LDLIBS)

run: {0}
	mpirun -n {1} ./{0}

clean:
	rm -f {0}

.PHONY: run clean
)",
                     name, ranks, is_c ? "CC" : "CXX", is_c ? "mpicc" : "mpicxx",
                     is_c ? "CFLAGS" : "CXXFLAGS", ending);
}

std::string cmake_text(const std::string& name, const std::string& ending) {
  return fmt::format(R"(cmake_minimum_required(VERSION 3.13)
project({0} {1})
find_package(MPI REQUIRED COMPONENTS {1})
add_executable({0} {0}{2})
target_include_directories({0} PRIVATE ${{CMAKE_CURRENT_SOURCE_DIR}})
target_compile_options({0} PRIVATE -Wall -Wextra -ffp-contract=off)
target_link_libraries({0} PRIVATE MPI::MPI_{1} m)
)",
                     name, ending == ".c" ? "C" : "CXX", ending);
}

void add_headers_of(const std::string& text, const std::filesystem::path& folder,
                    std::set<std::string>& known, std::vector<GeneratedFile>& files) {
  for (std::size_t at = text.find("#include"); at != std::string::npos; at = text.find("#include", at + 1)) {
    const std::size_t begin = text.find_first_of("\"<", at);
    const std::size_t end = begin == std::string::npos ? begin : text.find_first_of("\">", begin + 1);
    if (end == std::string::npos) return;
    const std::string name = text.substr(begin + 1, end - begin - 1);
    if (!known.insert(name).second) continue;
    if (std::filesystem::is_regular_file(folder / name)) {
      files.push_back({name, read_text_file(folder / name)});
      const std::string header = files.back().text;
      add_headers_of(header, folder, known, files);
    } else if (name == sections_header_name) {
      files.push_back({name, std::string(sections_header)});
    }
  }
}

}  // namespace

void add_headers(const ReadProgram& program, std::vector<GeneratedFile>& files) {
  std::set<std::string> known;
  add_headers_of(program.program.source.text(),
                 std::filesystem::absolute(program.program.source.name()).parent_path(), known, files);
}

std::vector<GeneratedFile> generate_mpi(const ReadProgram& program, const ParallelProgram& parallel,
                                        const GenerationOptions& options) {
  const std::string name = base_name(program.program);
  const std::size_t ranks = parallel.ranks.size();
  std::string text = fmt::format("/* {} for {} ranks: mpirun -n {} ./{}{}\n   {} */\n", name, ranks, ranks,
                                 name, options.repeats ? " INPUTS" : "", options.origin);
  text += parameters_text(program);
  const std::string ending = ending_of(program.program);
  const bool is_c = ending == ".c";
  if (!is_c)
    text += "/* MPI's interface of C only. */\n#define OMPI_SKIP_MPICXX 1\n#define MPICH_SKIP_MPICXX 1\n";
  text += "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n";
  if (warms_up(parallel, options)) text += "#ifdef __GLIBC__\n#include <malloc.h>\n#endif\n";
  if (!is_c) text += "#include <initializer_list>\n#include <type_traits>\n";
  text += "\n";
  text += procedures_text(program);
  text += variables_text(program);
  const std::string prefix = helper_prefix(program.program);
  if (!parallel.transfers.empty()) {
    std::string messages(message_text);
    if (options.repeats) {
      constexpr std::string_view buffered = "MPI_Isend";
      messages.replace(messages.find(buffered), buffered.size(), "MPI_Issend");
      messages += repeating_helpers;
    }
    messages += is_c ? lists_in_c : lists_in_cpp;
    text += with_prefix(messages, helper_names, prefix);
  }
  if (options.times) {
    text += with_prefix(timing_helpers, helper_names, prefix);
    if (warms_up(parallel, options)) text += with_prefix(warm_up_helpers, helper_names, prefix);
    if (!first_touches(program.program, parallel).empty()) text += first_touch_helper();
  }
  const RankWriter writer(program.program, parallel, options, prefix);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    if (!parallel.ranks[rank].empty()) text += writer.write(rank);
  text += main_text(program, parallel, options, prefix);

  std::vector<GeneratedFile> files{{name + ending, std::move(text)},
                                   {"Makefile", makefile_text(name, ending, ranks)},
                                   {"CMakeLists.txt", cmake_text(name, ending)}};
  add_headers(program, files);
  return files;
}

std::vector<GeneratedFile> generate_sequential(const ReadProgram& program) {
  const std::string_view source = program.program.source.text();
  std::vector<GeneratedFile> files{{base_name(program.program) + ending_of(program.program),
                                    parameters_text(program) + std::string(source)}};
  add_headers(program, files);
  return files;
}

std::string message_helpers() {
  return "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" +
         std::string(message_text) + std::string(lists_in_c);
}

std::vector<GeneratedFile> generate_profiler(const ReadProgram& program) {
  const std::size_t calls = program.program.calls.size();
  std::string text = "#define _POSIX_C_SOURCE 200809L\n" + parameters_text(program);
  text += "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n";
  if (ending_of(program.program) != ".c") text += "#include <type_traits>\n";
  text += "\n";
  text += procedures_text(program);
  text += variables_text(program);
  text += fmt::format(R"(
static long long takt_times[{}];
static long long takt_now(void) {{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}}
#define TIMED(number, call)                       \
  do {{                                            \
    const long long takt_start = takt_now();      \
    call;                                         \
    takt_times[number] = takt_now() - takt_start; \
  }} while (0)

/* What the clock adds to a time: the shortest time of nothing. */
static long long takt_clock(void) {{
  long long shortest = -1;
  for (int i = 0; i < 1000; i++) {{
    const long long start = takt_now(), time = takt_now() - start;
    if (shortest < 0 || time < shortest) shortest = time;
  }}
  return shortest;
}}
{}
int main(int argc, char **argv) {{
  FILE *takt_file = argc > 1 ? fopen(argv[1], "w") : NULL;
  if (takt_file == NULL) return 2;
)",
                      calls, first_touch_helper());
  text += preparations_text(program);
  text += first_touch(program.program, written_sections(program.program), "  ");
  for (const CallId call : ids<CallId>(calls))
    text += fmt::format("  TIMED({}, {});\n", call.index(), program.program.text_of(call));
  text += fmt::format(R"(  fprintf(takt_file, "%lld\n", takt_clock());
  for (int i = 0; i < {}; i++) fprintf(takt_file, "%lld\n", takt_times[i]);
  return fclose(takt_file) == 0 ? 0 : 1;
}}
)",
                      calls);
  std::vector<GeneratedFile> files{
      {base_name(program.program) + ending_of(program.program), std::move(text)}};
  add_headers(program, files);
  return files;
}

}  // namespace takt::frontend
