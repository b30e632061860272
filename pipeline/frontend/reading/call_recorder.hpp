#pragma once
/// Turns the calls that main makes into calls of a Program: arguments, sections, dependences, violations.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/frontend/reading/dependences.hpp"
#include "pipeline/frontend/reading/evaluator.hpp"
#include "pipeline/frontend/reading/memory.hpp"
#include "pipeline/frontend/reading/procedures.hpp"
#include "pipeline/frontend/reading/program.hpp"
#include "pipeline/frontend/reading/syntax.hpp"

namespace takt::frontend {

class CallRecorder {
 public:
  CallRecorder(SyntaxTree& tree, Memory& memory, Program& program)
      : tree_(tree), memory_(memory), program_(program), dependences_(program) {}

  /// Adds a call. Keeps its violations; throws EvaluationStopped after too many of them.
  void add(Evaluator& evaluator, const Node& node, const Node& function, std::vector<Value> values);

  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  /// Returns the facts of each procedure of the program, in their order.
  [[nodiscard]] const std::vector<ProcedureFacts>& facts() const { return facts_; }

 private:
  [[nodiscard]] ProcedureId procedure_of(const Node& function);
  [[nodiscard]] Argument argument_of(Evaluator& evaluator, const ProcedureFacts& facts, std::size_t number,
                                     const std::vector<Value>& values, const Node& node);
  [[nodiscard]] Section section_of(Evaluator& evaluator, const ProcedureFacts& facts, std::size_t number,
                                   const Address& address, const std::vector<Value>& values, const Node& node,
                                   const std::string& text);
  [[nodiscard]] ArrayId array_of(std::size_t object, const Node& node);
  void refuse(Violation violation);

  SyntaxTree& tree_;
  Memory& memory_;
  Program& program_;
  Dependences dependences_;
  std::map<std::string, ProcedureId, std::less<>> procedures_;
  std::vector<ProcedureFacts> facts_;
  std::vector<Violation> violations_;
  std::map<std::string, std::size_t> names_;
};

}  // namespace takt::frontend
