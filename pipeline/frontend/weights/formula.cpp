#include "pipeline/frontend/weights/formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace takt::frontend {

/// `op` is # a number, x a variable, ? unknown, S a sum, or an operator.
struct Formula::Node {
  char op = '#';
  double number = 0;
  std::string name = {};
  /// Operands; of a sum: first, limit, body.
  std::vector<Formula> parts = {};
  Step kind = Step::add;
};

namespace {

std::string number_text(double number) {
  if (number == std::floor(number) && std::abs(number) < 1e15)
    return fmt::format("{}", static_cast<std::int64_t>(number));
  return fmt::format("{:.6g}", number);
}

}  // namespace

/// A polynomial in several variables: monomials (powers of the variables) with coefficients.
class Polynomial {
 public:
  using Monomial = std::map<std::string, int>;

  /// Returns the formula as a polynomial, if it is one: sums with steps of 1 or -1 by Faulhaber's formulas,
  /// where the number of terms counts as not negative.
  static std::optional<Polynomial> of(const Formula& formula) {
    const Formula::Node& node = *formula.node_;
    if (node.op == '#') return constant(node.number);
    if (node.op == 'x') return Polynomial{{{{{node.name, 1}}, 1.0}}};
    if (node.op == 'S') return of_sum(node);
    if (node.op != '+' && node.op != '-' && node.op != '*') return std::nullopt;
    const std::optional<Polynomial> a = of(node.parts[0]), b = of(node.parts[1]);
    if (!a || !b) return std::nullopt;
    if (node.op == '*') return a->times(*b);
    return a->plus(node.op == '-' ? b->times(constant(-1)) : *b);
  }

  [[nodiscard]] std::string to_string() const {
    // Higher degrees first.
    std::vector<const std::pair<const Monomial, double>*> terms;
    for (const auto& term : terms_) terms.push_back(&term);
    std::ranges::stable_sort(
        terms, [](const auto* a, const auto* b) { return degree(a->first) > degree(b->first); });
    std::string text;
    for (const auto* term : terms) {
      const double size = std::abs(term->second);
      text += text.empty() ? (term->second < 0 ? "-" : "") : (term->second < 0 ? " - " : " + ");
      text += term_text(term->first, size);
    }
    return text.empty() ? "0" : text;
  }

 private:
  explicit Polynomial(std::map<Monomial, double> terms) : terms_(std::move(terms)) {}
  static Polynomial constant(double number) {
    return number == 0 ? Polynomial({}) : Polynomial({{Monomial{}, number}});
  }

  static int degree(const Monomial& monomial) {
    int sum = 0;
    for (const auto& [name, power] : monomial) sum += power;
    return sum;
  }

  static std::string term_text(const Monomial& monomial, double coefficient) {
    constexpr int largest_denominator = 5040;
    int denominator = 1;
    while (denominator < largest_denominator &&
           std::abs(coefficient * denominator - std::round(coefficient * denominator)) > 1e-9)
      ++denominator;
    const double numerator = std::round(coefficient * denominator);
    std::string product;
    for (const auto& [name, power] : monomial)
      product += (product.empty() ? "" : "*") + name + (power > 1 ? fmt::format("^{}", power) : "");
    if (product.empty())
      product = number_text(numerator);
    else if (numerator != 1)
      product = number_text(numerator) + "*" + product;
    return denominator == 1 ? product : fmt::format("{}/{}", product, denominator);
  }

  [[nodiscard]] Polynomial plus(const Polynomial& other) const {
    Polynomial result = *this;
    for (const auto& [monomial, coefficient] : other.terms_)
      if ((result.terms_[monomial] += coefficient) == 0) result.terms_.erase(monomial);
    return result;
  }

  [[nodiscard]] Polynomial times(const Polynomial& other) const {
    Polynomial result({});
    for (const auto& [a, x] : terms_)
      for (const auto& [b, y] : other.terms_) {
        Monomial product = a;
        for (const auto& [name, power] : b) product[name] += power;
        if ((result.terms_[product] += x * y) == 0) result.terms_.erase(product);
      }
    return result;
  }

