#pragma once
/// Numbers of operations as formulas of a procedure's parameters.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace takt::frontend {

/// An immutable expression over named integers. Copies are cheap.
class Formula {
 public:
  /// How the variable of a sum changes from one term to the next.
  enum class Step : std::uint8_t { add, multiply, divide };

  Formula() : Formula(0) {}
  // NOLINTNEXTLINE(google-explicit-constructor): numbers are formulas.
  Formula(double number);
  static Formula variable(std::string name);
  /// A number that cannot be known without running the procedure; it counts as 1.
  static Formula unknown();
  /// The sum of `body` for `name` = first, first + step, ... while it is below `limit`, or above it for a
  /// negative step; or first * step, ...; or first / step, ... while above the limit.
  static Formula sum(std::string name, Formula first, Formula limit, Step kind, double step, Formula body);

  friend Formula operator+(const Formula& a, const Formula& b);
  friend Formula operator-(const Formula& a, const Formula& b);
  friend Formula operator*(const Formula& a, const Formula& b);
  /// Integer division, towards zero; remainder; a * 2^b; a / 2^b.
  friend Formula operator/(const Formula& a, const Formula& b);
  friend Formula operator%(const Formula& a, const Formula& b);
  friend Formula operator<<(const Formula& a, const Formula& b);
  friend Formula operator>>(const Formula& a, const Formula& b);

  [[nodiscard]] bool is_known() const;
  [[nodiscard]] bool is_zero() const;
  /// Reports whether the value depends on this variable.
  [[nodiscard]] bool contains(const std::string& name) const;
  /// Returns the value for values of the variables; one without a value counts as unknown. O(terms of those
  /// sums whose body contains their variable).
  [[nodiscard]] double value(const std::map<std::string, double>& variables) const;
  /// Returns the closed form where there is one: `n^2/2 + n/2`; otherwise with sums: `sum(i=1..n: 3*i)`.
  [[nodiscard]] std::string to_string() const;

 private:
  struct Node;
  explicit Formula(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  static Formula binary(char op, const Formula& a, const Formula& b);
  [[nodiscard]] std::string raw_text() const;

  friend class Polynomial;
  std::shared_ptr<const Node> node_;
};

}  // namespace takt::frontend
