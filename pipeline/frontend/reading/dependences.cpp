#include "pipeline/frontend/reading/dependences.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace takt::frontend {

std::vector<Section> as_sections(ArrayId array,
                                 const std::vector<std::pair<std::uint64_t, std::uint64_t>>& runs) {
  std::vector<Section> joined;
  for (const auto& [offset, bytes] : runs) {
    if (!joined.empty() && joined.back().offset + joined.back().bytes == offset)
      joined.back().bytes += bytes;
    else
      joined.push_back({array, offset, bytes});
  }
  std::vector<Section> sections;
  for (const Section& run : joined) {
    if (!sections.empty()) {
      Section& last = sections.back();
      const std::uint64_t pitch = run.offset - (last.offset + (last.rows - 1) * last.pitch);
      if (last.bytes == run.bytes && (last.rows == 1 || pitch == last.pitch)) {
        last.pitch = pitch;
        ++last.rows;
        continue;
      }
    }
    sections.push_back(run);
  }
  return sections;
}

bool overlap(const Section& a, const Section& b) {
  if (a.array != b.array) return false;
  for (std::uint64_t i = 0; i < a.rows; ++i) {
    const std::uint64_t begin = a.offset + i * a.pitch, end = begin + a.bytes;
    if (b.rows == 1) {
      if (begin < b.offset + b.bytes && b.offset < end) return true;
      continue;
    }
    // The last row of b that begins before `end`.
    if (end <= b.offset) continue;
    const std::uint64_t row = std::min((end - 1 - b.offset) / b.pitch, b.rows - 1);
    if (begin < b.offset + row * b.pitch + b.bytes) return true;
  }
  return false;
}

std::optional<std::string> sub_array(const Array& array, const Section& section) {
  if (section.rows > 1) return std::nullopt;
  std::uint64_t bytes = array.bytes, rest = section.offset;
  std::string text = array.name;
  for (std::size_t i = 0;; ++i) {
    if (bytes == section.bytes && rest == 0) return text;
    if (i == array.extents.size() || array.extents[i] == 0) return std::nullopt;
    bytes /= array.extents[i];
    if (bytes == 0) return std::nullopt;
    text += fmt::format("[{}]", rest / bytes);
    rest %= bytes;
  }
}

std::string text_of(const Array& array, const Section& section) {
  if (const std::optional<std::string> text = sub_array(array, section)) return *text;
  const std::uint64_t unit = array.element_bytes;
  const std::uint64_t first = section.offset / unit;
  const std::string range = fmt::format("{}[{}..{}]", array.name, first, first + section.bytes / unit - 1);
  if (section.rows == 1) return range;
  return fmt::format("{} and {} more at distance {}", range, section.rows - 1, section.pitch / unit);
}

std::string text_of(const Program& program, const Argument& argument) {
  if (!argument.text.empty() || !argument.section) return argument.text;
  return text_of(program.arrays[argument.section->array.index()], *argument.section);
}

std::optional<Violation> aliasing_of(const Program& program, const Call& call) {
  const Procedure& procedure = program.procedure(call);
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    for (std::size_t j = 0; j < call.arguments.size(); ++j) {
      const Argument &a = call.arguments[i], &b = call.arguments[j];
      if (i == j || !a.section || !b.section || procedure.parameters[i].access == Access::in) continue;
      if (j < i && procedure.parameters[j].access != Access::in) continue;
      if (overlap(*a.section, *b.section))
        return Violation{.place = a.place,
                         .rule = "aliasing",
                         .message = fmt::format("{} writes {} while its argument {} names the same data",
                                                procedure.name, text_of(program, a), text_of(program, b)),
                         .other = b.place,
                         .note = "the other argument",
                         .rewrite = fmt::format("give {} a section of its own for its result, or one "
                                                "parameter takt_inout for both",
                                                procedure.name)};
    }
  return std::nullopt;
}

Violation read_before_written(const Program& program, const Call& call, std::size_t number,
                              const Section& missing) {
  const Argument& argument = call.arguments[number];
  const Procedure& procedure = program.procedure(call);
  const Array& array = program.arrays[missing.array.index()];
  return {.place = argument.place,
          .rule = "read-before-written",
          .message = fmt::format("{} reads {}, but no earlier call has written {}", procedure.name,
                                 text_of(program, argument), text_of(array, missing)),
          .other = array.place,
          .note = fmt::format("'{}' is declared here", array.name),
          .rewrite = procedure.parameters[number].access == Access::inout
                         ? "call a procedure before that writes the whole section (takt_out)"
                         : "call the procedure that writes it before, or declare the parameter takt_out or "
                           "without const if the procedure writes it"};
}

Violation written_twice(const Program& program, const Call& call, std::size_t number,
                        const std::string& earlier, Place place) {
  const Argument& argument = call.arguments[number];
  const std::string& name = program.procedure(call).name;
  return {.place = argument.place,
          .rule = "single-assignment",
          .message = fmt::format("{} writes {}, which {} has written before", name,
                                 text_of(program, argument), earlier),
          .other = place,
          .note = place.length > 0 ? "first written here" : "",
          .rewrite = fmt::format("if {} updates the section, declare the parameter takt_inout; otherwise "
                                 "write into a section of its own (one more dimension, such as [step])",
                                 name)};
}

