#include "pipeline/frontend/weights/operation_counts.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace takt::frontend {

namespace {

using Counts = std::map<std::string, Formula>;

void add(Counts& to, const Counts& from) {
  for (const auto& [kind, count] : from) to[kind] = to[kind] + count;
}

bool is_real(const CType* type) {
  return type != nullptr && (type->kind == CType::Kind::real || type->kind == CType::Kind::complex);
}

bool is_literal(const Node& expression) {
  const Node* node = &plain(expression);
  if (node->is("UnaryOperator") && node->op == "-") node = &plain(node->children.front());
  if (node->is("BinaryOperator")) return is_literal(node->children[0]) && is_literal(node->children[1]);
  return node->is("FloatingLiteral") || node->is("IntegerLiteral");
}

class Counter {
 public:
  Counter(const SyntaxTree& tree, std::vector<std::string>& notes) : tree_(tree), notes_(notes) {}

  /// Gives a parameter its formula; its name is taken by no variable of a sum.
  void bind(const Node& parameter, Formula formula) {
    ++names_[parameter.name];
    known_[parameter.declaration] = std::move(formula);
  }

  Counts function(const Node& node) {
    const Node* body = body_of(node);
    if (body == nullptr) return {};
    if (!active_.insert(node.name).second) {
      note(fmt::format("{} calls itself: one call is counted", node.name));
      return {};
    }
    find_assigned(*body);
    Counts counts = statement(*body);
    active_.erase(node.name);
    return counts;
  }

 private:
  void note(std::string text) {
    if (std::ranges::find(notes_, text) == notes_.end()) notes_.push_back(std::move(text));
  }

  /// Variables that change outside a loop's header have no formula.
  void find_assigned(const Node& body) {
    for_each_node(body, [&](const Node& node) {
      const bool assigns =
          (node.is("BinaryOperator") && node.op == "=") || node.is("CompoundAssignOperator") ||
          (node.is("UnaryOperator") && (node.op == "++" || node.op == "--" || node.op == "&"));
      if (!assigns) return;
      const Node& target = plain(node.children.front());
      if (target.is("DeclRefExpr")) ++assigned_[target.declaration];
    });
  }

  Counts statement(const Node& node) {
    if (node.is_absent()) return {};
    if (node.is("ForStmt") && node.children.size() == 5) return loop(node);
    if (node.is("WhileStmt") || node.is("DoStmt")) {
      note(fmt::format("line {}: the number of iterations of this loop is unknown: one is counted",
                       tree_.source.locate(node.place).line));
      return expressions(node);
    }
    if (node.is("DeclStmt")) {
      for (const Node& variable : node.children)
        if (variable.is("VarDecl") && variable.has_initialiser && !variable.children.empty() &&
            !assigned_.contains(variable.declaration) && variable.type->kind == CType::Kind::integer)
          known_[variable.declaration] = formula(variable.children.back());
    }
    return expressions(node);
  }

  Counts expressions(const Node& node) {
    Counts counts;
    for (const Node& child : node.children)
      add(counts, child.kind.ends_with("Stmt") ? statement(child) : expression(child));
    return counts;
  }

  Counts expression(const Node& node) {
    if (node.is_absent() || node.kind.ends_with("Attr")) return {};
    if (node.kind.ends_with("Stmt")) return statement(node);
    if (node.is("UnaryExprOrTypeTraitExpr")) return {};
    if (node.is("ArraySubscriptExpr")) {
      // An index is part of the address; a row of an array is no element.
      Counts counts = expression(node.children.front());
      if (node.type != nullptr && node.type->kind != CType::Kind::array)
        counts["memory"] = counts["memory"] + 1;
      return counts;
    }
    if (node.is("CallExpr")) return call(node);
    Counts counts;
    if ((node.is("BinaryOperator") || node.is("CompoundAssignOperator")) && !is_literal(node)) {
      const char op = node.op.empty() ? ' ' : node.op.front();
      const bool is_arithmetic = std::string_view("+-*/%<>&|^").find(op) != std::string_view::npos;
      const bool compares = node.op == "<" || node.op == ">" || node.op == "<=" || node.op == ">=" ||
                            node.op == "==" || node.op == "!=";
      const bool real = is_real(node.type) || (compares && is_real(node.children.front().type));
      if (real && !compares && (op == '+' || op == '-')) counts["add"] = 1;
      if (real && op == '*') counts["mul"] = 1;
      if (real && op == '/') counts["div"] = 1;
      if ((!real || compares) && (is_arithmetic || compares) && node.op != "=" && node.op != "&&" &&
          node.op != "||")
        counts["integer"] = 1;
    }
    add(counts, expressions(node));
    return counts;
  }

