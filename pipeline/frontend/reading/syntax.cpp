#include "pipeline/frontend/reading/syntax.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/system/text_file.hpp"
#include "pipeline/frontend/reading/command.hpp"
#include "pipeline/frontend/reading/sections_header.hpp"

namespace takt::frontend {

namespace {

using Json = nlohmann::json;

/// Returns the position after `#define NAME`, or npos if the line defines another name or none.
std::size_t behind_define(std::string_view line, std::string_view name) {
  std::size_t at = line.find_first_not_of(" \t");
  const auto skip_blanks = [&] { at = std::min(line.find_first_not_of(" \t", at), line.size()); };
  if (at == std::string_view::npos || line[at] != '#') return std::string_view::npos;
  ++at;
  skip_blanks();
  if (!line.substr(at).starts_with("define")) return std::string_view::npos;
  at += 6;
  skip_blanks();
  if (!line.substr(at).starts_with(name)) return std::string_view::npos;
  at += name.size();
  const bool ends = at == line.size() || line[at] == ' ' || line[at] == '\t' || line[at] == '\r';
  return ends ? at : std::string_view::npos;
}

/// Returns the text with the value of every `#define NAME`; sets `is_defined` if there is one.
std::string with_value(const std::string& text, const std::string& name, const std::string& value,
                       bool& is_defined) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const std::size_t at = behind_define(line, name);
    if (at == std::string_view::npos) {
      result += line;
    } else {
      is_defined = true;
      result += fmt::format("{} {}", line.substr(0, at), value);
      // A comment after the value stays.
      const std::size_t comment = std::min(line.find("/*", at), line.find("//", at));
      if (comment != std::string_view::npos) result += fmt::format(" {}", line.substr(comment));
    }
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(text[at - 1])) &&
        (end == text.size() || !is_word_character(text[end])))
      return true;
  }
  return false;
}

/// Returns the names that the text defines as numbers, for error messages.
std::vector<std::string> defined_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find("#define "); at != std::string_view::npos;
       at = text.find("#define ", at + 1)) {
    std::size_t end = at + 8;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end < text.size() && text[end] != '(' && text[end] != '\n')
      names.emplace_back(text.substr(at + 8, end - at - 8));
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Form form_of(const std::string& kind) {
  static const std::map<std::string, Form, std::less<>> forms{{"", Form::absent},
                                                              {"CompoundStmt", Form::compound},
                                                              {"DeclStmt", Form::declarations},
                                                              {"ForStmt", Form::for_loop},
                                                              {"WhileStmt", Form::while_loop},
                                                              {"DoStmt", Form::do_loop},
                                                              {"IfStmt", Form::condition},
                                                              {"SwitchStmt", Form::choice},
                                                              {"CaseStmt", Form::label},
                                                              {"DefaultStmt", Form::label},
                                                              {"BreakStmt", Form::break_loop},
                                                              {"ContinueStmt", Form::continue_loop},
                                                              {"ReturnStmt", Form::leave},
                                                              {"NullStmt", Form::empty},
                                                              {"ImplicitCastExpr", Form::implicit_cast},
                                                              {"CStyleCastExpr", Form::explicit_cast},
                                                              {"CXXStaticCastExpr", Form::explicit_cast},
                                                              {"CXXFunctionalCastExpr", Form::explicit_cast},
                                                              {"IntegerLiteral", Form::integer},
                                                              {"CharacterLiteral", Form::integer},
                                                              {"CXXBoolLiteralExpr", Form::truth},
                                                              {"FloatingLiteral", Form::real},
                                                              {"StringLiteral", Form::text},
                                                              {"ParenExpr", Form::wrapper},
                                                              {"ConstantExpr", Form::wrapper},
                                                              {"DeclRefExpr", Form::reference},
                                                              {"UnaryOperator", Form::unary},
                                                              {"BinaryOperator", Form::binary},
                                                              {"CompoundAssignOperator", Form::binary},
                                                              {"ConditionalOperator", Form::conditional},
                                                              {"CallExpr", Form::call},
                                                              {"UnaryExprOrTypeTraitExpr", Form::type_size},
                                                              {"StmtExpr", Form::block},
                                                              {"ArraySubscriptExpr", Form::subscript},
                                                              {"MemberExpr", Form::member}};
  const auto found = forms.find(kind);
  return found == forms.end() ? Form::other : found->second;
}