Dependences::History& Dependences::history(ArrayId array) {
  while (histories_.size() <= array.index()) {
    const Array& next = program_.arrays[histories_.size()];
    History& added = histories_.emplace_back();
    if (next.is_initialised) added[0] = {.end = next.bytes, .writer = {.is_initial = true}};
  }
  return histories_[array.index()];
}

void Dependences::cut(History& history, std::uint64_t position) {
  auto behind = history.upper_bound(position);
  if (behind == history.begin()) return;
  const auto found = std::prev(behind);
  if (found->first == position || found->second.end <= position) return;
  Interval rest = found->second;
  found->second.end = position;
  history.emplace_hint(behind, position, std::move(rest));
}

void Dependences::add_flow(const Writer& writer, std::vector<Section> sections, CallId reader,
                           std::uint32_t argument) {
  const auto [found, is_new] = flows_.try_emplace({writer.call, sections}, FlowId(program_.flows.size()));
  if (is_new) {
    const Argument& read = program_.calls[reader.index()].arguments[argument];
    const Argument& written = program_.calls[writer.call.index()].arguments[writer.argument];
    std::string text;
    const bool is_one = sections.size() == 1;
    if (is_one && sections.front() == *read.section) {
      text = read.text;
    } else if (is_one && sections.front() == *written.section) {
      text = written.text;
    } else {
      constexpr std::size_t most_shown = 3;
      for (std::size_t i = 0; i < std::min(sections.size(), most_shown); ++i)
        text += (i > 0 ? ", " : "") + text_of(program_.arrays[sections[i].array.index()], sections[i]);
      if (sections.size() > most_shown) text += ", ...";
    }
    program_.flows.push_back({.from = writer.call, .sections = std::move(sections), .text = std::move(text)});
  }
  std::vector<CallId>& readers = program_.flows[found->second.index()].to;
  if (readers.empty() || readers.back() != reader) readers.push_back(reader);
}

void Dependences::precede(CallId before, CallId after) {
  if (before != after && preceding_.emplace(before, after).second)
    program_.precedences.push_back({before, after});
}

std::optional<Violation> Dependences::read(CallId call, std::uint32_t number) {
  const Argument& argument = program_.calls[call.index()].arguments[number];
  const Section& section = *argument.section;
  History& known = history(section.array);
  std::map<Writer, std::vector<std::pair<std::uint64_t, std::uint64_t>>> parts;
  std::vector<Writer> order;
  for (std::uint64_t row = 0; row < section.rows; ++row) {
    const std::uint64_t begin = section.offset + row * section.pitch, end = begin + section.bytes;
    cut(known, begin);
    cut(known, end);
    std::uint64_t at = begin;
    for (auto each = known.lower_bound(begin); each != known.end() && each->first < end; ++each) {
      if (each->first != at) break;
      at = each->second.end;
      if (each->second.readers.empty() || each->second.readers.back() != call)
        each->second.readers.push_back(call);
      if (each->second.writer.is_initial) continue;
      auto& runs = parts[each->second.writer];
      if (runs.empty()) order.push_back(each->second.writer);
      runs.emplace_back(each->first, each->second.end - each->first);
    }
    if (at < end)
      return read_before_written(program_, program_.calls[call.index()], number,
                                 {section.array, at, end - at});
  }
  for (const Writer& writer : order)
    add_flow(writer, as_sections(section.array, parts[writer]), call, number);
  return std::nullopt;
}

std::optional<Violation> Dependences::write(CallId call, std::uint32_t number, Access access) {
  const Argument& argument = program_.calls[call.index()].arguments[number];
  const Section& section = *argument.section;
  History& known = history(section.array);
  for (std::uint64_t row = 0; row < section.rows; ++row) {
    const std::uint64_t begin = section.offset + row * section.pitch, end = begin + section.bytes;
    cut(known, begin);
    cut(known, end);
    const auto first = known.lower_bound(begin);
    auto last = first;
    for (; last != known.end() && last->first < end; ++last) {
      const Interval& old = last->second;
      if (access == Access::out && !old.writer.is_initial) {
        const Call& earlier = program_.calls[old.writer.call.index()];
        return written_twice(program_, program_.calls[call.index()], number,
                             program_.text_of(old.writer.call), earlier.arguments[old.writer.argument].place);
      }
      for (const CallId reader : old.readers) precede(reader, call);
    }
    known.erase(first, last);
    known[begin] = {.end = end, .writer = {.call = call, .argument = number}};
  }
  return std::nullopt;
}

std::vector<Violation> Dependences::add_last_call() {
  const CallId id(program_.calls.size() - 1);
  const Call& call = program_.calls.back();
  const Procedure& procedure = program_.procedure(call);
  std::vector<Violation> violations;
  if (std::optional<Violation> found = aliasing_of(program_, call)) return {std::move(*found)};
  const auto each_section = [&](const auto& action) {
    for (std::uint32_t i = 0; i < call.arguments.size(); ++i)
      if (call.arguments[i].section)
        if (std::optional<Violation> found = action(i, procedure.parameters[i].access))
          violations.push_back(std::move(*found));
  };
  each_section(
      [&](std::uint32_t i, Access access) { return access == Access::out ? std::nullopt : read(id, i); });
  each_section([&](std::uint32_t i, Access access) {
    return access == Access::in ? std::nullopt : write(id, i, access);
  });
  if (procedure.uses_environment()) {
    if (last_in_environment_) precede(*last_in_environment_, id);
    last_in_environment_ = id;
  }
  return violations;
}

}  // namespace takt::frontend
