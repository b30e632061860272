/// The evaluator's statements and variables.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "pipeline/frontend/reading/evaluator.hpp"
#include "pipeline/frontend/reading/numbers.hpp"

namespace takt::frontend {

Evaluator::Flow Evaluator::execute_all(const Node& block) {
  for (const Node& statement : block.children)
    if (const Flow flow = execute(statement); flow != Flow::next) return flow;
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const Node& statement) {
  switch (statement.form) {
    case Form::absent:
    case Form::empty:
      return Flow::next;
    case Form::compound:
      return execute_all(statement);
    case Form::declarations:
      for (const Node& variable : statement.children)
        if (variable.is("VarDecl")) declare_variable(variable);
      return Flow::next;
    case Form::for_loop:
      if (const Flow flow = execute(statement.children.at(0)); flow != Flow::next) return flow;
      return loop(statement, &statement.children.at(2), &statement.children.at(3), statement.children.at(4),
                  false);
    case Form::while_loop:
      return loop(statement, &statement.children.front(), nullptr, statement.children.back(), false);
    case Form::do_loop:
      return loop(statement, &statement.children.back(), nullptr, statement.children.front(), true);
    case Form::condition: {
      const Node& condition = statement.children.front();
      if (is_true(evaluate(condition), condition, "the condition")) return execute(statement.children[1]);
      return statement.children.size() > 2 ? execute(statement.children[2]) : Flow::next;
    }
    case Form::choice:
      return choose(statement);
    case Form::label:
      return execute(statement.children.back());
    case Form::break_loop:
      return Flow::break_loop;
    case Form::continue_loop:
      return Flow::continue_loop;
    case Form::leave:
      result_ = statement.children.empty() ? Value{} : evaluate(statement.children.front());
      return Flow::leave;
    default:
      break;
  }
  if (statement.kind.ends_with("Stmt"))
    stop(statement, "not-understood",
         fmt::format("main has a statement of kind {}, which takt does not evaluate", statement.kind),
         "use for, while, do, if, switch, or move the statement into a procedure");
  (void)evaluate(statement);
  return Flow::next;
}

Evaluator::Flow Evaluator::loop(const Node& statement, const Node* condition, const Node* step,
                                const Node& body, bool is_do) {
  for (bool is_first = true;; is_first = false) {
    if (!(is_do && is_first) && !condition->is_absent() &&
        !is_true(evaluate(*condition), *condition, "the bound of the loop"))
      return Flow::next;
    count_steps(statement);
    const Flow flow = execute(body);
    if (flow == Flow::leave) return flow;
    if (flow == Flow::break_loop) return Flow::next;
    if (step != nullptr && !step->is_absent()) (void)evaluate(*step);
  }
}

Evaluator::Flow Evaluator::choose(const Node& statement) {
  const Node& condition = statement.children.front();
  const std::int64_t value = integer(evaluate(condition), condition, "the switch");
  const Node& body = statement.children.back();
  const auto matches = [&](const Node& label) {
    return label.is("CaseStmt") && integer(evaluate(label.children.front()), label, "the case") == value;
  };
  // Labels in a row are nested: `case 1: case 2: statement`.
  const auto leads_to = [&](const Node& entry, const auto& matching) {
    for (const Node* label = &entry; label->is("CaseStmt") || label->is("DefaultStmt");
         label = &label->children.back())
      if (matching(*label)) return true;
    return false;
  };
  auto start = std::ranges::find_if(body.children, [&](const Node& each) { return leads_to(each, matches); });
  if (start == body.children.end())
    start = std::ranges::find_if(body.children, [&](const Node& each) {
      return leads_to(each, [](const Node& label) { return label.is("DefaultStmt"); });
    });
  for (; start != body.children.end(); ++start) {
    const Node* inner = &*start;
    while (inner->is("CaseStmt") || inner->is("DefaultStmt")) inner = &inner->children.back();
    const Flow flow = execute(*inner);
    if (flow == Flow::break_loop) return Flow::next;
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

// Variables

const CType* Evaluator::with_extents(const CType* type, const Node& variable) {
  if (type->kind != CType::Kind::array) return type;
  const CType* element = with_extents(type->element, variable);
  std::uint64_t count = type->count;
  if (!type->count_text.empty()) {
    const auto known = std::ranges::find_if(bindings_, [&](std::size_t object) {
      return object != unbound && memory_.object(object).name == type->count_text;
    });
    const Value* value = known == bindings_.end() ? nullptr : memory_.object(*known).cells.find(0);
    const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    if (number == nullptr || *number < 0)
      stop(variable, "not-understood",
           fmt::format("the extent [{}] of '{}' is neither a constant nor a variable with a known value",
                       type->count_text, variable.name),
           "give the array an extent from #define");
    count = static_cast<std::uint64_t>(*number);
  }
  return tree_.types.array_of(element, count);
}

bool Evaluator::is_at_file_scope(const std::string& name) const {
  return tree_.functions.contains(name) ||
         std::ranges::any_of(tree_.globals, [&](const auto& global) { return global.second.name == name; });
}

std::size_t Evaluator::make_object(const Node& variable) {
  const CType* type = with_extents(variable.type, variable);
  if (type->kind == CType::Kind::unknown)
    stop(variable, "not-understood",
         fmt::format("'{}' has the type {}, which takt does not know", variable.name, type->name));
  return memory_.add({.name = variable.name,
                      .place = variable.place,
                      .type = type,
                      .bytes = type->size,
                      .is_static = variable.is_static,
                      // A constant keeps its initial value.
                      .is_initialised = variable.has_initialiser || variable.type->is_const});
}

void Evaluator::declare_variable(const Node& variable) {
  const std::size_t known = binding(variable.declaration);
  // A variable of an inner block is a new one in each iteration; without data in it the old one will do.
  const bool is_reused = known != unbound && !memory_.object(known).array &&
                         memory_.object(known).type->kind != CType::Kind::array &&
                         memory_.object(known).type->kind != CType::Kind::record;
  if (is_reused && variable.is_static) return;
  const std::size_t index = is_reused ? known : make_object(variable);
  // In the generated program the variable is at file scope.
  if (is_in_main_ && !is_reused && is_at_file_scope(variable.name)) memory_.object(index).name += "_of_main";
  bind(variable.declaration, index);
  memory_.object(index).cells.clear();
  if (is_in_main_ && std::ranges::find(variables_, index) == variables_.end() && !is_reused)
    variables_.push_back(index);
  if (!variable.has_initialiser) return;
  for (const Node& child : variable.children)
    if (!child.kind.ends_with("Attr")) initialise({index, 0, memory_.object(index).type}, child);
}

void Evaluator::initialise(const Address& at, const Node& initialiser) {
  const Node& inner = plain(initialiser);
  if (inner.is("InitListExpr")) {
    for (std::size_t i = 0; i < inner.children.size(); ++i) {
      if (inner.children[i].is("ImplicitValueInitExpr") || inner.children[i].is_absent()) continue;
      if (at.type->kind == CType::Kind::array)
        initialise({at.object, at.offset + i * at.type->element->size, at.type->element}, inner.children[i]);
      else if (at.type->kind == CType::Kind::record && i < at.type->fields.size())
        initialise({at.object, at.offset + at.type->fields[i].offset, at.type->fields[i].type},
                   inner.children[i]);
    }
    return;
  }
  if (inner.is("StringLiteral") && at.type->kind == CType::Kind::array) return;
  Value value = evaluate(initialiser);
  if (auto* address = std::get_if<Address>(&value); address != nullptr) {
    Object& target = memory_.object(address->object);
    if (target.is_allocation && target.name.empty()) target.name = memory_.lvalue_text(at);
  }
  memory_.object(at.object).cells.set(at.offset, std::move(value));
}

std::size_t Evaluator::object_of(const Node& reference) {
  if (const std::size_t known = binding(reference.declaration); known != unbound) return known;
  const auto global = tree_.globals.find(reference.declaration);
  if (global == tree_.globals.end())
    stop(reference, "not-understood", fmt::format("'{}' is not a variable that takt knows", reference.name));
  const std::size_t index = make_object(global->second);
  memory_.object(index).is_global = true;
  bind(reference.declaration, index);
  if (global->second.has_initialiser)
    for (const Node& child : global->second.children)
      if (!child.kind.ends_with("Attr")) initialise({index, 0, memory_.object(index).type}, child);
  return index;
}

}  // namespace takt::frontend
