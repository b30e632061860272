#pragma once
/// Reads a sequential C program: a main that calls procedures on sections of arrays.

#include <optional>
#include <string>
#include <string_view>

#include "pipeline/frontend/reading/procedures.hpp"
#include "pipeline/frontend/reading/program.hpp"
#include "pipeline/frontend/reading/syntax.hpp"

namespace takt::frontend {

/// A program with the tree that it was read from, for estimates of its procedures.
struct ReadProgram {
  SyntaxTree tree;
  Program program;
  /// Of each procedure of the program.
  std::vector<ProcedureFacts> facts;
};

/// Returns the file and the parameters of `fft.c:PN=8,SN=4`, or of a file alone; nothing if the text names no
/// C or C++ file. Throws ConfigError for parameters that are not NAME=VALUE.
[[nodiscard]] std::optional<ProgramName> program_name(std::string_view text);

/// Reads a program up to main, which is not evaluated: it has no calls, procedures and arrays yet. Throws
/// ConfigError if the file is not readable, is not C, or clang is not installed.
[[nodiscard]] ReadProgram parse_procedures(const ProgramName& name);

/// Evaluates main: sets procedures, facts and arrays, and passes each call on, with the texts of its
/// arguments or without. May be repeated: the ids are the same. Throws ProgramError with all violations
/// found.
void visit_calls(ReadProgram& program, bool has_texts, const OnProgramCall& on_call);

/// Reads a program with its parameters, and stores its calls. Throws ProgramError with all violations found,
/// and ConfigError if the file is not readable, is not C, or clang is not installed. O(calls) besides the
/// evaluation of main.
[[nodiscard]] ReadProgram read_program(const ProgramName& name);

}  // namespace takt::frontend
