#include "pipeline/frontend/reading/procedures.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "pipeline/frontend/reading/numbers.hpp"

namespace takt::frontend {

namespace {

constexpr auto pure_functions = std::to_array<std::string_view>({
    "abort",     "abs",    "acos",     "acosh",   "asin",          "asinh",         "atan",     "atan2",
    "atanh",     "atof",   "atoi",     "atol",    "cabs",          "calloc",        "carg",     "cbrt",
    "ccos",      "ceil",   "cexp",     "cimag",   "clog",          "conj",          "copysign", "cos",
    "cosh",      "cpow",   "creal",    "csin",    "csqrt",         "erf",           "erfc",     "exit",
    "exp",       "exp2",   "expm1",    "fabs",    "fdim",          "floor",         "fma",      "fmax",
    "fmin",      "fmod",   "free",     "frexp",   "hypot",         "labs",          "ldexp",    "lgamma",
    "llabs",     "llrint", "llround",  "log",     "log10",         "log1p",         "log2",     "lrint",
    "lround",    "malloc", "memchr",   "memcmp",  "memcpy",        "memmove",       "memset",   "modf",
    "nearbyint", "pow",    "qsort",    "realloc", "remainder",     "rint",          "round",    "scalbn",
    "sin",       "sinh",   "snprintf", "sprintf", "sqrt",          "sscanf",        "strchr",   "strcmp",
    "strcpy",    "strlen", "strncmp",  "strncpy", "strstr",        "strtod",        "strtol",   "strtoul",
    "tan",       "tanh",   "tgamma",   "trunc",   "__assert_fail", "__ctype_b_loc",
});

/// Returns the position after the bracket that closes the one at `open`.
std::size_t after_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']')
      if (--depth == 0) return i + 1;
  }
  return text.size();
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      parts.emplace_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (text[i] == '(' || text[i] == '[') {
      ++depth;
    } else if (text[i] == ')' || text[i] == ']') {
      --depth;
    }
  }
  return parts;
}

/// The text of a parameter, split into what takt reads and what a compiler reads.
struct ParameterText {
  std::string declaration;
  std::optional<Access> access;
  /// Expressions of takt_extent or takt_tile.
  std::vector<std::string> annotated;
  /// The first extent of a declared array.
  std::string declared;
};

void read_word(ParameterText& result, const std::string& word, const std::string& arguments) {
  if (word == "takt_in") result.access = Access::in;
  if (word == "takt_out") result.access = Access::out;
  if (word == "takt_inout") result.access = Access::inout;
  if (word == "takt_extent" || word == "takt_tile") result.annotated = split(arguments);
}

std::string first_extent(std::string_view declaration) {
  const std::size_t open = declaration.find('[');
  // In `double (*a)[8]` the extent is that of the element.
  if (open == std::string_view::npos || declaration.substr(0, open).find('(') != std::string_view::npos)
    return {};
  const std::size_t end = after_bracket(declaration, open);
  std::string_view inside = declaration.substr(open + 1, end - open - 2);
  for (bool found = true; found;) {
    found = false;
    while (inside.starts_with(' ')) inside.remove_prefix(1);
    for (std::string_view word : {"static ", "const ", "restrict ", "volatile "})
      if (inside.starts_with(word)) {
        inside.remove_prefix(word.size());
        found = true;
      }
  }
  return std::string(inside);
}

ParameterText parse_parameter(std::string_view text) {
  ParameterText result;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word_character(text[i])) {
      result.declaration += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::string word(text.substr(i, end - i));
    i = end;
    if (!word.starts_with("takt_")) {
      result.declaration += word;
      continue;
    }
    std::string arguments;
    const std::size_t open = text.find_first_not_of(" \t\n", end);
    if ((word == "takt_extent" || word == "takt_tile") && open != std::string_view::npos &&
        text[open] == '(') {
      i = after_bracket(text, open);
      arguments = text.substr(open + 1, i - open - 2);
    }
    read_word(result, word, arguments);
  }
  result.declared = first_extent(result.declaration);
  return result;
}

