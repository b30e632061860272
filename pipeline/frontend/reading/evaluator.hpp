#pragma once
/// Evaluates main: its loops, conditions and numbers, and the calls of procedures in their order.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/frontend/reading/memory.hpp"
#include "pipeline/frontend/reading/syntax.hpp"

namespace takt::frontend {

/// Main cannot be evaluated further.
struct EvaluationStopped {
  Violation violation;
};

/// A tree-walking interpreter for the part of C that decides which calls are made. Integers wrap as those of
/// their types. A value that depends on data stops the evaluation where something depends on it.
class Evaluator {
 public:
  /// Called for each call of a procedure: the call's node, the function's, and the arguments.
  using OnCall = std::function<void(const Node& call, const Node& function, std::vector<Value> arguments)>;

  Evaluator(SyntaxTree& tree, Memory& memory, OnCall on_call);

  /// Runs main to its end; returns its exit code. Throws EvaluationStopped.
  int run_main();
  /// Returns the result of a function for these arguments. Throws EvaluationStopped.
  Value call_function(const Node& function, std::vector<Value> arguments, const Node& call);
  /// Variables of main that hold pointers to allocations, in the order of their declarations.
  [[nodiscard]] const std::vector<std::size_t>& variables() const { return variables_; }

  /// Returns the number as C; exact for real ones. Empty for other values.
  /// With its type, `5L` and `1U`, where no parameter declares one.
  [[nodiscard]] static std::string number_text(const Value& value, const CType* type, bool with_type);

 private:
  enum class Flow : std::uint8_t { next, break_loop, continue_loop, leave };

  Flow execute(const Node& statement);
  Flow execute_all(const Node& block);
  Flow loop(const Node& statement, const Node* condition, const Node* step, const Node& body, bool is_do);
  Flow choose(const Node& statement);
  void declare_variable(const Node& variable);
  void initialise(const Address& at, const Node& initialiser);
  std::size_t object_of(const Node& reference);
  std::size_t make_object(const Node& variable);
  [[nodiscard]] bool is_at_file_scope(const std::string& name) const;
  const CType* with_extents(const CType* type, const Node& variable);

  Value evaluate(const Node& expression);
  Value literal(const Node& expression);
  Address lvalue(const Node& expression);
  Address base_of(const Node& member);
  Value converted(const Node& expression);
  Value size_of(const Node& expression);
  Value load(const Address& address, const Node& expression);
  void store(const Address& address, Value value, const Node& expression);
  Value cast(Value value, const Node& expression);
  Value unary(const Node& expression);
  Value binary(const Node& expression);
  Value apply(const std::string& op, const Value& left, const Value& right, const Node& expression);
  Value assign(const Node& expression);
  Value call(const Node& expression);
  Value library(const std::string& name, const std::vector<Value>& arguments, const Node& expression);
  Value allocate(const Node& expression, std::int64_t bytes, const std::string& text);
  Value moved(Address address, std::int64_t elements, const Node& expression);
  Address element(const Node& subscript);
  bool is_true(const Value& value, const Node& expression, std::string_view what);
  std::int64_t integer(const Value& value, const Node& expression, std::string_view what);
  void count_steps(const Node& node, std::uint64_t steps = 1);

  [[noreturn]] void stop(const Node& node, std::string rule, std::string message, std::string rewrite = {},
                         Place other = {}, std::string note = {}) const;
  [[noreturn]] void stop_for_data(const Node& node, const DataValue& value, std::string_view what) const;

  /// A call of a function takes as long as some iterations.
  static constexpr std::uint64_t steps_per_call = 20;
  static constexpr std::size_t unbound = static_cast<std::size_t>(-1);
  /// Returns the object of a declaration, or `unbound`.
  [[nodiscard]] std::size_t binding(int declaration) const {
    const auto index = static_cast<std::size_t>(declaration);
    return index < bindings_.size() ? bindings_[index] : unbound;
  }
  void bind(int declaration, std::size_t object) {
    const auto index = static_cast<std::size_t>(declaration);
    if (index >= bindings_.size()) bindings_.resize(index + 1, unbound);
    if (depth_ > 0) replaced_.emplace_back(index, bindings_[index]);
    bindings_[index] = object;
  }
  /// Objects by the numbers of their declarations. Calls may evaluate functions, whose parameters hide those
  /// of the same function further out; the end of a function restores what it replaced.
  std::vector<std::size_t> bindings_;
  std::vector<std::pair<std::size_t, std::size_t>> replaced_;

  SyntaxTree& tree_;
  Memory& memory_;
  OnCall on_call_;
  std::vector<std::size_t> variables_;
  Value result_;
  bool is_in_main_ = true;
  /// Node to blame for what happens inside a function.
  const Node* outer_call_ = nullptr;
  std::uint64_t steps_since_call_ = 0, depth_ = 0;
};

}  // namespace takt::frontend