/// Converts clang's JSON into nodes.
class TreeReader {
 public:
  TreeReader(SyntaxTree& tree, std::string file) : tree_(tree), file_(std::move(file)) {}

  void read(const Json& unit) {
    collect_types(unit);
    for (const Json& child : unit.at("inner")) {
      const Json* name = find(child, "name");
      const std::string kind = child.value("kind", "");
      const bool is_wanted = kind == "FunctionDecl" || kind == "VarDecl" || kind == "EnumDecl";
      Node node = convert(child, is_wanted && name != nullptr);
      if (kind == "FunctionDecl")
        add_function(std::move(node));
      else if (kind == "VarDecl")
        add_global(std::move(node));
    }
    number_enumerators(unit);
  }

 private:
  static const Json* find(const Json& node, const char* key) {
    const auto found = node.find(key);
    return found == node.end() ? nullptr : &*found;
  }

  /// Types are needed before the nodes that use them: records' sizes change the sizes of arrays.
  void collect_types(const Json& unit) {
    for (const Json& child : unit.at("inner"))
      if (child.value("kind", "") == "TypedefDecl" && child.contains("inner") && !child["inner"].empty())
        if (const Json* record = find(child["inner"][0], "ownedTagDecl"))
          typedefs_.emplace(record->value("id", ""), child.value("name", ""));
    const Json* unnamed = nullptr;
    for (const Json& child : unit.at("inner")) {
      const std::string kind = child.value("kind", "");
      const std::string name = child.value("name", "");
      if (kind == "TypedefDecl" || kind == "TypeAliasDecl")
        tree_.types.add_alias(name, child.at("type").at("qualType"));
      if (kind == "EnumDecl") tree_.types.add_enumeration("enum " + name);
      if (kind == "VarDecl" && unnamed != nullptr) add_unnamed(*unnamed, child.at("type").at("qualType"));
      if (kind != "RecordDecl" && kind != "CXXRecordDecl") continue;
      add_record(child);
      if (name.empty()) unnamed = &child;
    }
  }

  static std::vector<std::pair<std::string, std::string>> fields_of(const Json& record) {
    std::vector<std::pair<std::string, std::string>> fields;
    for (const Json& field : record.at("inner"))
      if (field.value("kind", "") == "FieldDecl")
        fields.emplace_back(field.value("name", ""), field.at("type").at("qualType"));
    return fields;
  }

  void add_record(const Json& record) {
    if (!record.contains("inner") || !record.value("completeDefinition", false)) return;
    const Json* unnamed = nullptr;
    for (const Json& part : record.at("inner")) {
      if (part.value("kind", "") == "FieldDecl" && unnamed != nullptr)
        add_unnamed(*unnamed, part.at("type").at("qualType"));
      const std::string kind = part.value("kind", "");
      if ((kind != "RecordDecl" && kind != "CXXRecordDecl") || part.value("isImplicit", false)) continue;
      add_record(part);
      if (part.value("name", "").empty()) unnamed = &part;
    }
    const std::string tag = record.value("tagUsed", "struct"), name = record.value("name", "");
    const std::string full = tag + " " + (name.empty() ? typedef_of(record.value("id", "")) : name);
    tree_.types.add_record(full, tag == "union", fields_of(record));
    // C++ writes the type without its tag.
    if (record.value("kind", "") == "CXXRecordDecl" && !name.empty()) tree_.types.add_alias(name, full);
  }

  /// Adds a record without a name under the text that clang writes for it, `struct (unnamed struct at ...)`,
  /// if a declaration has this type.
  void add_unnamed(const Json& record, const std::string& type) {
    const std::size_t open = type.find('('), end = type.find(')');
    if (open == std::string::npos || end == std::string::npos || !type.substr(open).starts_with("(unnamed"))
      return;
    if (!record.contains("inner")) return;
    const std::string tag = record.value("tagUsed", "struct");
    tree_.types.add_record(tag + " " + type.substr(open, end + 1 - open), tag == "union", fields_of(record));
  }

