#include "pipeline/frontend/generation/calls_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "pipeline/frontend/generation/c_text.hpp"

namespace takt::frontend {

namespace {

/// Each is written if the text uses its name.
struct Helper {
  std::string_view name, text;
};
constexpr auto helpers_of_calls = std::to_array<Helper>({
    {"takt_at(", R"(
static void *takt_at(void *begin, size_t bytes) { return (char *)begin + bytes; }
)"},
    {"takt_copy(", R"(
/* Copies rows of bytes, which begin a pitch apart. */
static void takt_copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t rows, size_t bytes) {
  for (size_t row = 0; row < rows; row++)
    memcpy((char *)to + row * to_pitch, (const char *)from + row * from_pitch, bytes);
}
)"},
    {"takt_clear(", R"(
static void takt_clear(void *to, size_t pitch, size_t rows, size_t bytes) {
  for (size_t row = 0; row < rows; row++) memset((char *)to + row * pitch, 0, bytes);
}
)"},
    {"takt_pointer{", R"(
/* A pointer to any type. */
struct takt_pointer {
  void *to;
  template <class Element>
  operator Element *() const {
    return static_cast<Element *>(to);
  }
};
)"},
});

/// Calls `use` with the begin and end of each part of [begin, end) that is in the section, and its place
/// among the section's bytes without gaps.
template <class Use>
void for_each_part(const Section& section, std::uint64_t begin, std::uint64_t end, const Use& use) {
  const std::uint64_t pitch = section.rows == 1 ? section.bytes : section.pitch;
  const std::uint64_t first = begin < section.offset ? 0 : (begin - section.offset) / pitch;
  for (std::uint64_t row = first; row < section.rows && section.offset + row * pitch < end; ++row) {
    const std::uint64_t start = section.offset + row * pitch;
    const std::uint64_t low = std::max(begin, start), high = std::min(end, start + section.bytes);
    if (low < high) use(low, high, row * section.bytes + (low - start));
  }
}

/// Rows of an array's bytes in the frame of a unit.
struct Piece {
  std::size_t unit = 0;
  std::uint64_t array = 0, frame = 0, bytes = 0, rows = 1, array_pitch = 0, frame_pitch = 0;
};

/// Joins runs of bytes that follow each other in array and frame, then equal runs at equal distances.
std::vector<Piece> joined(std::vector<Piece> runs) {
  std::ranges::sort(runs, {}, &Piece::array);
  std::vector<Piece> whole;
  for (const Piece& run : runs) {
    if (!whole.empty()) {
      Piece& last = whole.back();
      const std::uint64_t distance = run.array - last.array;
      if (last.unit == run.unit && distance <= last.bytes && run.frame == last.frame + distance) {
        last.bytes = std::max(last.bytes, distance + run.bytes);
        continue;
      }
    }
    whole.push_back(run);
  }
  std::vector<Piece> pieces;
  for (const Piece& run : whole) {
    if (!pieces.empty()) {
      Piece& last = pieces.back();
      const std::uint64_t array = run.array - last.array - (last.rows - 1) * last.array_pitch;
      const std::uint64_t frame = run.frame - last.frame - (last.rows - 1) * last.frame_pitch;
      const bool has_pitch = last.rows == 1 || (array == last.array_pitch && frame == last.frame_pitch);
      if (last.unit == run.unit && last.bytes == run.bytes && run.frame > last.frame && has_pitch) {
        last.array_pitch = array;
        last.frame_pitch = frame;
        ++last.rows;
        continue;
      }
    }
    pieces.push_back(run);
  }
  return pieces;
}

std::string at(const std::string& begin, std::uint64_t bytes) {
  return bytes == 0 ? begin : fmt::format("takt_at({}, {})", begin, bytes);
}

std::string function_name(const std::string& unit) {
  std::string name = "takt_" + unit;
  std::ranges::replace(name, '-', '_');
  return name;
}

class CallsWriter {
 public:
  CallsWriter(const ReadProgram& read, const CallUnits& units)
      : program_(read.program),
        units_(units),
        gathered_(gathered_frames(units)),
        is_c_(ending_of(read.program) == ".c"),
        into_(read.program.calls.size()) {
    for (const Flow& flow : program_.flows)
      for (const CallId reader : flow.to) into_[reader.index()].push_back(&flow);
  }

  std::string write() {
    std::string functions, table;
    for (std::size_t unit = 0; unit < units_.units.size(); ++unit) {
      functions += function_of(unit);
      std::vector<std::uint64_t> sizes;
      for (const std::size_t input : units_.units[unit].inputs) sizes.push_back(units_.units[input].bytes);
      if (is_gathered(unit)) {
        functions += gathering_function(unit);
        add_row(gathering_name, sizes, gathered_.bytes, functions, table);
        sizes = {gathered_.bytes};
      }
      add_row(units_.units[unit].name, sizes, units_.units[unit].bytes, functions, table);
    }
    std::string text;
    for (const Helper& helper : helpers_of_calls)
      if (functions.find(helper.name) != std::string::npos) text += helper.text;
    if (scratch_bytes_ > 0)
      text += fmt::format(R"(
/* Memory for sections that are not in one piece. */
static void *takt_scratch(void) {{
  static __thread void *memory;
  if (memory == NULL) memory = aligned_alloc({}, {});
  if (memory == NULL) abort();
  return memory;
}}
)",
                          frame_alignment, next_place(scratch_bytes_));
    return text + functions +
           fmt::format(
               "\nstatic const struct takt_call takt_table[] = {{\n{}}};\nconst struct takt_program "
               "takt_calls = "
               "{{TAKT_PROGRAM_INTERFACE, sizeof takt_table / sizeof takt_table[0], takt_table}};\n",
               table);
  }

