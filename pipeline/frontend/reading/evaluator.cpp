#include "pipeline/frontend/reading/evaluator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace takt::frontend {

namespace {

/// Iterations without a call of a procedure after which main counts as endless.
constexpr std::uint64_t most_steps_without_call = 20'000'000;
constexpr std::uint64_t most_nested_calls = 1000;

std::int64_t wrapped(std::int64_t value, const CType& type) {
  if (type.size >= 8 || type.size == 0) return value;
  const auto bits = static_cast<unsigned>(type.size * 8);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const std::uint64_t low = static_cast<std::uint64_t>(value) & mask;
  const bool is_negative = type.is_signed && ((low >> (bits - 1)) & 1) != 0;
  return static_cast<std::int64_t>(is_negative ? low | ~mask : low);
}

bool is_pointer(const CType* type) {
  return type != nullptr && type->kind == CType::Kind::pointer;
}

const CType* pointee(const CType* type) {
  return type->element;
}

Value zero_of(const CType* type) {
  if (type != nullptr && type->kind == CType::Kind::real) return 0.0;
  if (is_pointer(type)) return NullPointer{};
  return std::int64_t{0};
}

double real_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  return std::get<double>(value);
}

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

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

void Evaluator::count_step(const Node& statement) {
  if (++steps_since_call_ <= most_steps_without_call) return;
  stop(statement, "endless",
       fmt::format("main does not end: {} iterations without a call of a procedure", most_steps_without_call),
       "give the loop a bound that is known when the graph is made");
}

// Statements

Evaluator::Flow Evaluator::execute_all(const Node& block) {
  for (const Node& statement : block.children)
    if (const Flow flow = execute(statement); flow != Flow::next) return flow;
  return Flow::next;
}