  /// Reports whether a variable of C++ is initialised by a constructor without arguments.
  static bool is_default_construction(const Json& variable) {
    const Json* inner = find(variable, "inner");
    if (inner == nullptr || inner->empty()) return false;
    const Json& initialiser = inner->back();
    return initialiser.value("kind", "") == "CXXConstructExpr" && !initialiser.contains("inner");
  }

  /// Returns the name of the typedef of an unnamed record.
  std::string typedef_of(const std::string& id) const {
    const auto found = typedefs_.find(id);
    return found == typedefs_.end() ? id : found->second;
  }

  int number_of(const std::string& id) {
    return numbers_.try_emplace(id, static_cast<int>(numbers_.size())).first->second;
  }

  /// clang names the file of a place only where it differs from that of the place printed before.
  void follow(const Json& bare) {
    if (const Json* file = find(bare, "file")) current_file_ = file->get<std::string>();
  }

  /// Returns the place of one end of a range; of a macro's expansion in the program's text.
  Place place_of(const Json& location) {
    if (const Json* spelling = find(location, "spellingLoc")) {
      follow(*spelling);
      const Json* expansion = find(location, "expansionLoc");
      if (expansion == nullptr) return {};
      return place_of(*expansion);
    }
    follow(location);
    const Json* offset = find(location, "offset");
    if (offset == nullptr || current_file_ != file_) return {};
    return {offset->get<std::uint32_t>(), std::max(1U, location.value("tokLen", 1U))};
  }

  Node convert(const Json& json, bool is_kept) {
    Node node;
    node.kind = json.value("kind", "");
    const Json* location = find(json, "loc");
    const Place name_place = location != nullptr ? place_of(*location) : Place{};
    if (const Json* range = find(json, "range")) {
      const Place begin = place_of(range->value("begin", Json::object()));
      const Place end = place_of(range->value("end", Json::object()));
      node.place = begin;
      node.begin = begin;
      node.end = end.offset + end.length;
      if (begin.length > 0 && end.length > 0 && node.end > begin.offset)
        node.place.length = node.end - begin.offset;
    }
    if (is_kept) {
      node.form = form_of(node.kind);
      fill(node, json, name_place);
    }
    if (const Json* inner = find(json, "inner")) {
      if (is_kept) node.children.reserve(inner->size());
      for (const Json& child : *inner) {
        Node converted = convert(child, is_kept);
        if (is_kept) node.children.push_back(std::move(converted));
      }
    }
    return node;
  }

  void fill(Node& node, const Json& json, Place name_place) {
    // Errors about a declaration point to its name.
    if (node.kind.ends_with("Decl") && name_place.length > 0) node.place = name_place;
    node.name = json.value("name", "");
    if (const Json* type = find(json, "type")) node.type = tree_.types.parse(type->value("qualType", ""));
    if (const Json* argument = find(json, "argType")) node.value = argument->value("qualType", "");
    node.op = json.value("opcode", json.value("castKind", ""));
    if (const Json* value = find(json, "value"))
      node.value = value->is_string() ? value->get<std::string>() : value->dump();
    node.is_postfix = json.value("isPostfix", false);
    node.is_arrow = json.value("isArrow", false);
    node.has_else = json.value("hasElse", false);
    const std::string storage = json.value("storageClass", "");
    node.is_static = storage == "static";
    node.is_extern = storage == "extern";
    node.has_initialiser = json.contains("init") && !is_default_construction(json);
    if (const Json* referred = find(json, "referencedDecl")) {
      node.name = referred->value("name", "");
      node.refers_to = referred->value("kind", "");
      node.declaration = number_of(referred->value("id", ""));
    } else if (node.kind.ends_with("Decl")) {
      // Later declarations of a variable have the number of the first one.
      if (const Json* previous = find(json, "previousDecl"))
        numbers_[json.value("id", "")] = number_of(previous->get<std::string>());
      node.declaration = number_of(json.value("id", ""));
    }
  }

  void add_function(Node node) {
    Node& kept = tree_.functions[node.name];
    if (body_of(node) != nullptr || kept.kind.empty()) kept = std::move(node);
  }

  void add_global(Node node) {
    const int declaration = node.declaration;
    tree_.globals.emplace(declaration, std::move(node));
  }