  [[nodiscard]] Polynomial to_power(int power) const {
    Polynomial result = constant(1);
    for (int i = 0; i < power; ++i) result = result.times(*this);
    return result;
  }

  /// Returns the sum of k^power for k = 0 .. count - 1, from the Bernoulli numbers.
  static std::optional<Polynomial> sum_of_powers(int power, const Polynomial& count) {
    static constexpr std::array<double, 9> bernoulli{1, -0.5,     1.0 / 6, 0,        -1.0 / 30,
                                                     0, 1.0 / 42, 0,       -1.0 / 30};
    if (power >= static_cast<int>(bernoulli.size())) return std::nullopt;
    Polynomial result({});
    double binomial = 1;
    for (int j = 0; j <= power; ++j) {
      result =
          result.plus(count.to_power(power + 1 - j)
                          .times(constant(binomial * bernoulli[static_cast<std::size_t>(j)] / (power + 1))));
      binomial = binomial * (power + 1 - j) / (j + 1);
    }
    return result;
  }

  static std::optional<Polynomial> of_sum(const Formula::Node& node) {
    if (node.kind != Formula::Step::add || std::abs(node.number) != 1) return std::nullopt;
    const std::optional<Polynomial> first = of(node.parts[0]), limit = of(node.parts[1]),
                                    body = of(node.parts[2]);
    if (!first || !limit || !body) return std::nullopt;
    const Polynomial count = limit->plus(first->times(constant(-1))).times(constant(node.number));
    // The variable is first + step * k; the powers of k are summed term by term.
    static const std::string index = "\x01k";
    const Polynomial value = first->plus(Polynomial({{Monomial{{index, 1}}, node.number}}));
    Polynomial replaced({});
    for (const auto& [monomial, coefficient] : body->terms_) {
      Monomial rest = monomial;
      int power = 0;
      if (const auto found = rest.find(node.name); found != rest.end()) {
        power = found->second;
        rest.erase(found);
      }
      replaced = replaced.plus(value.to_power(power).times(Polynomial({{rest, coefficient}})));
    }
    Polynomial result({});
    for (const auto& [monomial, coefficient] : replaced.terms_) {
      Monomial rest = monomial;
      int power = 0;
      if (const auto found = rest.find(index); found != rest.end()) {
        power = found->second;
        rest.erase(found);
      }
      const std::optional<Polynomial> sum = sum_of_powers(power, count);
      if (!sum) return std::nullopt;
      result = result.plus(sum->times(Polynomial({{rest, coefficient}})));
    }
    return result;
  }

  std::map<Monomial, double> terms_;
};

Formula::Formula(double number) : node_(std::make_shared<const Node>(Node{.number = number})) {}

Formula Formula::variable(std::string name) {
  return Formula(std::make_shared<const Node>(Node{.op = 'x', .name = std::move(name)}));
}

Formula Formula::unknown() {
  return Formula(std::make_shared<const Node>(Node{.op = '?'}));
}

Formula Formula::binary(char op, const Formula& a, const Formula& b) {
  const Node node{.op = op, .parts = {a, b}};
  if (a.node_->op == '#' && b.node_->op == '#')
    return Formula(Formula(std::make_shared<const Node>(node)).value({}));
  return Formula(std::make_shared<const Node>(node));
}

Formula operator+(const Formula& a, const Formula& b) {
  return a.is_zero() ? b : b.is_zero() ? a : Formula::binary('+', a, b);
}
Formula operator-(const Formula& a, const Formula& b) {
  return b.is_zero() ? a : Formula::binary('-', a, b);
}
Formula operator*(const Formula& a, const Formula& b) {
  return a.is_zero() || b.is_zero() ? Formula(0) : Formula::binary('*', a, b);
}
Formula operator/(const Formula& a, const Formula& b) {
  return Formula::binary('/', a, b);
}
Formula operator%(const Formula& a, const Formula& b) {
  return Formula::binary('%', a, b);
}
Formula operator<<(const Formula& a, const Formula& b) {
  return Formula::binary('<', a, b);
}
Formula operator>>(const Formula& a, const Formula& b) {
  return Formula::binary('>', a, b);
}

