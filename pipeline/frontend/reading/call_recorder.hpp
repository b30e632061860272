#pragma once
/// Turns the calls that main makes into calls of a program: procedures, arrays, arguments, sections.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/frontend/reading/evaluator.hpp"
#include "pipeline/frontend/reading/memory.hpp"
#include "pipeline/frontend/reading/procedures.hpp"
#include "pipeline/frontend/reading/program.hpp"
#include "pipeline/frontend/reading/syntax.hpp"

namespace takt::frontend {

class CallRecorder {
 public:
  /// Without texts the arguments of calls have none, which is faster.
  CallRecorder(SyntaxTree& tree, Memory& memory, Program& program, bool has_texts, OnProgramCall on_call)
      : tree_(tree),
        memory_(memory),
        program_(program),
        has_texts_(has_texts),
        on_call_(std::move(on_call)) {}

  /// Passes a call on. Keeps its violations; throws EvaluationStopped after too many of them.
  void add(Evaluator& evaluator, const Node& node, const Node& function, std::vector<Value> values);

  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  /// Returns the facts of each procedure of the program, in their order.
  [[nodiscard]] const std::vector<ProcedureFacts>& facts() const { return facts_; }

 private:
  [[nodiscard]] ProcedureId procedure_of(const Node& function);
  [[nodiscard]] Argument argument_of(Evaluator& evaluator, const ProcedureFacts& facts, std::size_t number,
                                     const std::vector<Value>& values, const Node& node);
  [[nodiscard]] Section section_of(Evaluator& evaluator, const ProcedureFacts& facts, std::size_t number,
                                   const Address& address, const std::vector<Value>& values,
                                   const Node& node);
  [[nodiscard]] ArrayId array_of(std::size_t object, const Node& node);
  void refuse(Violation violation);

  SyntaxTree& tree_;
  Memory& memory_;
  Program& program_;
  bool has_texts_;
  OnProgramCall on_call_;
  std::map<std::string, ProcedureId, std::less<>> procedures_;
  std::vector<ProcedureFacts> facts_;
  std::vector<Violation> violations_;
  std::map<std::string, std::size_t> names_;
};

}  // namespace takt::frontend