 private:
  [[nodiscard]] bool is_gathered(std::size_t unit) const {
    return unit == units_.output && gathered_.bytes > 0;
  }

  static void add_row(const std::string& name, const std::vector<std::uint64_t>& sizes, std::uint64_t bytes,
                      std::string& functions, std::string& table) {
    const std::string function = function_name(name);
    if (!sizes.empty()) {
      std::string list;
      for (const std::uint64_t size : sizes) list += fmt::format("{}{}", list.empty() ? "" : ", ", size);
      functions += fmt::format("static const size_t {}_bytes[] = {{{}}};\n", function, list);
    }
    table += fmt::format("    {{\"{}\", {}, {}, {}, {}}},\n", name, function, sizes.size(),
                         sizes.empty() ? "NULL" : function + "_bytes", bytes);
  }

  /// Returns where a unit finds the frame of another one, or its own.
  [[nodiscard]] std::string place(std::size_t reader, std::size_t writer, std::uint64_t offset) const {
    if (reader == writer) return at("takt_result", offset);
    return at(fmt::format("takt_frames[{}]", writer == all_gathered() ? 0 : input_of(reader, writer)),
              offset);
  }

  /// The unit of pieces in the gathered frames.
  [[nodiscard]] std::size_t all_gathered() const { return units_.units.size(); }

  [[nodiscard]] std::size_t input_of(std::size_t reader, std::size_t writer) const {
    const std::vector<std::size_t>& inputs = units_.units[reader].inputs;
    return static_cast<std::size_t>(std::ranges::find(inputs, writer) - inputs.begin());
  }

  [[nodiscard]] std::string gathering_function(std::size_t unit) const {
    std::string text = fmt::format("\nstatic void {}(void *const *takt_frames, void *takt_result) {{\n",
                                   function_name(gathering_name));
    for (std::size_t i = 0; i < gathered_.places.size(); ++i)
      text += fmt::format("  memcpy({}, takt_frames[{}], {});\n", at("takt_result", gathered_.places[i]), i,
                          units_.units[units_.units[unit].inputs[i]].bytes);
    return text + "}\n";
  }

  std::string function_of(std::size_t unit) {
    std::string body;
    // A raw file has the bytes between several results, too.
    if (unit != units_.output && !units_.units[unit].is_read && units_.units[unit].results.size() > 1)
      body = fmt::format("  memset(takt_result, 0, {});\n", units_.units[unit].bytes);
    for (const CallId call : units_.units[unit].calls) body += statements_of(unit, call);
    std::string text;
    if (body.find("takt_frames") == std::string::npos) text += "  (void)takt_frames;\n";
    if (body.find("takt_result") == std::string::npos) text += "  (void)takt_result;\n";
    return fmt::format("\nstatic void {}(void *const *takt_frames, void *takt_result) {{\n{}{}}}\n",
                       function_name(units_.units[unit].name), text, body);
  }

  /// The statements around a call.
  struct Statements {
    std::string before, after;
    std::uint64_t scratch = 0;
  };

