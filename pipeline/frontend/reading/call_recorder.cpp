#include "pipeline/frontend/reading/call_recorder.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "pipeline/frontend/reading/numbers.hpp"

namespace takt::frontend {

namespace {

constexpr std::size_t most_violations = 20;

}  // namespace

void CallRecorder::refuse(Violation violation) {
  // A call in a loop breaks the same rule again and again.
  const auto is_known = [&](const Violation& each) {
    return each.place == violation.place && each.rule == violation.rule;
  };
  if (std::ranges::any_of(violations_, is_known)) return;
  violations_.push_back(std::move(violation));
  if (violations_.size() == most_violations) throw EvaluationStopped{{}};
}

ProcedureId CallRecorder::procedure_of(const Node& function) {
  if (const auto found = procedures_.find(function.name); found != procedures_.end()) return found->second;
  const ProcedureId id(program_.procedures.size());
  procedures_.emplace(function.name, id);
  facts_.push_back(facts_of(tree_, function));
  program_.procedures.push_back(facts_.back().procedure);
  for (const Violation& violation : facts_.back().violations) refuse(violation);
  return id;
}

ArrayId CallRecorder::array_of(std::size_t index, const Node& node) {
  Object& object = memory_.object(index);
  if (object.array) return *object.array;
  if (object.name.empty())
    throw EvaluationStopped{{.place = node.place,
                             .rule = "allocation",
                             .message = "an allocation without a name is passed to a procedure",
                             .rewrite = "assign the allocation to a pointer variable first"}};
  if (object.assigned.length > 0)
    throw EvaluationStopped{
        {.place = node.place,
         .rule = "main-writes-data",
         .message = fmt::format(
             "'{}' is passed to a procedure, but main assigns it: only procedures write data", object.name),
         .other = object.assigned,
         .note = "assigned here",
         .rewrite = "pass its value, or assign it in a procedure with a takt_out parameter"}};
  Array array{.name = object.name,
              .place = object.place,
              .bytes = object.bytes,
              .allocation = object.allocation,
              .is_initialised = object.is_initialised};
  // Variables of inner blocks may share a name, and an allocation may replace an earlier one.
  if (const std::size_t count = names_[object.name]++; count > 0) {
    if (object.is_allocation)
      throw EvaluationStopped{{.place = object.place,
                               .rule = "allocation",
                               .message = fmt::format("'{}' points to a second allocation", object.name),
                               .rewrite = "use a pointer of its own for each allocation"}};
    object.name = array.name = fmt::format("{}_{}", object.name, count + 1);
  }
  if (object.type != nullptr) {
    for (const CType* type = object.type; type->kind == CType::Kind::array; type = type->element)
      array.extents.push_back(type->count);
    const CType& element = object.type->innermost();
    array.element_bytes = std::max<std::uint64_t>(element.size, 1);
    array.element = element.name.empty() ? "char" : element.name;
  }
  object.array = ArrayId(program_.arrays.size());
  program_.arrays.push_back(std::move(array));
  return *object.array;
}

Section CallRecorder::section_of(Evaluator& evaluator, const ProcedureFacts& facts, std::size_t number,
                                 const Address& address, const std::vector<Value>& values, const Node& node) {
  Section section{.array = array_of(address.object, node), .offset = address.offset};
  const std::uint64_t element = std::max<std::uint64_t>(address.type->size, 1);
  const std::optional<Extent>& extent = facts.extents[number];
  const bool is_array = address.array_bytes && !memory_.object(address.object).is_allocation;
  if (extent && (extent->is_annotated || !is_array)) {
    std::vector<std::uint64_t> numbers;
    for (const std::string& probe : extent->probes) {
      const Node* function = tree_.find_function(probe);
      const Value value = evaluator.call_function(*function, values, node);
      const auto* count = std::get_if<std::int64_t>(&value);
      if (count == nullptr || *count <= 0)
        throw EvaluationStopped{
            {.place = node.place,
             .rule = "extent",
             .message = fmt::format("the extent of parameter '{}' of {} is {} here",
                                    facts.procedure.parameters[number].name, facts.procedure.name,
                                    count == nullptr ? "unknown" : fmt::format("{}", *count)),
             .other = facts.procedure.parameters[number].place,
             .note = "the parameter",
             .rewrite = "write an extent above 0 that follows from the other parameters"}};
      numbers.push_back(static_cast<std::uint64_t>(*count));
    }
    if (numbers.size() == 1) {
      section.bytes = numbers[0] * element;
    } else if (numbers.size() == 3) {
      section.rows = numbers[0];
      section.bytes = numbers[1] * element;
      section.pitch = numbers[2] * element;
      if (section.rows == 1 || section.pitch == section.bytes) {
        section.bytes *= section.rows;
        section.rows = 1;
      }
      if (section.rows == 1) section.pitch = 0;
      if (section.rows > 1 && section.pitch < section.bytes)
        throw EvaluationStopped{
            {.place = node.place,
             .rule = "extent",
             .message = fmt::format("a tile of rows of {} elements at distance {}", numbers[1], numbers[2]),
             .rewrite = "takt_tile(ROWS, COLUMNS, PITCH) with PITCH at least COLUMNS"}};
    } else {
      throw EvaluationStopped{{.place = facts.procedure.parameters[number].place,
                               .rule = "extent",
                               .message = "expected takt_extent(COUNT) or takt_tile(ROWS, COLUMNS, PITCH)"}};
    }
  } else if (address.array_bytes) {
    section.bytes = *address.array_bytes;
  } else if (facts.is_single[number] || address.type->kind == CType::Kind::array ||
             address.type->kind == CType::Kind::record) {
    section.bytes = element;
  } else {
    const Parameter& parameter = facts.procedure.parameters[number];
    refuse({.place = node.place,
            .rule = "extent",
            .message = fmt::format("how many elements of {} does {} use? The parameter '{}' has no extent",
                                   memory_.pointer_text(address), facts.procedure.name, parameter.name),
            .other = parameter.place,
            .note = "the parameter",
            .rewrite = fmt::format("declare it {0}[COUNT], or write takt_extent(COUNT) or takt_tile(ROWS, "
                                   "COLUMNS, PITCH) after it (#include <takt/sections.h>)",
                                   parameter.name)});
    section.bytes = element;
  }
  return section;
}

Argument CallRecorder::argument_of(Evaluator& evaluator, const ProcedureFacts& facts, std::size_t number,
                                   const std::vector<Value>& values, const Node& node) {
  const Value& value = values[number];
  Argument argument{.place = node.place};
  const bool is_pointer =
      number < facts.procedure.parameters.size() && facts.procedure.parameters[number].is_pointer;
  if (const auto* data = std::get_if<DataValue>(&value))
    throw EvaluationStopped{
        {.place = node.place,
         .rule = "data-dependent",
         .message = fmt::format("an argument of {} depends on data: {}", facts.procedure.name, data->reason),
         .other = data->place,
         .note = data->place.length > 0 ? "the data come from here" : "",
         .rewrite = "pass the address of the data, so that the procedure reads them"}};
  if (const auto* address = std::get_if<Address>(&value)) {
    if (!is_pointer || facts.procedure.is_from_library)
      throw EvaluationStopped{{.place = node.place,
                               .rule = "library-call",
                               .message = fmt::format("main passes data to {}", facts.procedure.name),
                               .rewrite = fmt::format("call {} in a procedure", facts.procedure.name)}};
    if (address->type->kind == CType::Kind::pointer)
      throw EvaluationStopped{
          {.place = node.place,
           .rule = "pointers",
           .message = fmt::format("{} gets an array of pointers: takt cannot tell which data it uses",
                                  facts.procedure.name),
           .rewrite = "pass the sections themselves, or use one array of several dimensions"}};
    if (has_pointer(address->type))
      throw EvaluationStopped{
          {.place = node.place,
           .rule = "pointers",
           .message = fmt::format("{} gets a structure that contains a pointer: takt cannot tell which data "
                                  "it uses, and another rank cannot follow it",
                                  facts.procedure.name),
           .rewrite = "pass the data themselves, or use an index instead of the pointer"}};
    // The name of an array is final once it is an array of the program.
    (void)array_of(address->object, node);
    if (has_texts_) {
      argument.text = memory_.pointer_text(*address);
      if (const Node& inner = plain(node); inner.is("CStyleCastExpr") || inner.is("CXXStaticCastExpr"))
        argument.text = fmt::format("({}){}", declare(*inner.type, ""), argument.text);
    }
    argument.section = section_of(evaluator, facts, number, *address, values, node);
    const Section& section = *argument.section;
    const std::uint64_t end = section.offset + (section.rows - 1) * section.pitch + section.bytes;
    if (const Object& object = memory_.object(address->object); end > object.bytes || section.offset > end) {
      const std::uint64_t unit = program_.arrays[section.array.index()].element_bytes;
      refuse({.place = node.place,
              .rule = "out-of-range",
              .message = fmt::format(
                  "the section of {} elements at {} is outside '{}', which has {} elements",
                  section.size() / unit, memory_.pointer_text(*address), object.name, object.bytes / unit),
              .other = object.place,
              .note = fmt::format("'{}' is declared here", object.name),
              .rewrite = "correct the index, the loop's bounds or the extent"});
      throw EvaluationStopped{{}};
    }
    return argument;
  }
  if (std::holds_alternative<NullPointer>(value)) {
    // Variables of the C library: stdout, stderr.
    const Node& inner = plain(node);
    const auto variable = tree_.globals.find(inner.declaration);
    const bool is_of_library =
        inner.is("DeclRefExpr") && variable != tree_.globals.end() && variable->second.place.length == 0;
    argument.text = is_of_library ? inner.name : "NULL";
    return argument;
  }
  const bool has_no_declared_type =
      facts.procedure.is_from_library || number >= facts.procedure.parameters.size();
  if (has_texts_) argument.text = Evaluator::number_text(value, node.type, has_no_declared_type);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) argument.integer = *whole;
  if (const auto* real = std::get_if<double>(&value)) argument.real = *real;
  if (!argument.integer && !argument.real && !std::holds_alternative<TextValue>(value))
    throw EvaluationStopped{
        {.place = node.place,
         .rule = "not-understood",
         .message = fmt::format("takt cannot pass this argument of {} on: expected a number "
                                "or a section of an array",
                                facts.procedure.name),
         .rewrite = "pass structures by address"}};
  return argument;
}

void CallRecorder::add(Evaluator& evaluator, const Node& node, const Node& function,
                       std::vector<Value> values) {
  Call call{.procedure = procedure_of(function), .place = node.place};
  const ProcedureFacts& facts = facts_[call.procedure.index()];
  call.arguments.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    call.arguments.push_back(argument_of(evaluator, facts, i, values, node.children[i + 1]));
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (!call.arguments[i].section || facts.procedure.parameters[i].access == Access::in) continue;
    Object& object = memory_.object(std::get<Address>(values[i]).object);
    object.is_written = true;
    object.written = call.arguments[i].place;
    // What main knew of them, such as an initial value, no longer holds.
    const Section& section = *call.arguments[i].section;
    for (std::uint64_t row = 0; row < section.rows; ++row) {
      const std::uint64_t begin = section.offset + row * section.pitch;
      object.cells.forget(begin, begin + section.bytes);
    }
  }
  for (Violation& violation : on_call_(std::move(call))) refuse(std::move(violation));
}

}  // namespace takt::frontend