Formula Formula::sum(std::string name, Formula first, Formula limit, Step kind, double step, Formula body) {
  if (body.is_zero()) return body;
  return Formula(
      std::make_shared<const Node>(Node{.op = 'S',
                                        .number = step,
                                        .name = std::move(name),
                                        .parts = {std::move(first), std::move(limit), std::move(body)},
                                        .kind = kind}));
}

bool Formula::is_zero() const {
  return node_->op == '#' && node_->number == 0;
}

bool Formula::is_known() const {
  if (node_->op == '?') return false;
  for (const Formula& part : node_->parts)
    if (!part.is_known()) return false;
  return true;
}

bool Formula::contains(const std::string& name) const {
  if (node_->op == 'x') return node_->name == name;
  for (const Formula& part : node_->parts)
    if (part.contains(name)) return true;
  return false;
}

double Formula::value(const std::map<std::string, double>& variables) const {
  const Node& node = *node_;
  if (node.op == '#') return node.number;
  if (node.op == '?') return 1;
  if (node.op == 'x') {
    const auto found = variables.find(node.name);
    return found == variables.end() ? 1 : found->second;
  }
  const double a = node.parts[0].value(variables), b = node.parts[1].value(variables);
  switch (node.op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b == 0 ? 0 : std::trunc(a / b);
    case '%':
      return b == 0 ? 0 : std::fmod(a, b);
    case '<':
      return a * std::exp2(b);
    case '>':
      return std::floor(a / std::exp2(b));
    default:
      break;
  }
  const Formula& body = node.parts[2];
  const bool descends = (node.kind == Step::add && node.number < 0) || node.kind == Step::divide;
  if (node.kind == Step::add && !body.contains(node.name)) {
    const double count = std::ceil((b - a) / node.number);
    return count > 0 ? count * body.value(variables) : 0;
  }
  std::map<std::string, double> inner = variables;
  double total = 0;
  for (double v = a; descends ? v > b : v < b;) {
    inner[node.name] = v;
    total += body.value(inner);
    const double next = node.kind == Step::add        ? v + node.number
                        : node.kind == Step::multiply ? v * node.number
                                                      : std::trunc(v / node.number);
    if (next == v) break;
    v = next;
  }
  return total;
}

std::string Formula::raw_text() const {
  const Node& node = *node_;
  if (node.op == '#') return number_text(node.number);
  if (node.op == 'x') return node.name;
  if (node.op == '?') return "unknown";
  const std::string a = node.parts[0].to_string(), b = node.parts[1].to_string();
  if (node.op == 'S') {
    const std::string step =
        node.kind == Step::add
            ? (node.number == 1 ? "" : fmt::format(" step {}", number_text(node.number)))
            : fmt::format(" step {}{}", node.kind == Step::multiply ? "*" : "/", number_text(node.number));
    const bool descends = (node.kind == Step::add && node.number < 0) || node.kind == Step::divide;
    return fmt::format("sum({} = {} while {} {}{}: {})", node.name, a, descends ? ">" : "<", b, step,
                       node.parts[2].to_string());
  }
  if (node.op == '<') return a == "1" ? fmt::format("2^({})", b) : fmt::format("({})*2^({})", a, b);
  if (node.op == '>') return fmt::format("({})/2^({})", a, b);
  if (node.op == '+') return fmt::format("{} + {}", a, b);
  if (node.op == '-') return fmt::format("{} - ({})", a, b);
  return fmt::format("({}){}({})", a, node.op, b);
}

std::string Formula::to_string() const {
  if (const std::optional<Polynomial> polynomial = Polynomial::of(*this)) return polynomial->to_string();
  return raw_text();
}

}  // namespace takt::frontend
