#include "pipeline/frontend/reading/evaluator.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace takt::frontend {

namespace {

/// Iterations without a call of a procedure after which main counts as endless.
constexpr std::uint64_t most_steps_without_call = 20'000'000;

}  // namespace

Evaluator::Evaluator(SyntaxTree& tree, Memory& memory, OnCall on_call)
    : tree_(tree), memory_(memory), on_call_(std::move(on_call)) {}

void Evaluator::stop(const Node& node, std::string rule, std::string message, std::string rewrite,
                     Place other, std::string note) const {
  Place place = node.place;
  if (place.length == 0 && outer_call_ != nullptr) place = outer_call_->place;
  throw EvaluationStopped{{.place = place,
                           .rule = std::move(rule),
                           .message = std::move(message),
                           .other = other,
                           .note = std::move(note),
                           .rewrite = std::move(rewrite)}};
}

void Evaluator::stop_for_data(const Node& node, const DataValue& value, std::string_view what) const {
  stop(node, "data-dependent",
       fmt::format("{} depends on data: {}; the calls of a program must be known before it runs", what,
                   value.reason),
       "move the decision into a procedure, or make the value a parameter of the program (#define)",
       value.place, value.place.length > 0 ? "the data come from here" : "");
}

bool Evaluator::is_true(const Value& value, const Node& expression, std::string_view what) {
  if (const auto* data = std::get_if<DataValue>(&value)) stop_for_data(expression, *data, what);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number != 0;
  if (const auto* number = std::get_if<double>(&value)) return *number != 0;
  return std::holds_alternative<Address>(value) || std::holds_alternative<TextValue>(value);
}

std::int64_t Evaluator::integer(const Value& value, const Node& expression, std::string_view what) {
  if (const auto* data = std::get_if<DataValue>(&value)) stop_for_data(expression, *data, what);
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  stop(expression, "not-understood", fmt::format("{}: expected an integer", what));
}

void Evaluator::count_steps(const Node& node, std::uint64_t steps) {
  steps_since_call_ += steps;
  if (steps_since_call_ <= most_steps_without_call) return;
  stop(node, "endless",
       fmt::format("main does not end: {} iterations, or {} calls of its functions, without a call of a "
                   "procedure",
                   most_steps_without_call, most_steps_without_call / steps_per_call),
       "give the loop a bound that is known when the graph is made, or compute this in a procedure");
}

int Evaluator::run_main() {
  const Node* main = tree_.find_function("main");
  if (main == nullptr || body_of(*main) == nullptr)
    throw EvaluationStopped{{.rule = "no-main", .message = "the program has no main"}};
  for (const Node* parameter : parameters_of(*main)) {
    const std::size_t index = memory_.add({.name = parameter->name,
                                           .place = parameter->place,
                                           .type = parameter->type,
                                           .bytes = 8,
                                           .is_written = true,
                                           .written = parameter->place});
    memory_.object(index).cells.set(
        0, DataValue{parameter->place, fmt::format("'{}' is known when the program runs", parameter->name)});
    bind(parameter->declaration, index);
  }
  result_ = std::int64_t{0};
  const Node& body = *body_of(*main);
  (void)execute_all(body);
  if (std::holds_alternative<NoValue>(result_)) return 0;
  if (const auto* data = std::get_if<DataValue>(&result_))
    throw EvaluationStopped{
        {.place = main->place,
         .rule = "data-dependent",
         .message = fmt::format("main's exit code depends on data: {}", data->reason),
         .rewrite = "call exit() in the procedure that finds the failure, and return 0 from main"}};
  return static_cast<int>(integer(result_, *main, "main's exit code"));
}

std::string Evaluator::number_text(const Value& value, const CType* type, bool with_type) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    const bool is_integer = type != nullptr && type->kind == CType::Kind::integer;
    const bool is_long = is_integer && type->size == 8;
    const bool is_unsigned = is_integer && !type->is_signed && type->size >= 4;
    // Has no literal: that of its magnitude is too large.
    if (is_long && !is_unsigned && *number == std::numeric_limits<std::int64_t>::min())
      return fmt::format("({} - 1)", number_text(*number + 1, type, true));
    const std::string suffix =
        fmt::format("{}{}", is_unsigned ? "U" : "",
                    !is_long ? "" : (type->name.find("long long") != std::string::npos ? "LL" : "L"));
    if (is_long && is_unsigned)
      return fmt::format("{}{}", static_cast<std::uint64_t>(*number), with_type || *number < 0 ? suffix : "");
    return fmt::format("{}{}", *number, with_type ? suffix : "");
  }
  if (const auto* number = std::get_if<double>(&value)) {
    if (!std::isfinite(*number))
      return fmt::format("{}{}", std::signbit(*number) ? "-" : "",
                         std::isinf(*number) ? "__builtin_inf()" : "__builtin_nan(\"\")");
    std::string text = fmt::format("{}", *number);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }
  if (const auto* text = std::get_if<TextValue>(&value)) return text->text;
  return {};
}

}  // namespace takt::frontend