/// Returns the parameters of a function as written; empty for one in a header or from a macro.
std::vector<ParameterText> parameter_texts(const SyntaxTree& tree, const Node& function) {
  const std::string_view text = tree.source.text();
  if (function.place.length == 0 || tree.source.at(function.place) != function.name) return {};
  const std::size_t open = text.find('(', function.place.offset);
  if (open == std::string_view::npos) return {};
  const std::size_t end = after_bracket(text, open);
  std::vector<ParameterText> parameters;
  for (const std::string& part : split(without_comments(text.substr(open + 1, end - open - 2))))
    parameters.push_back(parse_parameter(part));
  return parameters;
}

std::string probe_name(const std::string& function, std::size_t parameter, std::size_t number) {
  return fmt::format("takt_probe_{}_{}_{}", function, parameter, number);
}

/// Returns the expressions of a parameter's extent, and whether they are annotated.
std::pair<std::vector<std::string>, bool> extent_of(const ParameterText& parameter) {
  if (!parameter.annotated.empty()) return {parameter.annotated, true};
  if (!parameter.declared.empty()) return {{parameter.declared}, false};
  return {};
}

bool is_data_pointer(const CType* type) {
  return type->kind == CType::Kind::pointer || type->kind == CType::Kind::array;
}

/// Reports whether a pointer parameter is used as `*p`, `p->x` or `p[0]` only.
bool is_used_for_one_element(const Node& body, const Node& parameter) {
  std::size_t uses = 0, single_uses = 0;
  const auto refers = [&](const Node& node) {
    const Node& inner = plain(node);
    return inner.is("DeclRefExpr") && inner.declaration == parameter.declaration;
  };
  for_each_node(body, [&](const Node& node) {
    if (node.is("DeclRefExpr") && node.declaration == parameter.declaration) ++uses;
    if (node.is("UnaryOperator") && node.op == "*" && refers(node.children.front())) ++single_uses;
    if (node.is("MemberExpr") && node.is_arrow && refers(node.children.front())) ++single_uses;
    if (node.is("ArraySubscriptExpr") && refers(node.children.front())) {
      const Node& index = plain(node.children.back());
      if (index.is("IntegerLiteral") && index.value == "0") ++single_uses;
    }
  });
  return uses == single_uses;
}

/// Visits a function and all functions of the program that it calls, each once.
class Reach {
 public:
  Reach(const SyntaxTree& tree, ProcedureFacts& facts) : tree_(tree), facts_(facts) {}

  void visit(const Node& function) {
    if (!seen_.insert(function.name).second) return;
    const Node* body = body_of(function);
    if (body == nullptr) return;
    std::set<int> reported;
    for_each_node(*body, [&](const Node& node) {
      if (node.is("CallExpr")) call(node);
      if (node.is("DeclRefExpr") && node.refers_to == "VarDecl") global(function, node, reported);
      if (node.is("DeclRefExpr") && node.refers_to == "FunctionDecl") named(node);
      if (node.is("VarDecl") && node.is_static && !node.type->is_const) local(function, node);
    });
  }

 private:
  /// A function whose address is taken may be called, as by qsort.
  void named(const Node& node) {
    if (const Node* function = tree_.find_function(node.name); function != nullptr) visit(*function);
  }

  void call(const Node& node) {
    const Node* callee = callee_of(node);
    if (callee == nullptr) {
      facts_.procedure.environment.insert("a function pointer");
      return;
    }
    const Node* function = tree_.find_function(callee->name);
    if (function != nullptr && body_of(*function) != nullptr)
      visit(*function);
    else if (!is_pure_library_function(callee->name))
      facts_.procedure.environment.insert(callee->name);
  }

  void global(const Node& function, const Node& node, std::set<int>& reported) {
    const auto found = tree_.globals.find(node.declaration);
    if (found == tree_.globals.end()) return;
    const Node& variable = found->second;
    // Its initial value may name functions, and other variables.
    if (seen_variables_.insert(node.declaration).second)
      for_each_node(variable, [&](const Node& each) {
        if (!each.is("DeclRefExpr")) return;
        if (each.refers_to == "FunctionDecl") named(each);
        if (each.refers_to == "VarDecl") global(function, each, reported);
      });
    const bool points_to_variable = has_pointer_to_variable(variable.type);
    if (variable.type->is_const && !points_to_variable) return;
    // Files of the C library.
    if (variable.place.length == 0) {
      facts_.procedure.environment.insert(node.name);
      return;
    }
    if (!reported.insert(node.declaration).second) return;
    facts_.violations.push_back(
        {.place = node.place,
         .rule = "global-variable",
         .message = fmt::format("{} uses the global variable '{}'{}: a procedure uses its parameters only",
                                function.name, node.name,
                                function.name == facts_.procedure.name
                                    ? ""
                                    : fmt::format(", and is called by {}", facts_.procedure.name)),
         .other = variable.place,
         .note = fmt::format("'{}' is declared here", node.name),
         .rewrite = points_to_variable
                        ? "pass what it points to as a parameter, or declare pointer and target const"
                        : fmt::format("pass '{0}' as a parameter, or declare it const if it never changes",
                                      node.name)});
  }

