#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>

#include <talus/scene/quantity.hpp>

namespace talus::scene::TALUS_TEST_FILE {
namespace {

using Status = ParsedNumber::Status;

Real value(std::string_view text) {
  const ParsedNumber parsed = parse_number(text);
  EXPECT_EQ(parsed.status, Status::ok) << text;
  return parsed.value;
}

// A unit multiplies the number by its size in SI; products, quotients and powers combine.
TEST(ParseNumber, ReadsUnits) {
  EXPECT_EQ(value("3"), 3);
  EXPECT_EQ(value(" -2.5e-3 "), -2.5e-3);
  EXPECT_EQ(value("+7"), 7);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("1 ms"), 1e-3);
  EXPECT_EQ(value("20cm"), 0.2);
  EXPECT_EQ(value("5 %"), 0.05);
  EXPECT_DOUBLE_EQ(value("35 deg"), 35 * std::numbers::pi / 180);
  EXPECT_DOUBLE_EQ(value("180°"), std::numbers::pi);
  EXPECT_DOUBLE_EQ(value("60 rpm"), 2 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(value("2.5 g/cm^3"), 2500);
  EXPECT_DOUBLE_EQ(value("2.5 g/cm³"), 2500);
  EXPECT_DOUBLE_EQ(value("2.5 g/cm3"), 2500);
  EXPECT_DOUBLE_EQ(value("36 km/h"), 10);
  EXPECT_DOUBLE_EQ(value("9.81 m/s/s"), 9.81);
  EXPECT_DOUBLE_EQ(value("9.81 m s^-2"), 9.81);
  EXPECT_DOUBLE_EQ(value("4 g cm^2"), 4e-7);
  EXPECT_DOUBLE_EQ(value("4 g*cm**2"), 4e-7);
  EXPECT_DOUBLE_EQ(value("4 kg·m²"), 4);
  EXPECT_DOUBLE_EQ(value("1 µm"), 1e-6);
  EXPECT_DOUBLE_EQ(value("4 1/ms"), 4000);
}

// The dimension is the one of the unit; every quantity's own unit and examples have its dimension.
TEST(ParseNumber, KeepsTheDimension) {
  for (const Quantity quantity :
       {Quantity::ratio, Quantity::length, Quantity::mass, Quantity::time, Quantity::angle,
        Quantity::velocity, Quantity::angular_velocity, Quantity::acceleration, Quantity::density,
        Quantity::inertia, Quantity::rate}) {
    const QuantityInfo& about = info(quantity);
    EXPECT_EQ(about.quantity, quantity);
    EXPECT_EQ(parse_number(fmt::format("1 {}", about.unit)).dimension, about.dimension);
    EXPECT_EQ(value(fmt::format("1 {}", about.unit)), 1);
    std::string examples(about.examples);
    for (std::size_t comma; !examples.empty();
         examples.erase(0, comma == std::string::npos ? examples.size() : comma + 1)) {
      comma = examples.find(',');
      const ParsedNumber example = parse_number(std::string_view(examples).substr(0, comma));
      EXPECT_EQ(example.status, Status::ok) << examples;
      if (example.has_unit) {
        EXPECT_EQ(example.dimension, about.dimension) << examples;
      }
    }
  }
}

// What is no number, no finite number or no unit is told apart.
TEST(ParseNumber, RejectsTheRest) {
  for (const char* text : {"", " ", "fast", "-", "+", "--1", "+-1", "m", "e5", "°"})
    EXPECT_EQ(parse_number(text).status, Status::not_a_number) << text;
  for (const char* text : {".inf", "-.inf", ".nan", "nan", "inf", "1e999", "-1e999", "1e308 km"})
    EXPECT_EQ(parse_number(text).status, Status::not_finite) << text;
  for (const char* text : {"1 parsec", "1 m/", "1 m^", "1 m^0", "1 m^99", "1 /s", "1 m//s", "1 1/",
                           "1 1", "1,5", "0x10", "1.2.3", "1 m^-", "1 2", "1 kg?"})
    EXPECT_EQ(parse_number(text).status, Status::unknown_unit) << text;
}

// Any text gives an answer, and an accepted value is finite.
RC_GTEST_PROP(ParseNumber, AcceptsOnlyFiniteValues, (const std::string& text)) {
  const ParsedNumber parsed = parse_number(text);
  if (parsed.status == Status::ok) RC_ASSERT(std::isfinite(parsed.value));
}

// A number written with 17 digits is read back bit for bit.
RC_GTEST_PROP(ParseNumber, ReadsNumbersExactly, (double number)) {
  RC_PRE(std::isfinite(number));
  const ParsedNumber parsed = parse_number(fmt::format("{:.17g}", number));
  RC_ASSERT(parsed.status == Status::ok && parsed.value == number);
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
