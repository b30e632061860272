/// The evaluator's calls: procedures, functions of numbers, the C library.

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "pipeline/frontend/reading/evaluator.hpp"
#include "pipeline/frontend/reading/numbers.hpp"

namespace takt::frontend {

namespace {

constexpr std::uint64_t most_nested_calls = 1000;

}  // namespace

Value Evaluator::call_function(const Node& function, std::vector<Value> arguments, const Node& call) {
  count_steps(call, steps_per_call);
  if (++depth_ > most_nested_calls)
    stop(call, "endless",
         fmt::format("{} calls itself more than {} times, or without end", function.name, most_nested_calls),
         "write it as a loop, or compute this in a procedure");
  const std::size_t replaced = replaced_.size();
  const std::size_t objects = memory_.size();
  const bool was_in_main = std::exchange(is_in_main_, false);
  const Node* const outer = std::exchange(outer_call_, outer_call_ == nullptr ? &call : outer_call_);
  const std::vector<const Node*> parameters = parameters_of(function);
  for (std::size_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
    const std::size_t index = memory_.add({.name = parameters[i]->name,
                                           .place = parameters[i]->place,
                                           .type = parameters[i]->type,
                                           .bytes = parameters[i]->type->size});
    memory_.object(index).cells.set(0, std::move(arguments[i]));
    bind(parameters[i]->declaration, index);
  }
  result_ = NoValue{};
  (void)execute_all(*body_of(function));
  Value result = std::exchange(result_, NoValue{});
  for (; replaced_.size() > replaced; replaced_.pop_back())
    bindings_[replaced_.back().first] = replaced_.back().second;
  is_in_main_ = was_in_main;
  outer_call_ = outer;
  --depth_;
  bool has_allocated = false;
  for (std::size_t i = objects; i < memory_.size(); ++i) has_allocated |= memory_.object(i).is_allocation;
  if (!has_allocated) memory_.shrink(objects);
  return result;
}

Value Evaluator::allocate(const Node& expression, std::int64_t bytes, const std::string& text) {
  if (bytes <= 0)
    stop(expression, "allocation", fmt::format("an allocation of {} bytes: expected more", bytes));
  const std::size_t index = memory_.add({.place = expression.place,
                                         .bytes = static_cast<std::uint64_t>(bytes),
                                         .is_allocation = true,
                                         .allocation = text});
  return Address{index, 0, tree_.types.parse("void"), static_cast<std::uint64_t>(bytes)};
}

Value Evaluator::library(const std::string& name, const std::vector<Value>& arguments,
                         const Node& expression) {
  for (const Value& argument : arguments)
    if (std::holds_alternative<DataValue>(argument)) return argument;
  const auto whole = [&](std::size_t i) { return integer(arguments.at(i), expression, "the size"); };
  if (name == "malloc") return allocate(expression, whole(0), fmt::format("malloc({})", whole(0)));
  if (name == "calloc") {
    Value result =
        allocate(expression, whole(0) * whole(1), fmt::format("calloc({}, {})", whole(0), whole(1)));
    // Its bytes are zero on every rank, as those of an initialised array.
    memory_.object(std::get<Address>(result).object).is_initialised = true;
    return result;
  }
  if (name == "aligned_alloc")
    return allocate(expression, whole(1), fmt::format("aligned_alloc({}, {})", whole(0), whole(1)));
  if (name == "free") return NoValue{};
  const auto bits = [&] { return static_cast<std::uint64_t>(whole(0)) & 0xffffffffU; };
  if (name == "__builtin_ctz" && bits() != 0) return std::int64_t{std::countr_zero(bits())};
  if (name == "__builtin_clz" && bits() != 0) return std::int64_t{std::countl_zero(bits()) - 32};
  if (name == "__builtin_popcount") return std::int64_t{std::popcount(bits())};
  if (name == "__builtin_expect") return arguments[0];
  if (name == "abs" || name == "labs") return std::abs(whole(0));
  if (arguments.size() == 1 && is_number(arguments[0])) {
    const double x = real_of(arguments[0]);
    static const std::map<std::string, double (*)(double), std::less<>> functions{
        {"sqrt", std::sqrt}, {"fabs", std::fabs},   {"floor", std::floor}, {"ceil", std::ceil},
        {"log2", std::log2}, {"log", std::log},     {"exp", std::exp},     {"sin", std::sin},
        {"cos", std::cos},   {"round", std::round}, {"trunc", std::trunc}, {"log10", std::log10}};
    if (const auto found = functions.find(name); found != functions.end()) return found->second(x);
  }
  if (arguments.size() == 2 && is_number(arguments[0]) && is_number(arguments[1])) {
    const double x = real_of(arguments[0]), y = real_of(arguments[1]);
    if (name == "pow") return std::pow(x, y);
    if (name == "fmin") return std::fmin(x, y);
    if (name == "fmax") return std::fmax(x, y);
  }
  if (name == "__assert_fail")
    stop(expression, "assertion", "the assertion fails for these parameters", "choose other parameters");
  stop(expression, "library-call",
       fmt::format("main calls {} of a library, which takt does not evaluate", name),
       fmt::format("call {} in a procedure of the program", name));
}

Value Evaluator::call(const Node& expression) {
  const Node* callee = callee_of(expression);
  if (callee == nullptr)
    stop(expression, "computed-call", "main calls a function through a pointer",
         "call a procedure by its name");
  const Node* function = tree_.find_function(callee->name);
  const bool has_body = function != nullptr && body_of(*function) != nullptr;
  std::vector<Value> arguments;
  for (std::size_t i = 1; i < expression.children.size(); ++i)
    arguments.push_back(evaluate(expression.children[i]));
  static const std::vector<std::string> printing{"printf", "puts", "putchar", "fflush", "fprintf", "fputs"};
  const bool prints = !has_body && std::ranges::find(printing, callee->name) != printing.end();
  if (!has_body && !prints) return library(callee->name, arguments, expression);
  const bool is_helper =
      has_body && function->type != nullptr && function->type->kind == CType::Kind::function &&
      function->type->element->kind != CType::Kind::nothing &&
      std::ranges::none_of(parameters_of(*function), [](const Node* parameter) {
        return parameter->type->kind == CType::Kind::pointer || parameter->type->kind == CType::Kind::array;
      });
  if (is_helper) {
    for (const Value& argument : arguments)
      if (std::holds_alternative<DataValue>(argument)) return argument;
    return cast(call_function(*function, std::move(arguments), expression), expression);
  }
  if (!is_in_main_)
    stop(expression, "call-outside-main",
         fmt::format("{} is called by a function that main evaluates: only main calls procedures",
                     callee->name));
  steps_since_call_ = 0;
  on_call_(expression, *function, std::move(arguments));
  if (expression.type != nullptr && expression.type->kind == CType::Kind::nothing) return NoValue{};
  return DataValue{expression.place, fmt::format("it is the result of {}", callee->name)};
}

}  // namespace takt::frontend