Evaluator::Flow Evaluator::execute(const Node& statement) {
  const std::string& kind = statement.kind;
  if (kind.empty() || kind == "NullStmt") return Flow::next;
  if (kind == "CompoundStmt") return execute_all(statement);
  if (kind == "DeclStmt") {
    for (const Node& variable : statement.children)
      if (variable.is("VarDecl")) declare_variable(variable);
    return Flow::next;
  }
  if (kind == "ForStmt" && statement.children.size() == 5) {
    if (const Flow flow = execute(statement.children[0]); flow != Flow::next) return flow;
    return loop(statement, &statement.children[2], &statement.children[3], statement.children[4], false);
  }
  if (kind == "WhileStmt")
    return loop(statement, &statement.children.front(), nullptr, statement.children.back(), false);
  if (kind == "DoStmt")
    return loop(statement, &statement.children.back(), nullptr, statement.children.front(), true);
  if (kind == "IfStmt") {
    const Node& condition = statement.children.front();
    if (is_true(evaluate(condition), condition, "the condition")) return execute(statement.children[1]);
    return statement.children.size() > 2 ? execute(statement.children[2]) : Flow::next;
  }
  if (kind == "SwitchStmt") return choose(statement);
  if (kind == "CaseStmt" || kind == "DefaultStmt") return execute(statement.children.back());
  if (kind == "BreakStmt") return Flow::break_loop;
  if (kind == "ContinueStmt") return Flow::continue_loop;
  if (kind == "ReturnStmt") {
    result_ = statement.children.empty() ? Value{} : evaluate(statement.children.front());
    return Flow::leave;
  }
  if (kind.ends_with("Stmt"))
    stop(statement, "not-understood",
         fmt::format("main has a statement of kind {}, which takt does not evaluate", kind),
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
    count_step(statement);
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
    const auto known = std::ranges::find_if(
        bindings_, [&](const auto& entry) { return memory_.object(entry.second).name == type->count_text; });
    const auto* number = known == bindings_.end()
                             ? nullptr
                             : std::get_if<std::int64_t>(&memory_.object(known->second).cells[0]);
    if (number == nullptr || *number < 0)
      stop(variable, "not-understood",
           fmt::format("the extent [{}] of '{}' is no constant and no variable with a known value",
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
                      // What is const can only have its initial value.
                      .is_initialised = variable.has_initialiser || variable.type->is_const});
}

void Evaluator::declare_variable(const Node& variable) {
  const auto known = bindings_.find(variable.declaration);
  // A variable of an inner block is a new one in each iteration; without data in it the old one will do.
  const bool is_reused = known != bindings_.end() && !memory_.object(known->second).array &&
                         memory_.object(known->second).type->kind != CType::Kind::array &&
                         memory_.object(known->second).type->kind != CType::Kind::record;
  if (is_reused && variable.is_static) return;
  const std::size_t index = is_reused ? known->second : make_object(variable);
  // In the generated program the variable is at file scope.
  if (is_in_main_ && !is_reused && is_at_file_scope(variable.name)) memory_.object(index).name += "_of_main";
  bindings_[variable.declaration] = index;
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
  memory_.object(at.object).cells[at.offset] = std::move(value);
}

std::size_t Evaluator::object_of(const Node& reference) {
  if (const auto found = bindings_.find(reference.declaration); found != bindings_.end())
    return found->second;
  const auto global = tree_.globals.find(reference.declaration);
  if (global == tree_.globals.end())
    stop(reference, "not-understood", fmt::format("'{}' is not a variable that takt knows", reference.name));
  const std::size_t index = make_object(global->second);
  memory_.object(index).is_global = true;
  bindings_[reference.declaration] = index;
  if (global->second.has_initialiser)
    for (const Node& child : global->second.children)
      if (!child.kind.ends_with("Attr")) initialise({index, 0, memory_.object(index).type}, child);
  return index;
}

// Expressions

Address Evaluator::element(const Node& subscript) {
  const Node& base = subscript.children.front();
  const Node& index_node = subscript.children.back();
  const Value pointer = evaluate(base);
  const std::int64_t index = integer(evaluate(index_node), index_node, "the index");
  const auto* address = std::get_if<Address>(&pointer);
  if (address == nullptr) {
    if (const auto* data = std::get_if<DataValue>(&pointer)) stop_for_data(base, *data, "the array");
    stop(base, "not-understood", "this is not an array that takt knows");
  }
  const std::uint64_t size = address->type->size;
  if (address->array_bytes && size > 0) {
    const auto count = static_cast<std::int64_t>(*address->array_bytes / size);
    if (index < 0 || index >= count) {
      const Object& object = memory_.object(address->object);
      stop(index_node, "out-of-range",
           fmt::format("index {} is out of range: {} has {} elements, 0 to {}", index,
                       memory_.pointer_text(*address), count, count - 1),
           "correct the index or the loop's bounds, or declare a larger array", object.place,
           fmt::format("'{}' is declared here", object.name));
    }
  }
  return {address->object, address->offset + static_cast<std::uint64_t>(index) * size, address->type};
}

Address Evaluator::lvalue(const Node& expression) {
  if (expression.is("ParenExpr")) return lvalue(expression.children.front());
  if (expression.is("DeclRefExpr")) {
    const std::size_t index = object_of(expression);
    return {index, 0, memory_.object(index).type};
  }
  if (expression.is("ArraySubscriptExpr")) return element(expression);
  if (expression.is("UnaryOperator") && expression.op == "*") {
    const Value pointer = evaluate(expression.children.front());
    if (const auto* address = std::get_if<Address>(&pointer))
      return {address->object, address->offset, address->type};
    if (const auto* data = std::get_if<DataValue>(&pointer)) stop_for_data(expression, *data, "the pointer");
  }
  if (expression.is("MemberExpr")) {
    Address base;
    if (expression.is_arrow) {
      const Value pointer = evaluate(expression.children.front());
      const auto* address = std::get_if<Address>(&pointer);
      if (address == nullptr) stop(expression, "not-understood", "this is not a structure that takt knows");
      base = *address;
    } else {
      base = lvalue(expression.children.front());
    }
    for (const CType::Field& field : base.type->fields)
      if (field.name == expression.name) return {base.object, base.offset + field.offset, field.type};
  }
  stop(expression, "not-understood", "takt does not evaluate this expression in main",
       "move it into a procedure, or into a variable");
}

Value Evaluator::load(const Address& address, const Node& expression) {
  const Object& object = memory_.object(address.object);
  if (const auto found = object.cells.find(address.offset); found != object.cells.end()) return found->second;
  if (object.is_written || object.array)
    return DataValue{object.written,
                     fmt::format("'{}' holds what a procedure writes", memory_.lvalue_text(address))};
  if (object.is_global || object.is_static || object.is_initialised) return zero_of(address.type);
  stop(expression, "no-value", fmt::format("'{}' has no value here", memory_.lvalue_text(address)),
       "initialise it in its declaration", object.place, "declared here");
}

void Evaluator::store(const Address& address, Value value, const Node& expression) {
  Object& object = memory_.object(address.object);
  if (object.array)
    stop(expression, "main-writes-data",
         fmt::format("main assigns '{}', which calls of procedures use: only procedures write data",
                     memory_.lvalue_text(address)),
         "make the assignment a procedure with a takt_out or takt_inout parameter", object.place,
         "declared here");
  if (address.offset + address.type->size > object.bytes)
    stop(expression, "out-of-range", fmt::format("'{}' is outside its array", memory_.lvalue_text(address)));
  if (auto* target = std::get_if<Address>(&value)) {
    Object& pointed = memory_.object(target->object);
    if (pointed.is_allocation && pointed.name.empty()) pointed.name = memory_.lvalue_text(address);
  }
  object.assigned = expression.place;
  object.cells[address.offset] = std::move(value);
}

Value Evaluator::cast(Value value, const Node& expression) {
  const CType* to = expression.type;
  if (std::holds_alternative<DataValue>(value) || to == nullptr) return value;
  if (auto* address = std::get_if<Address>(&value); address != nullptr && is_pointer(to)) {
    Object& object = memory_.object(address->object);
    const CType* element = pointee(to);
    if (object.is_allocation && object.type == nullptr && element->kind != CType::Kind::nothing &&
        element->size > 0)
      object.type = tree_.types.array_of(element, object.bytes / element->size);
    address->type = element;
    return value;
  }
  if (is_pointer(to) && std::holds_alternative<std::int64_t>(value)) return NullPointer{};
  if (!is_number(value)) return value;
  if (to->kind == CType::Kind::integer) {
    if (to->name == "_Bool" || to->name == "bool") return static_cast<std::int64_t>(real_of(value) != 0);
    if (const auto* number = std::get_if<std::int64_t>(&value)) return wrapped(*number, *to);
    return wrapped(static_cast<std::int64_t>(std::get<double>(value)), *to);
  }
  if (to->kind == CType::Kind::real) {
    double number = real_of(value);
    // An unsigned integer of 64 bits.
    const CType* from = expression.children.empty() ? nullptr : expression.children.front().type;
    if (const auto* whole = std::get_if<std::int64_t>(&value);
        whole != nullptr && *whole < 0 && from != nullptr && !from->is_signed)
      number = static_cast<double>(static_cast<std::uint64_t>(*whole));
    return to->size == 4 ? static_cast<double>(static_cast<float>(number)) : number;
  }
  return value;
}

Value Evaluator::moved(Address address, std::int64_t elements, const Node& expression) {
  const CType* type = address.type->kind == CType::Kind::nothing ? expression.type->element : address.type;
  if (elements == 0) return address;
  address.offset += static_cast<std::uint64_t>(elements) * type->size;
  address.array_bytes.reset();
  return address;
}

Value Evaluator::apply(const std::string& op, const Value& left, const Value& right, const Node& expression) {
  for (const Value* value : {&left, &right})
    if (std::holds_alternative<DataValue>(*value)) return *value;
  const auto* left_address = std::get_if<Address>(&left);
  const auto* right_address = std::get_if<Address>(&right);
  if (left_address != nullptr && right_address == nullptr && (op == "+" || op == "-")) {
    const std::int64_t by = integer(right, expression, "the offset");
    return moved(*left_address, op == "+" ? by : -by, expression);
  }
  if (right_address != nullptr && left_address == nullptr && op == "+")
    return moved(*right_address, integer(left, expression, "the offset"), expression);
  if (left_address != nullptr && right_address != nullptr) {
    const bool is_same = left_address->object == right_address->object;
    const auto distance = static_cast<std::int64_t>(left_address->offset - right_address->offset);
    if (op == "-" && is_same && left_address->type->size > 0)
      return distance / static_cast<std::int64_t>(left_address->type->size);
    if (op == "==") return static_cast<std::int64_t>(is_same && distance == 0);
    if (op == "!=") return static_cast<std::int64_t>(!is_same || distance != 0);
  }
  if (!is_number(left) || !is_number(right)) {
    const bool left_is_null = !is_true(left, expression, "the comparison");
    const bool right_is_null = !is_true(right, expression, "the comparison");
    if (op == "==") return static_cast<std::int64_t>(left_is_null && right_is_null);
    if (op == "!=") return static_cast<std::int64_t>(left_is_null != right_is_null);
    stop(expression, "not-understood", fmt::format("takt does not evaluate '{}' of these values", op));
  }
  if (std::holds_alternative<double>(left) || std::holds_alternative<double>(right)) {
    const double a = real_of(left), b = real_of(right);
    const bool is_float = expression.type != nullptr && expression.type->kind == CType::Kind::real &&
                          expression.type->size == 4;
    const auto rounded = [&](double value) -> Value {
      return is_float ? static_cast<double>(static_cast<float>(value)) : value;
    };
    if (op == "+") return rounded(a + b);
    if (op == "-") return rounded(a - b);
    if (op == "*") return rounded(a * b);
    if (op == "/") return rounded(a / b);
    if (op == "<") return static_cast<std::int64_t>(a < b);
    if (op == ">") return static_cast<std::int64_t>(a > b);
    if (op == "<=") return static_cast<std::int64_t>(a <= b);
    if (op == ">=") return static_cast<std::int64_t>(a >= b);
    if (op == "==") return static_cast<std::int64_t>(a == b);
    if (op == "!=") return static_cast<std::int64_t>(a != b);
    stop(expression, "not-understood", fmt::format("takt does not evaluate '{}' of real numbers", op));
  }
  const std::int64_t a = std::get<std::int64_t>(left), b = std::get<std::int64_t>(right);
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  // The operands have their common type; that of a comparison's result says nothing.
  const CType* type = expression.children.empty() ? expression.type : expression.children.front().type;
  const bool is_signed = type == nullptr || type->is_signed;
  const CType& result_type = expression.type != nullptr && expression.type->kind == CType::Kind::integer
                                 ? *expression.type
                                 : *tree_.types.parse("long");
  const auto whole = [&](std::uint64_t value) -> Value {
    return wrapped(static_cast<std::int64_t>(value), result_type);
  };
  if (op == "+") return whole(ua + ub);
  if (op == "-") return whole(ua - ub);
  if (op == "*") return whole(ua * ub);
  if (op == "/" || op == "%") {
    if (b == 0) stop(expression, "division-by-zero", "division by zero");
    if (!is_signed) return whole(op == "/" ? ua / ub : ua % ub);
    if (b == -1) return op == "/" ? whole(0 - ua) : Value{std::int64_t{0}};
    return whole(static_cast<std::uint64_t>(op == "/" ? a / b : a % b));
  }
  if (op == "<<" || op == ">>") {
    if (b < 0 || b >= static_cast<std::int64_t>(result_type.size * 8))
      stop(expression, "shift", fmt::format("shift by {}: expected 0 to {}", b, result_type.size * 8 - 1));
    if (op == "<<") return whole(ua << b);
    return is_signed ? Value{a >> b} : whole(ua >> b);
  }
  if (op == "&") return whole(ua & ub);
  if (op == "|") return whole(ua | ub);
  if (op == "^") return whole(ua ^ ub);
  if (op == "==") return static_cast<std::int64_t>(a == b);
  if (op == "!=") return static_cast<std::int64_t>(a != b);
  if (op == "<") return static_cast<std::int64_t>(is_signed ? a < b : ua < ub);
  if (op == ">") return static_cast<std::int64_t>(is_signed ? a > b : ua > ub);
  if (op == "<=") return static_cast<std::int64_t>(is_signed ? a <= b : ua <= ub);
  if (op == ">=") return static_cast<std::int64_t>(is_signed ? a >= b : ua >= ub);
  stop(expression, "not-understood", fmt::format("takt does not evaluate the operator '{}' in main", op));
}

Value Evaluator::unary(const Node& expression) {
  const Node& operand = expression.children.front();
  const std::string& op = expression.op;
  if (op == "&") {
    Address address = lvalue(operand);
    address.array_bytes.reset();
    return address;
  }
  if (op == "*") return load(lvalue(expression), expression);
  if (op == "++" || op == "--") {
    const Address address = lvalue(operand);
    const Value before = load(address, operand);
    Value after;
    if (const auto* pointer = std::get_if<Address>(&before))
      after = moved(*pointer, op == "++" ? 1 : -1, expression);
    else
      after = apply(op == "++" ? "+" : "-", before, std::int64_t{1}, expression);
    store(address, after, expression);
    return expression.is_postfix ? before : after;
  }
  const Value value = evaluate(operand);
  if (std::holds_alternative<DataValue>(value) || op == "+" || op == "__extension__") return value;
  if (op == "!") return static_cast<std::int64_t>(!is_true(value, operand, "the condition"));
  if (const auto* number = std::get_if<double>(&value); number != nullptr && op == "-") return -*number;
  const std::int64_t number = integer(value, operand, "the operand");
  const auto bits = static_cast<std::uint64_t>(number);
  if (op == "-") return wrapped(static_cast<std::int64_t>(0 - bits), *expression.type);
  if (op == "~") return wrapped(static_cast<std::int64_t>(~bits), *expression.type);
  stop(expression, "not-understood", fmt::format("takt does not evaluate the operator '{}' in main", op));
}

Value Evaluator::assign(const Node& expression) {
  const Node &target = expression.children[0], &source = expression.children[1];
  const Address address = lvalue(target);
  Value value = evaluate(source);
  if (expression.is("CompoundAssignOperator")) {
    const std::string op = expression.op.substr(0, expression.op.size() - 1);
    value = apply(op, load(address, target), value, expression);
    value = cast(std::move(value), expression);
  }
  store(address, value, expression);
  return value;
}

Value Evaluator::binary(const Node& expression) {
  if (expression.op == "=" || expression.is("CompoundAssignOperator")) return assign(expression);
  const Node &left = expression.children[0], &right = expression.children[1];
  const Value first = evaluate(left);
  if (expression.op == ",") return evaluate(right);
  if (expression.op == "&&" || expression.op == "||") {
    const bool is_and = expression.op == "&&";
    if (is_true(first, left, "the condition") != is_and) return static_cast<std::int64_t>(!is_and);
    return static_cast<std::int64_t>(is_true(evaluate(right), right, "the condition"));
  }
  return apply(expression.op, first, evaluate(right), expression);
}

Value Evaluator::evaluate(const Node& expression) {
  const std::string& kind = expression.kind;
  if (kind == "ImplicitCastExpr" || kind == "CStyleCastExpr") {
    const Node& inner = expression.children.front();
    if (expression.op == "LValueToRValue") return load(lvalue(inner), inner);
    if (expression.op == "ArrayToPointerDecay") {
      if (plain(inner).is("StringLiteral")) return TextValue{plain(inner).value};
      const Address array = lvalue(inner);
      return Address{array.object, array.offset, array.type->element, array.type->size};
    }
    if (expression.op == "ToVoid") {
      (void)evaluate(inner);
      return NoValue{};
    }
    return cast(evaluate(inner), expression);
  }
  if (kind == "IntegerLiteral" || kind == "CharacterLiteral")
    return static_cast<std::int64_t>(std::stoull(expression.value));
  if (kind == "CXXBoolLiteralExpr") return std::int64_t{expression.value == "true"};
  if (kind == "FloatingLiteral") return std::stod(expression.value);
  if (kind == "StringLiteral") return TextValue{expression.value};
  if (kind == "ParenExpr" || kind == "ConstantExpr") return evaluate(expression.children.front());
  if (kind == "DeclRefExpr") {
    if (expression.refers_to == "EnumConstantDecl") return tree_.enumerators.at(expression.declaration);
    return load(lvalue(expression), expression);
  }
  if (kind == "UnaryOperator") return unary(expression);
  if (kind == "BinaryOperator" || kind == "CompoundAssignOperator") return binary(expression);
  if (kind == "ConditionalOperator") {
    const Node& condition = expression.children.front();
    return evaluate(expression.children[is_true(evaluate(condition), condition, "the condition") ? 1 : 2]);
  }
  if (kind == "CallExpr") return call(expression);
  if (kind == "UnaryExprOrTypeTraitExpr" && expression.name == "sizeof") {
    const CType* type = expression.value.empty() ? plain(expression.children.front()).type
                                                 : tree_.types.parse(expression.value);
    if (!expression.value.empty()) return static_cast<std::int64_t>(type->size);
    const Node& operand = plain(expression.children.front());
    if (operand.is("DeclRefExpr")) type = memory_.object(object_of(operand)).type;
    return static_cast<std::int64_t>(type->size);
  }
  if (kind == "StmtExpr") {
    (void)execute(expression.children.front());
    return NoValue{};
  }
  if (kind == "ArraySubscriptExpr" || kind == "MemberExpr") return load(lvalue(expression), expression);
  stop(expression, "not-understood",
       fmt::format("takt does not evaluate an expression of kind {} in main", kind),
       "move it into a procedure");
}

// Calls

Value Evaluator::call_function(const Node& function, std::vector<Value> arguments, const Node& call) {
  if (++depth_ > most_nested_calls)
    stop(call, "endless", fmt::format("{} calls itself without end", function.name));
  const auto saved = bindings_;
  const std::size_t objects = memory_.size();
  const bool was_in_main = std::exchange(is_in_main_, false);
  const Node* const outer = std::exchange(outer_call_, outer_call_ == nullptr ? &call : outer_call_);
  const std::vector<const Node*> parameters = parameters_of(function);
  for (std::size_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
    const std::size_t index = memory_.add({.name = parameters[i]->name,
                                           .place = parameters[i]->place,
                                           .type = parameters[i]->type,
                                           .bytes = parameters[i]->type->size});
    memory_.object(index).cells[0] = std::move(arguments[i]);
    bindings_[parameters[i]->declaration] = index;
  }
  result_ = NoValue{};
  (void)execute_all(*body_of(function));
  Value result = std::exchange(result_, NoValue{});
  bindings_ = saved;
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
  return DataValue{expression.place, fmt::format("it is the result of {}", callee->name)};
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
    memory_.object(index).cells[0] =
        DataValue{parameter->place, fmt::format("'{}' is known when the program runs", parameter->name)};
    bindings_[parameter->declaration] = index;
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

std::string Evaluator::number_text(const Value& value, const CType* type) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    if (type != nullptr && type->kind == CType::Kind::integer && type->size == 8 && !type->is_signed)
      return fmt::format("{}", static_cast<std::uint64_t>(*number));
    return fmt::format("{}", *number);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    std::string text = fmt::format("{}", *number);
    if (text.find_first_of(".ein") == std::string::npos) text += ".0";
    return text;
  }
  if (const auto* text = std::get_if<TextValue>(&value)) return text->text;
  return {};
}

}  // namespace takt::frontend