  void number_enumerators(const Json& unit) {
    for (const Json& child : unit.at("inner")) {
      if (child.value("kind", "") != "EnumDecl" || !child.contains("inner")) continue;
      std::int64_t next = 0;
      for (const Json& each : child["inner"]) {
        if (each.value("kind", "") != "EnumConstantDecl") continue;
        if (each.contains("inner") && !each["inner"].empty() && each["inner"][0].contains("value"))
          next = std::stoll(each["inner"][0]["value"].get<std::string>());
        tree_.enumerators[number_of(each.at("id"))] = next++;
      }
    }
  }

  SyntaxTree& tree_;
  std::string file_;
  std::string current_file_;
  std::map<std::string, int> numbers_;
  std::map<std::string, std::string> typedefs_;
};

std::string compiler_of(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  return ending == ".c" ? "clang" : "clang++";
}

std::string with_name(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

const Node* SyntaxTree::find_function(std::string_view name) const {
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

const Node* body_of(const Node& function) {
  for (const Node& child : function.children)
    if (child.is("CompoundStmt")) return &child;
  return nullptr;
}

std::vector<const Node*> parameters_of(const Node& function) {
  std::vector<const Node*> parameters;
  for (const Node& child : function.children)
    if (child.is("ParmVarDecl")) parameters.push_back(&child);
  return parameters;
}

const Node& plain(const Node& expression) {
  const Node* node = &expression;
  while ((node->is("ParenExpr") || node->is("ImplicitCastExpr") || node->is("ConstantExpr")) &&
         node->children.size() == 1)
    node = &node->children.front();
  return *node;
}

const Node* callee_of(const Node& call) {
  if (call.children.empty()) return nullptr;
  const Node& callee = plain(call.children.front());
  return callee.is("DeclRefExpr") && callee.refers_to == "FunctionDecl" ? &callee : nullptr;
}

std::string ProgramName::to_string() const {
  std::string text = file;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? ':' : ',', parameters[i].first, parameters[i].second);
  return text;
}

std::string text_with_parameters(const ProgramName& name, const std::string& text) {
  std::string result = text;
  for (const auto& [parameter, value] : name.parameters) {
    if (!has_word(text, parameter)) {
      const std::vector<std::string> names = defined_names(text);
      throw ConfigError({name.file}, unknown_name("parameter", parameter, {names.begin(), names.end()}));
    }
    bool is_defined = false;
    result = with_value(result, parameter, value, is_defined);
  }
  return result;
}

SyntaxTree parse_program(const ProgramName& name, const std::string& appended) {
  SyntaxTree tree;
  const std::string original = read_text_file(name.file);
  tree.source = SourceText(name.file, text_with_parameters(name, original));

  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / std::filesystem::path(name.file).filename();
  write_text_file(file, tree.source.text() + "\n" + appended);
  std::filesystem::create_directory(folder.path() / "takt");
  write_text_file(folder.path() / sections_header_name, sections_header);
  const std::filesystem::path own = std::filesystem::absolute(name.file).parent_path();
  std::vector<std::string> words{compiler_of(name.file),
                                 "-fsyntax-only",
                                 "-w",
                                 "-Xclang",
                                 "-ast-dump=json",
                                 "-I" + own.string(),
                                 "-I" + folder.path().string(),
                                 "-fno-color-diagnostics"};
  for (const auto& [parameter, value] : name.parameters) {
    bool is_defined = false;
    (void)with_value(original, parameter, value, is_defined);
    if (!is_defined) words.push_back(fmt::format("-D{}={}", parameter, value));
  }
  words.push_back(file.string());
  const CommandFiles files{folder.path() / "tree.json", folder.path() / "errors.txt"};
  const int code = run_command(words, files);
  if (code == 127)
    throw ConfigError(
        fmt::format("{}: reading a program needs {}, which is not installed (Debian: apt install clang)",
                    name.file, words.front()));
  if (code != 0) throw ConfigError(with_name(read_text_file(files.errors), file.string(), name.file));
  const Json json = Json::parse(read_text_file(files.output));
  TreeReader(tree, file.string()).read(json);
  return tree;
}

}  // namespace takt::frontend