  Counts call(const Node& node) {
    Counts counts;
    for (std::size_t i = 1; i < node.children.size(); ++i) add(counts, expression(node.children[i]));
    const Node* callee = callee_of(node);
    if (callee == nullptr) {
      note("a function is called through a pointer: it is not counted");
      return counts;
    }
    const Node* function = tree_.find_function(callee->name);
    if (function == nullptr || body_of(*function) == nullptr) {
      counts[callee->name] = counts[callee->name] + 1;
      return counts;
    }
    const std::vector<const Node*> parameters = parameters_of(*function);
    Counter inner(tree_, notes_);
    inner.active_ = active_;
    inner.names_ = names_;
    for (std::size_t i = 0; i < parameters.size() && i + 1 < node.children.size(); ++i)
      if (parameters[i]->type->kind == CType::Kind::integer)
        inner.bind(*parameters[i], formula(node.children[i + 1]));
    add(counts, inner.function(*function));
    return counts;
  }

  struct Header {
    int variable = -1;
    std::string name;
    Formula first;
    Formula limit;
    Formula::Step kind = Formula::Step::add;
    double step = 1;
  };

  static std::optional<double> literal(const Node& expression) {
    const Node& node = plain(expression);
    if (!node.is("IntegerLiteral")) return std::nullopt;
    return std::stod(node.value);
  }

  /// Reads `for (v = first; v < limit; v += step)` and its relatives.
  std::optional<Header> header_of(const Node& node) {
    Header header;
    const Node& start = node.children[0];
    if (start.is("DeclStmt") && start.children.size() == 1 && start.children[0].has_initialiser) {
      header.variable = start.children[0].declaration;
      header.name = start.children[0].name;
      header.first = formula(start.children[0].children.back());
    } else if (start.is("BinaryOperator") && start.op == "=" && plain(start.children[0]).is("DeclRefExpr")) {
      header.variable = plain(start.children[0]).declaration;
      header.name = plain(start.children[0]).name;
      header.first = formula(start.children[1]);
    } else {
      return std::nullopt;
    }
    const Node& condition = plain(node.children[2]);
    if (!condition.is("BinaryOperator") || plain(condition.children[0]).declaration != header.variable)
      return std::nullopt;
    header.limit = formula(condition.children[1]);
    if (condition.op == "<=")
      header.limit = header.limit + 1;
    else if (condition.op == ">=")
      header.limit = header.limit - 1;
    else if (condition.op != "<" && condition.op != ">" && condition.op != "!=")
      return std::nullopt;
    const bool ascends = condition.op.front() != '>';

    const Node& step = plain(node.children[3]);
    if (step.children.empty() || plain(step.children[0]).declaration != header.variable) return std::nullopt;
    if (step.is("UnaryOperator")) {
      header.step = step.op == "++" ? 1 : -1;
    } else if (step.is("CompoundAssignOperator")) {
      if (!set_step(header, step.op, step.children[1])) return std::nullopt;
    } else if (step.is("BinaryOperator") && step.op == "=") {
      const Node& value = plain(step.children[1]);
      if (!value.is("BinaryOperator") || plain(value.children[0]).declaration != header.variable ||
          !set_step(header, value.op + "=", value.children[1]))
        return std::nullopt;
    } else {
      return std::nullopt;
    }
    const bool goes_up =
        header.kind == Formula::Step::multiply || (header.kind == Formula::Step::add && header.step > 0);
    if (goes_up != ascends && condition.op != "!=") return std::nullopt;
    return header;
  }

