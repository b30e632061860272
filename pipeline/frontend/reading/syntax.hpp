#pragma once
/// The syntax tree of a program, as clang sees it.
///
/// clang runs as a program and prints its tree as JSON (`-ast-dump=json`), so takt needs no library of clang
/// to be built. The tree keeps the definitions of the program itself and of headers that are not the
/// system's.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/frontend/reading/c_type.hpp"
#include "pipeline/frontend/reading/source_text.hpp"

namespace takt::frontend {

/// Kinds of nodes that the evaluation of main distinguishes: statements, then expressions.
enum class Form : std::uint8_t {
  other,
  absent,
  compound,
  declarations,
  for_loop,
  while_loop,
  do_loop,
  condition,
  choice,
  label,
  break_loop,
  continue_loop,
  leave,
  empty,
  implicit_cast,
  explicit_cast,
  integer,
  truth,
  real,
  text,
  wrapper,
  reference,
  unary,
  binary,
  conditional,
  call,
  type_size,
  block,
  subscript,
  member
};

/// A node of the tree. `kind` is clang's name of it, such as `ForStmt`.
struct Node {
  std::string kind;
  Form form = Form::absent;
  /// In the program's own text; unknown in headers.
  Place place;
  /// First token.
  Place begin;
  /// First character after the node's last token.
  std::uint32_t end = 0;
  /// Name of a declaration, of a member, or of what a reference refers to.
  std::string name;
  const CType* type = nullptr;
  /// Operator, or kind of a cast.
  std::string op;
  /// Of a literal.
  std::string value;
  /// The declaration that this node is or refers to: a dense number, -1 if there is none.
  int declaration = -1;
  /// Kind of the declaration that a reference refers to.
  std::string refers_to;
  bool is_postfix = false, is_arrow = false, is_static = false, is_extern = false, has_else = false,
       has_initialiser = false;
  std::vector<Node> children;

  [[nodiscard]] bool is(std::string_view name_of_kind) const { return kind == name_of_kind; }
  /// Reports an absent part, such as the condition of `for (;;)`.
  [[nodiscard]] bool is_absent() const { return kind.empty(); }
};

struct SyntaxTree {
  SourceText source;
  CTypes types;
  /// Definitions of functions by name, and prototypes of those without a definition.
  std::map<std::string, Node, std::less<>> functions;
  /// Variables at file scope by the number of their declaration.
  std::map<int, Node> globals;
  /// Values of enumerators by the number of their declaration.
  std::map<int, std::int64_t> enumerators;

  [[nodiscard]] const Node* find_function(std::string_view name) const;
};

/// Returns the body of a function, or null for a prototype.
[[nodiscard]] const Node* body_of(const Node& function);
/// Returns its parameters.
[[nodiscard]] std::vector<const Node*> parameters_of(const Node& function);
/// Returns the called function of a CallExpr, or null if it is computed.
[[nodiscard]] const Node* callee_of(const Node& call);
/// Returns the expression without parentheses and implicit casts.
[[nodiscard]] const Node& plain(const Node& expression);

/// Calls `action` for a node and all nodes below it.
template <class Action>
void for_each_node(const Node& node, const Action& action) {
  action(node);
  for (const Node& child : node.children) for_each_node(child, action);
}

/// A program's file with the values of its parameters.
struct ProgramName {
  std::string file;
  /// Name and value.
  std::vector<std::pair<std::string, std::string>> parameters = {};

  /// Returns `fft.c:PN=8,SN=4`.
  [[nodiscard]] std::string to_string() const;
};

/// Returns the text of the file with its parameters set: a `#define` of a parameter gets the value, in the
/// same line. Throws ConfigError for a parameter whose name does not occur in the text.
[[nodiscard]] std::string text_with_parameters(const ProgramName& name, const std::string& text);

/// Runs clang over the program, followed by `appended`. Throws ConfigError with clang's own messages if the
/// program is not C, or if clang is not installed.
[[nodiscard]] SyntaxTree parse_program(const ProgramName& name, const std::string& appended = {});

}  // namespace takt::frontend
