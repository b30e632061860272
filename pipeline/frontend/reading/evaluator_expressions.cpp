/// The evaluator's expressions: addresses, numbers, operators.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "pipeline/frontend/reading/evaluator.hpp"
#include "pipeline/frontend/reading/numbers.hpp"

namespace takt::frontend {

namespace {

/// Returns an operator of one or two characters as a number.
constexpr std::uint32_t code_of(std::string_view op) {
  std::uint32_t code = 0;
  for (const char c : op) code = code << 8 | static_cast<unsigned char>(c);
  return code;
}

}  // namespace

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
  if (size == 0)
    stop(base, "not-understood",
         fmt::format("takt does not know how large the elements of {} are", memory_.pointer_text(*address)),
         "use arrays of numbers, arrays and structures");
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
  switch (expression.form) {
    case Form::wrapper:
      return lvalue(expression.children.front());
    case Form::reference: {
      const std::size_t index = object_of(expression);
      return {index, 0, memory_.object(index).type};
    }
    case Form::subscript:
      return element(expression);
    case Form::unary: {
      if (expression.op != "*") break;
      const Value pointer = evaluate(expression.children.front());
      if (const auto* address = std::get_if<Address>(&pointer))
        return {address->object, address->offset, address->type};
      if (const auto* data = std::get_if<DataValue>(&pointer))
        stop_for_data(expression, *data, "the pointer");
      break;
    }
    case Form::member: {
      const Address base = base_of(expression);
      for (const CType::Field& field : base.type->fields)
        if (field.name == expression.name) return {base.object, base.offset + field.offset, field.type};
      break;
    }
    default:
      break;
  }
  stop(expression, "not-understood", "takt does not evaluate this expression in main",
       "move it into a procedure, or into a variable");
}

Address Evaluator::base_of(const Node& member) {
  if (!member.is_arrow) return lvalue(member.children.front());
  const Value pointer = evaluate(member.children.front());
  const auto* address = std::get_if<Address>(&pointer);
  if (address == nullptr) stop(member, "not-understood", "this is not a structure that takt knows");
  return *address;
}

Value Evaluator::load(const Address& address, const Node& expression) {
  const Object& object = memory_.object(address.object);
  if (const Value* known = object.cells.find(address.offset); known != nullptr) return *known;
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
  object.cells.set(address.offset, std::move(value));
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
  switch (code_of(op)) {
    case code_of("+"):
      return whole(ua + ub);
    case code_of("-"):
      return whole(ua - ub);
    case code_of("*"):
      return whole(ua * ub);
    case code_of("/"):
    case code_of("%"):
      if (b == 0) stop(expression, "division-by-zero", "division by zero");
      if (!is_signed) return whole(op == "/" ? ua / ub : ua % ub);
      if (b == -1) return op == "/" ? whole(0 - ua) : Value{std::int64_t{0}};
      return whole(static_cast<std::uint64_t>(op == "/" ? a / b : a % b));
    case code_of("<<"):
    case code_of(">>"):
      if (b < 0 || b >= static_cast<std::int64_t>(result_type.size * 8))
        stop(expression, "shift", fmt::format("shift by {}: expected 0 to {}", b, result_type.size * 8 - 1));
      if (op == "<<") return whole(ua << b);
      return is_signed ? Value{a >> b} : whole(ua >> b);
    case code_of("&"):
      return whole(ua & ub);
    case code_of("|"):
      return whole(ua | ub);
    case code_of("^"):
      return whole(ua ^ ub);
    case code_of("=="):
      return static_cast<std::int64_t>(a == b);
    case code_of("!="):
      return static_cast<std::int64_t>(a != b);
    case code_of("<"):
      return static_cast<std::int64_t>(is_signed ? a < b : ua < ub);
    case code_of(">"):
      return static_cast<std::int64_t>(is_signed ? a > b : ua > ub);
    case code_of("<="):
      return static_cast<std::int64_t>(is_signed ? a <= b : ua <= ub);
    case code_of(">="):
      return static_cast<std::int64_t>(is_signed ? a >= b : ua >= ub);
    default:
      stop(expression, "not-understood", fmt::format("takt does not evaluate the operator '{}' in main", op));
  }
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

/// Takes the nearest number of the literal's type, which may be 0 or infinite.
Value Evaluator::literal(const Node& expression) {
  const bool is_float = expression.type != nullptr && expression.type->size == 4;
  const double number = std::strtod(expression.value.c_str(), nullptr);
  if (is_float) return static_cast<double>(std::strtof(expression.value.c_str(), nullptr));
  if (expression.type != nullptr && expression.type->size > 8 &&
      std::strtold(expression.value.c_str(), nullptr) != static_cast<long double>(number))
    stop(expression, "not-understood", "takt evaluates real numbers of main as double, which rounds this one",
         "use it in a procedure, or write a double");
  return number;
}

Value Evaluator::evaluate(const Node& expression) {
  switch (expression.form) {
    case Form::implicit_cast:
    case Form::explicit_cast:
      return converted(expression);
    case Form::integer:
      return static_cast<std::int64_t>(std::stoull(expression.value));
    case Form::truth:
      return std::int64_t{expression.value == "true"};
    case Form::real:
      return literal(expression);
    case Form::text:
      return TextValue{expression.value};
    case Form::wrapper:
      return evaluate(expression.children.front());
    case Form::reference:
      if (expression.refers_to == "EnumConstantDecl") return tree_.enumerators.at(expression.declaration);
      return load(lvalue(expression), expression);
    case Form::unary:
      return unary(expression);
    case Form::binary:
      return binary(expression);
    case Form::conditional: {
      const Node& condition = expression.children.front();
      return evaluate(expression.children[is_true(evaluate(condition), condition, "the condition") ? 1 : 2]);
    }
    case Form::call:
      return call(expression);
    case Form::type_size:
      if (expression.name == "sizeof") return size_of(expression);
      break;
    case Form::block:
      (void)execute(expression.children.front());
      return NoValue{};
    case Form::subscript:
    case Form::member:
      return load(lvalue(expression), expression);
    default:
      break;
  }
  stop(expression, "not-understood",
       fmt::format("takt does not evaluate an expression of kind {} in main", expression.kind),
       "move it into a procedure");
}

Value Evaluator::converted(const Node& expression) {
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

Value Evaluator::size_of(const Node& expression) {
  if (!expression.value.empty()) return static_cast<std::int64_t>(tree_.types.parse(expression.value)->size);
  const Node& operand = plain(expression.children.front());
  const CType* type = operand.is("DeclRefExpr") ? memory_.object(object_of(operand)).type : operand.type;
  return static_cast<std::int64_t>(type->size);
}

}  // namespace takt::frontend