  bool set_step(Header& header, const std::string& op, const Node& by) {
    const Formula amount = formula(by);
    const std::optional<double> number = literal(by);
    if (op == "+=" || op == "-=") {
      const double sign = op == "+=" ? 1 : -1;
      if (number) {
        header.step = sign * *number;
        return *number != 0;
      }
      // A step that is a formula: count in units of it.
      if (!amount.is_known()) return false;
      const Formula count = (header.limit - header.first + (amount - 1) * sign) / (amount * sign);
      scaled_.emplace(header.variable, std::pair(header.first, amount * sign));
      header.first = 0;
      header.limit = count;
      header.step = 1;
      return true;
    }
    if (!number) return false;
    if (op == "*=" || op == "/=") {
      header.kind = op == "*=" ? Formula::Step::multiply : Formula::Step::divide;
      header.step = *number;
      return *number > 1;
    }
    if (op == "<<=" || op == ">>=") {
      header.kind = op == "<<=" ? Formula::Step::multiply : Formula::Step::divide;
      header.step = static_cast<double>(1ULL << static_cast<unsigned>(*number));
      return *number > 0;
    }
    return false;
  }

  Counts loop(const Node& node) {
    const std::optional<Header> header = header_of(node);
    if (!header || !header->first.is_known() || !header->limit.is_known()) {
      note(fmt::format("line {}: the number of iterations of this loop is unknown: one is counted",
                       tree_.source.locate(node.place).line));
      Counts counts = statement_or_expression(node.children[4]);
      counts["iteration"] = counts["iteration"] + 1;
      return counts;
    }
    // Loops inside each other may use one name.
    const std::string name =
        ++names_[header->name] > 1 ? fmt::format("{}{}", header->name, names_[header->name]) : header->name;
    Formula value = Formula::variable(name);
    if (const auto scaled = scaled_.find(header->variable); scaled != scaled_.end()) {
      value = scaled->second.first + value * scaled->second.second;
      scaled_.erase(scaled);
    }
    known_[header->variable] = value;
    Counts body = statement_or_expression(node.children[4]);
    body["iteration"] = body["iteration"] + 1;
    known_.erase(header->variable);
    --names_[header->name];
    Counts counts;
    for (const auto& [kind, count] : body)
      counts[kind] = Formula::sum(name, header->first, header->limit, header->kind, header->step, count);
    return counts;
  }

  Counts statement_or_expression(const Node& node) {
    return node.kind.ends_with("Stmt") ? statement(node) : expression(node);
  }

  /// Returns an integer expression as a formula; unknown if it depends on data.
  Formula formula(const Node& expression) {
    const Node& node = plain(expression);
    if (node.is("IntegerLiteral")) return std::stod(node.value);
    if (node.is("CStyleCastExpr")) return formula(node.children.front());
    if (node.is("DeclRefExpr")) {
      if (const auto value = tree_.enumerators.find(node.declaration); value != tree_.enumerators.end())
        return static_cast<double>(value->second);
      const auto found = known_.find(node.declaration);
      return found == known_.end() ? Formula::unknown() : found->second;
    }
    if (node.is("UnaryOperator") && node.op == "-") return Formula(0) - formula(node.children.front());
    if (!node.is("BinaryOperator")) return Formula::unknown();
    const Formula a = formula(node.children[0]), b = formula(node.children[1]);
    if (!a.is_known() || !b.is_known()) return Formula::unknown();
    if (node.op == "+") return a + b;
    if (node.op == "-") return a - b;
    if (node.op == "*") return a * b;
    if (node.op == "/") return a / b;
    if (node.op == "%") return a % b;
    if (node.op == "<<") return a << b;
    if (node.op == ">>") return a >> b;
    return Formula::unknown();
  }

  const SyntaxTree& tree_;
  std::vector<std::string>& notes_;
  std::map<int, Formula> known_;
  std::map<int, int> assigned_;
  std::map<int, std::pair<Formula, Formula>> scaled_;
  std::map<std::string, int> names_;
  std::set<std::string> active_;
};

}  // namespace

OperationCounts count_operations(const SyntaxTree& tree, const Node& function) {
  OperationCounts result;
  Counter counter(tree, result.notes);
  for (const Node* parameter : parameters_of(function))
    if (parameter->type->kind == CType::Kind::integer)
      counter.bind(*parameter, Formula::variable(parameter->name));
  result.counts = counter.function(function);
  std::erase_if(result.counts, [](const auto& entry) { return entry.second.is_zero(); });
  return result;
}

}  // namespace takt::frontend
