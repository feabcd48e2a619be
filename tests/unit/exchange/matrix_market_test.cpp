#include <talus/exchange/matrix_market.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include <talus/base/error.hpp>

#include "support/class_problems.hpp"
#include "support/scratch.hpp"

namespace talus::exchange::TALUS_TEST_FILE {
namespace {

std::string temporary(const std::string& name) {
  static const test::Scratch scratch;
  return (scratch / name).string();
}

std::string file_of(const std::string& text) {
  const std::string path = temporary("text.mtx");
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  return path;
}

MatX read(const std::string& text) { return MatX(read_matrix_market(file_of(text))); }

std::string message_of(const std::string& text) {
  try {
    (void)read_matrix_market(file_of(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

MatX matrix_2x3() {
  MatX m(2, 3);
  m << 1, 0, -2.5, 0, 3e-7, 0;
  return m;
}

// The format's forms, each the same matrix: comments, blank lines, any case, tabs, CRLF, integers,
// plus signs, entries given twice.
TEST(MatrixMarket, ReadsEveryForm) {
  const MatX m = matrix_2x3();
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 3\n"
                 "1 1 1\n1 3 -2.5\n2 2 3e-7\n"),
            m);
  EXPECT_EQ(read("%%matrixmarket MATRIX Coordinate Double General\r\n2\t3 4\r\n 1 1 0.25\r\n"
                 "1 1 +0.75\r\n1 3 -2.5\r\n%\r\n2 2 3.0E-7"),
            m);
  EXPECT_EQ(read("%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n3e-7\n-2.5\n0\n"), m);

  MatX integers(2, 2);
  integers << 4, -5, 0, 6;
  EXPECT_EQ(read("%%MatrixMarket matrix array integer general\n2 2\n4\n0\n-5\n6\n"), integers);

  MatX symmetric(3, 3), skew(3, 3);
  symmetric << 1, 2, 0, 2, 0, 3, 0, 3, 4;
  skew << 0, -2, 0, 2, 0, -3, 0, 3, 0;
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 1\n2 1 2\n3 2 3\n"
                 "3 3 4\n"),
            symmetric);
  EXPECT_EQ(read("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n0\n0\n3\n4\n"), symmetric);
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 2\n3 2 3\n"),
            skew);
  EXPECT_EQ(read("%%MatrixMarket matrix array real skew-symmetric\n3 3\n2\n0\n3\n"), skew);
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\n0 4 0\n").cols(), 4);
  EXPECT_EQ(read_vector_market(file_of("%%MatrixMarket matrix array real general\n2 1\n5\n6\n")),
            Vec2(5, 6));
  EXPECT_EQ(
      read_vector_market(file_of("%%MatrixMarket matrix coordinate real general\n2 1 1\n2 1 6\n")),
      Vec2(0, 6));
}

// Written and read again, any matrix is the same bit for bit, in every form it has.
RC_GTEST_PROP(MatrixMarket, RoundTripIsExact, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const std::string path = temporary("round_trip.mtx");
  const Index rows = random.bits() % 6, columns = random.bits() % 6;
  MatX m = test::random_matrix(random, rows, columns);
  for (Index i = 0; i < m.size(); ++i)
    m.data()[i] = random.uniform() < 0.4
                      ? 0
                      : m.data()[i] * std::pow(10, std::round(random.uniform(-300, 300)));
  write_matrix_market(path, problem::SparseMatrix(m.sparseView()), MatrixSymmetry::general,
                      "one\ntwo");
  RC_ASSERT(MatX(read_matrix_market(path)) == m);
  write_matrix_market(path, m, "dense");
  RC_ASSERT(MatX(read_matrix_market(path)) == m);
  const MatX square = test::random_matrix(random, 4, 4);
  const MatX symmetric = square + square.transpose(), skew = square - square.transpose();
  write_matrix_market(path, test::to_sparse(symmetric), MatrixSymmetry::symmetric);
  RC_ASSERT(MatX(read_matrix_market(path)) == symmetric);
  write_matrix_market(path, test::to_sparse(skew), MatrixSymmetry::skew_symmetric);
  RC_ASSERT(MatX(read_matrix_market(path)) == skew);

  const problem::Lcp lcp = test::friction_lcp(random, 2, 4, 5, 0.3);
  const std::string q = temporary("q.mtx");
  write_lcp_market(path, q, lcp);
  const problem::Lcp again = read_lcp_market(path, q);
  RC_ASSERT(again.M == lcp.M);
  RC_ASSERT(again.q == lcp.q);
}

// Every mistake is an InputError with file and line, what was found and what is allowed.
TEST(MatrixMarket, BrokenFilesSayWhereAndWhy) {
  const std::string general = "%%MatrixMarket matrix coordinate real general\n";
  const std::string array = "%%MatrixMarket matrix array real general\n";
  const std::string path = temporary("text.mtx");
  struct Case {
    std::string text, where, expected;
  };
  const std::vector<Case> cases = {
      {"", ": ", "got an empty file"},
      {"2 2 1\n1 1 1\n", ":1:1: ", "expected '%%MatrixMarket matrix coordinate|array"},
      {"%%MatrixMarket matrix\n", ":1:1: ", "expected '%%MatrixMarket matrix coordinate|array"},
      {"%%MatrixMarket vector coordinate real general\n",
       ":1:16: ", "expected matrix, got 'vector'"},
      {"%%MatrixMarket matrix dense real general\n", ":1:23: ", "expected coordinate or array"},
      {"%%MatrixMarket matrix coordinate complex general\n",
       ":1:34: ", "expected real or integer, got 'complex'"},
      {"%%MatrixMarket matrix coordinate pattern general\n", ":1:34: ", "got 'pattern'"},
      {"%%MatrixMarket matrix coordinate real hermitian\n",
       ":1:39: ", "expected general, symmetric or skew-symmetric, got 'hermitian'"},
      {general, ":1:1: ", "expected a line of sizes"},
      {general + "2 2\n", ":2:1: ", "expected rows, columns and entries, got 2 words"},
      {array + "2 2 4\n", ":2:1: ", "expected rows and columns, got 3 words"},
      {general + "-2 2 1\n", ":2:1: ", "expected a number of rows from 0 to 67108864, got '-2'"},
      {general + "2 99999999999 1\n", ":2:3: ", "expected a number of columns from 0"},
      {general + "3 44000000 0\n", ":2:3: ", " bytes can fill, got 44000000"},
      {array + "44000000 0\n", ":2:1: ", " bytes can fill, got 44000000"},
      {general + "2 2 x\n", ":2:5: ", "expected a number of entries from 0"},
      {general + "2 2 2\n1 1 1\n", ":3:1: ", "expected 2 entries, got 1"},
      {general + "2 2 1\n1 1 1\n2 2 2\n", ":4:1: ", "expected nothing after the last entry"},
      {general + "2 2 1\n1 1\n", ":3:1: ", "expected row, column and value, got 2 words"},
      {general + "2 2 1\n0 1 1\n", ":3:1: ", "expected a row from 1 to 2, got '0'"},
      {general + "2 2 1\n1 3 1\n", ":3:3: ", "expected a column from 1 to 2, got '3'"},
      {general + "2 2 1\n1 1.5 1\n", ":3:3: ", "expected a column from 1 to 2, got '1.5'"},
      {general + "2 2 1\n1 1 one\n", ":3:5: ", "expected a finite number, got 'one'"},
      {general + "2 2 1\n1 1 nan\n", ":3:5: ", "expected a finite number, got 'nan'"},
      {general + "2 2 1\n1 1 1e999\n", ":3:5: ", "expected a finite number, got '1e999'"},
      {general + "2 2 1\n1 1 1,5\n", ":3:5: ", "expected a finite number, got '1,5'"},
      {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
       ":3:5: ", "expected an integer, as the first line says, got '1.5'"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n",
       ":2:3: ", "expected a square matrix, as it is symmetric, got 2×3"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n",
       ":3:3: ", "expected entries on or below the diagonal, got (1, 2)"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n",
       ":3:3: ", "expected entries below the diagonal, got (2, 2)"},
      {array + "2 2\n1\n2\n3\n", ":5:1: ", "expected 2 columns of numbers, got 3 numbers in all"},
      {array + "2 2\n1 2\n3 4\n", ":3:1: ", "expected one number, got 2 words"},
      {array + "1 1\n1\n2\n", ":4:1: ", "expected nothing after the last entry"}};
  for (const Case& broken : cases) {
    const std::string message = message_of(broken.text);
    EXPECT_EQ(message.rfind(path + broken.where, 0), 0u) << broken.expected << "\n " << message;
    EXPECT_NE(message.find(broken.expected), std::string::npos)
        << broken.expected << "\n got: " << message;
  }
  EXPECT_THROW((void)read_matrix_market("/nowhere/M.mtx"), InputError);
  EXPECT_THROW((void)read_matrix_market(testing::TempDir()), InputError);
  EXPECT_THROW((void)read_vector_market(file_of(array + "1 2\n1\n2\n")), InputError);
  EXPECT_THROW(write_matrix_market("/nowhere/M.mtx", MatX(1, 1)), InputError);
  EXPECT_THROW(write_matrix_market(path, test::to_sparse(matrix_2x3()), MatrixSymmetry::symmetric),
               InputError);
}

// Single bytes of a good file replaced: a matrix or an InputError, nothing else.
TEST(MatrixMarket, SurvivesFlippedBytes) {
  const std::string good =
      "%%MatrixMarket matrix coordinate real general\n% c\n2 3 3\n1 1 1\n1 3 -2.5\n2 2 3e-7\n";
  int errors = 0;
  for (std::size_t k = 0; k < good.size(); ++k)
    for (const char byte : {'\0', '\n', ' ', '9', '-', '%', '\xff'}) {
      std::string bad = good;
      bad[k] = byte;
      errors += message_of(bad).empty() ? 0 : 1;
    }
  EXPECT_GT(errors, 300);
}

}  // namespace
}  // namespace talus::exchange::TALUS_TEST_FILE
