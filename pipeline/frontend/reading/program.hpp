#pragma once
/// A program as read: its procedures, arrays and calls, and the data that pass between calls.
///
/// Main is evaluated, so a program is the sequence of its calls with concrete sections and numbers. The value
/// of an array element is never known.

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ids.hpp"
#include "pipeline/frontend/reading/source_text.hpp"

namespace takt::frontend {

using ArrayId = Id<struct ArrayTag>;
using ProcedureId = Id<struct ProcedureTag>;
using CallId = Id<struct CallTag>;
using FlowId = Id<struct FlowTag>;

/// How a procedure uses the section that a pointer parameter points to.
enum class Access : std::uint8_t { in, out, inout };

/// One parameter of a procedure.
struct Parameter {
  std::string name;
  Place place;
  /// Pointers name sections; all others are numbers, which are known when the graph is made.
  bool is_pointer = false;
  /// From const, or from takt_in, takt_out, takt_inout.
  Access access = Access::in;
};

struct Procedure {
  std::string name;
  /// The name in the definition.
  Place place;
  std::vector<Parameter> parameters;
  /// What it uses of files, the terminal, or hidden state of the C library: names of functions and streams,
  /// also through callees. Such calls keep their order, and all run on one rank.
  std::set<std::string> environment = {};
  /// It comes from the C library, such as printf, and has no definition in the program.
  bool is_from_library = false;

  [[nodiscard]] bool uses_environment() const { return !environment.empty(); }
};

/// An array, scalar or allocation that calls pass by address.
struct Array {
  /// An expression that is valid at file scope in the generated program: `data`, `block[3]`.
  std::string name;
  Place place;
  std::uint64_t bytes = 0;
  /// The allocation, as an expression: `malloc(512)`; empty for a declared array.
  std::string allocation = {};
  /// Its initial values are in the program's text, so every rank has them.
  bool is_initialised = false;
  /// Bytes of an element of the basic type, and its C name: 8, `double`.
  std::uint64_t element_bytes = 1;
  std::string element = "char";
  /// Extents of the declared array, outermost first; of an allocation its number of elements.
  std::vector<std::uint64_t> extents = {};
};

/// `rows` runs of `bytes` bytes of an array, `pitch` apart. One row is a contiguous section.
struct Section {
  ArrayId array;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rows = 1;
  std::uint64_t pitch = 0;

  [[nodiscard]] std::uint64_t size() const { return bytes * rows; }
  friend auto operator<=>(const Section&, const Section&) = default;
};

/// An argument of a call.
struct Argument {
  /// As C, with numbers in place of main's variables: `data[3][0]`, `2`.
  std::string text;
  Place place;
  /// The section of a pointer parameter.
  std::optional<Section> section = {};
  /// The value of a number that is an integer, or of a real one.
  std::optional<std::int64_t> integer = {};
  std::optional<double> real = {};
};

/// A call in main: a task.
struct Call {
  ProcedureId procedure;
  Place place;
  std::vector<Argument> arguments;
};

/// Data from the call that wrote them to those that read them: a message if a reader is on another rank.
struct Flow {
  CallId from;
  /// Disjoint sections, in order; usually one.
  std::vector<Section> sections;
  /// The sections as C: `data[3][0]`.
  std::string text;
  /// Calls in the order of the program, each once.
  std::vector<CallId> to;

  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const Section& section : sections) sum += section.size();
    return sum;
  }
};

/// Two calls whose order matters where one rank executes both, although no data pass between them: both use
/// the environment, or the second updates what the first reads.
struct Precedence {
  CallId before;
  CallId after;
};

struct Program {
  SourceText source;
  /// `NAME=VALUE` for each parameter.
  std::vector<std::string> parameters;
  std::vector<Procedure> procedures;
  std::vector<Array> arrays;
  std::vector<Call> calls;
  /// In the order of their first readers, then of the readers' arguments.
  std::vector<Flow> flows;
  std::vector<Precedence> precedences;
  /// The definition of main, and declarations at file scope of its variables that calls or allocations use:
  /// `static double data[4][8];`.
  Place main;
  std::vector<std::string> declarations;
  /// The value that main returns.
  int exit_code = 0;

  [[nodiscard]] const Procedure& procedure(const Call& call) const {
    return procedures[call.procedure.index()];
  }
  /// Returns the call as C: `InterSum(data[3][0], data[3][2], data[2][0], 2)`.
  [[nodiscard]] std::string text_of(CallId call) const;
};

/// Receives each call in the order of the program, whose procedures and arrays the call names. Returns its
/// violations of the rules.
using OnProgramCall = std::function<std::vector<Violation>(Call call)>;

}  // namespace takt::frontend