  std::string statements_of(std::size_t unit, CallId id) {
    const Call& call = program_.calls[id.index()];
    const Procedure& procedure = program_.procedure(call);
    Statements statements;
    std::string arguments;
    for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
      const Argument& argument = call.arguments[i];
      std::string text = argument.text;
      if (argument.section) {
        text = pointer(unit, id, i, statements);
        if (!is_c_) text = fmt::format("takt_pointer{{{}}}", text);
      }
      arguments += (i > 0 ? ", " : "") + text;
    }
    scratch_bytes_ = std::max(scratch_bytes_, statements.scratch);
    std::string comment = program_.text_of(id);
    for (std::size_t end = 0; (end = comment.find("*/", end)) != std::string::npos;)
      comment.insert(end + 1, " ");
    return fmt::format("  /* {}:{}: {} */\n{}  {}({});\n{}", base_name(program_) + ending_of(program_),
                       program_.source.locate(call.place).line, comment, statements.before, procedure.name,
                       arguments, statements.after);
  }

  /// Returns the pointer to the section of an argument, and adds the statements that fill and keep it.
  std::string pointer(std::size_t unit, CallId id, std::uint32_t number, Statements& statements) const {
    const Call& call = program_.calls[id.index()];
    const Section& section = *call.arguments[number].section;
    const Array& array = program_.arrays[section.array.index()];
    const Access access = program_.procedure(call).parameters[number].access;
    // Allocations have no initial values but zeros.
    const bool has_values = array.is_initialised && array.allocation.empty();
    const std::string initial = at(fmt::format("(void *)&{}", array.name), section.offset);
    const std::vector<Piece> pieces =
        access == Access::out ? std::vector<Piece>{} : pieces_of(unit, id, section);
    if (access == Access::in && pieces.empty() && has_values) return initial;
    const bool is_contiguous = section.rows == 1;
    if (access == Access::in && is_contiguous && pieces.size() == 1 && pieces.front().rows == 1 &&
        pieces.front().bytes == section.bytes)
      return place(unit, pieces.front().unit, pieces.front().frame);

    const std::vector<UnitResult>& results = units_.units[unit].results;
    const auto result = std::ranges::find_if(
        results, [&](const UnitResult& each) { return each.call == id && each.argument == number; });
    const bool is_result = access != Access::in && result != results.end();
    std::string home;
    if (is_result && is_contiguous) {
      home = at("takt_result", result->offset);
    } else {
      home = at("takt_scratch()", statements.scratch);
      statements.scratch =
          next_place(statements.scratch + (section.rows - 1) * section.pitch + section.bytes);
    }
    std::uint64_t known = 0;
    for (const Piece& piece : pieces) known += piece.rows * piece.bytes;
    if (known < section.size())
      statements.before +=
          has_values      ? copy(home, section.pitch, initial, section.pitch, section.rows, section.bytes)
          : is_contiguous ? fmt::format("  memset({}, 0, {});\n", home, section.bytes)
                          : fmt::format("  takt_clear({}, {}, {}, {});\n", home, section.pitch, section.rows,
                                        section.bytes);
    for (const Piece& piece : pieces)
      statements.before +=
          copy(at(home, piece.array - section.offset), piece.array_pitch,
               place(unit, piece.unit, piece.frame), piece.frame_pitch, piece.rows, piece.bytes);
    if (is_result && !is_contiguous)
      statements.after += copy(at("takt_result", result->offset), section.bytes, home, section.pitch,
                               section.rows, section.bytes);
    return home;
  }

  static std::string copy(const std::string& to, std::uint64_t to_pitch, const std::string& from,
                          std::uint64_t from_pitch, std::uint64_t rows, std::uint64_t bytes) {
    if (rows == 1) return fmt::format("  memcpy({}, {}, {});\n", to, from, bytes);
    return fmt::format("  takt_copy({}, {}, {}, {}, {}, {});\n", to, to_pitch, from, from_pitch, rows, bytes);
  }

  /// Returns what earlier calls have written of a section that a call of this unit reads.
  [[nodiscard]] std::vector<Piece> pieces_of(std::size_t unit, CallId reader, const Section& section) const {
    std::vector<Piece> runs;
    for (const Flow* flow : into_[reader.index()])
      for (const UnitResult& result : units_.units[units_.unit_of[flow->from.index()]].results)
        if (result.call == flow->from) add_runs(unit, *flow, result, section, runs);
    return joined(std::move(runs));
  }

  /// Adds the bytes of a section that a flow takes from a result.
  void add_runs(std::size_t reader, const Flow& flow, const UnitResult& result, const Section& section,
                std::vector<Piece>& runs) const {
    const Section& written = *program_.calls[result.call.index()].arguments[result.argument].section;
    if (written.array != section.array) return;
    const std::size_t writer = units_.unit_of[flow.from.index()];
    Piece piece{.unit = writer, .frame = result.offset};
    if (is_gathered(reader) && writer != reader) {
      piece.unit = all_gathered();
      piece.frame += gathered_.places[input_of(reader, writer)];
    }
    const std::uint64_t begin_of_result = piece.frame;
    const auto add = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t place) {
      piece.array = begin;
      piece.frame = begin_of_result + place;
      piece.bytes = end - begin;
      runs.push_back(piece);
    };
    for (const Section& sent : flow.sections) {
      if (sent.array != section.array) continue;
      for (std::uint64_t row = 0; row < sent.rows; ++row) {
        const std::uint64_t begin = sent.offset + row * sent.pitch;
        for_each_part(section, begin, begin + sent.bytes,
                      [&](std::uint64_t low, std::uint64_t high, std::uint64_t) {
                        for_each_part(written, low, high, add);
                      });
      }
    }
  }

  const Program& program_;
  const CallUnits& units_;
  GatheredFrames gathered_;
  bool is_c_;
  /// Flows by reader.
  std::vector<std::vector<const Flow*>> into_;
  /// Of the call that needs most.
  std::uint64_t scratch_bytes_ = 0;
};

}  // namespace

GatheredFrames gathered_frames(const CallUnits& units) {
  GatheredFrames result;
  if (!units.output || units.units[*units.output].inputs.size() < 2) return result;
  for (const std::size_t input : units.units[*units.output].inputs) {
    result.places.push_back(next_place(result.bytes));
    result.bytes = result.places.back() + units.units[input].bytes;
  }
  return result;
}

std::string calls_text(const ReadProgram& program, const CallUnits& units) {
  return CallsWriter(program, units).write();
}

}  // namespace takt::frontend