  void local(const Node& function, const Node& node) {
    facts_.violations.push_back(
        {.place = node.place,
         .rule = "static-state",
         .message = fmt::format("the static variable '{}' keeps a value between calls of {}", node.name,
                                function.name),
         .rewrite = fmt::format("pass '{}' as a parameter (takt_inout), or remove static", node.name)});
  }

  const SyntaxTree& tree_;
  ProcedureFacts& facts_;
  std::set<std::string> seen_;
  std::set<int> seen_variables_;
};

}  // namespace

bool is_pure_library_function(std::string_view name) {
  if (std::ranges::find(pure_functions, name) != pure_functions.end()) return true;
  // sinf, sinl: the same functions for float and long double; builtins of the compiler.
  if (name.starts_with("__builtin_")) return true;
  return !name.empty() && (name.back() == 'f' || name.back() == 'l') &&
         std::ranges::find(pure_functions, name.substr(0, name.size() - 1)) != pure_functions.end();
}

std::string extent_probes(const SyntaxTree& tree) {
  std::string text;
  for (const auto& [name, function] : tree.functions) {
    if (body_of(function) == nullptr || name == "main") continue;
    const std::vector<ParameterText> parameters = parameter_texts(tree, function);
    std::string list;
    for (const ParameterText& parameter : parameters)
      list += (list.empty() ? "" : ",") + parameter.declaration;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto [expressions, is_annotated] = extent_of(parameters[i]);
      for (std::size_t j = 0; j < expressions.size(); ++j)
        text += fmt::format("static unsigned long {}({}) {{ return (unsigned long)({}); }}\n",
                            probe_name(name, i, j), list, expressions[j]);
    }
  }
  return text;
}

ProcedureFacts facts_of(const SyntaxTree& tree, const Node& function) {
  ProcedureFacts facts;
  facts.definition = &function;
  facts.procedure.name = function.name;
  facts.procedure.place = function.place;
  const Node* body = body_of(function);
  facts.procedure.is_from_library = body == nullptr;
  const std::vector<ParameterText> texts = parameter_texts(tree, function);
  const std::vector<const Node*> parameters = parameters_of(function);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Node& node = *parameters[i];
    Parameter parameter{.name = node.name, .place = node.place, .is_pointer = is_data_pointer(node.type)};
    if (node.type->is_reference)
      facts.violations.push_back(
          {.place = node.place,
           .rule = "references",
           .message = fmt::format("the parameter '{}' of {} is a reference: takt reads "
                                  "pointers and numbers",
                                  node.name, function.name),
           .rewrite = "declare a pointer, and pass the address"});
    std::optional<Extent> extent;
    bool is_single = true;
    if (parameter.is_pointer) {
      parameter.access = node.type->element->is_const ? Access::in : Access::out;
      if (i < texts.size() && body != nullptr) {
        if (texts[i].access) parameter.access = *texts[i].access;
        const auto [expressions, is_annotated] = extent_of(texts[i]);
        if (!expressions.empty()) {
          extent.emplace(Extent{.is_annotated = is_annotated});
          for (std::size_t j = 0; j < expressions.size(); ++j)
            extent->probes.push_back(probe_name(function.name, i, j));
        }
      }
      if (body != nullptr) is_single = is_used_for_one_element(*body, node);
    }
    facts.procedure.parameters.push_back(std::move(parameter));
    facts.extents.push_back(std::move(extent));
    facts.is_single.push_back(is_single);
  }
  if (body != nullptr)
    Reach(tree, facts).visit(function);
  else if (!is_pure_library_function(function.name))
    facts.procedure.environment.insert(function.name);
  return facts;
}

}  // namespace takt::frontend
