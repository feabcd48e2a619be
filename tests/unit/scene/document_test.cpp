#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include <talus/scene/detail/document.hpp>

#include "scene_folder.hpp"

namespace talus::scene::detail::TALUS_TEST_FILE {
namespace {

/// Parses a text; the mistakes as one text.
std::string parse_text(const std::string& text, Document& document) {
  document.path = "f";
  document.text = text;
  Problems problems;
  parse(document, problems);
  try {
    problems.throw_if_any();
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

// Every value knows the line and column where it was written.
TEST(Parse, KeepsPlaces) {
  Document document;
  ASSERT_EQ(parse_text("a: 1\nb:\n  - {c: 2}\n", document), "");
  const Node* item = document.root->find("b")->children.at(0);
  EXPECT_EQ(item->line, 3);
  EXPECT_EQ(item->column, 5);
  EXPECT_EQ(item->find("c")->line, 3);
  EXPECT_EQ(item->find("c")->column, 9);
}

// An alias stands for the value of its anchor, the same node, so that aliases cost nothing.
TEST(Parse, SharesAliases) {
  Document document;
  ASSERT_EQ(parse_text("a: &x [1, 2]\nb: *x\n", document), "");
  EXPECT_EQ(document.root->find("a"), document.root->find("b"));
}

// A merge key brings the keys of another mapping; keys that are given win; a list merges in order.
TEST(Parse, MergesMappings) {
  Document document;
  ASSERT_EQ(
      parse_text("a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {<<: [*a, *b], x: 5}\n", document),
      "");
  const Node* merged = document.root->find("c");
  EXPECT_EQ(merged->find("x")->text, "5");
  EXPECT_EQ(merged->find("y")->text, "2");
  EXPECT_EQ(merged->find("z")->text, "4");
  EXPECT_EQ(merged->children.size(), 6U);
}

// A quote that is not closed is told at the quote, whatever the parser makes of the rest.
TEST(Parse, NamesTheQuoteThatIsNotClosed) {
  Document document;
  for (const char* text : {"title: \"Balls\nbodies: [1, 2]\n", "title: 'Bob''s balls\nb: 1\n",
                           "'title: Balls\nb: 1\n", "title: \"a \\\" b\nc: 1\n"}) {
    const std::string message = parse_text(text, document);
    EXPECT_NE(message.find("this quote is not closed"), std::string::npos) << text << message;
    EXPECT_EQ(message.substr(0, 4), "f:1:") << message;
  }
  for (const char* text :
       {"a: \"x \\\" # y\"\nb: 'it''s'\n", "a: it's\nb: 5\"\n", "a: \"x\n  y\"\n"})
    EXPECT_EQ(parse_text(text, document), "") << text;
}

// Brackets without end are refused before they are stored: ten million of them in a moment. Those
// in texts and comments do not count.
TEST(Parse, RefusesBracketsWithoutEnd) {
  Document document;
  for (const char* bracket : {"[", "{", "[{"}) {
    std::string text;
    while (text.size() < 10'000'000) text += bracket;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_NE(parse_text(text, document).find("nested too deeply"), std::string::npos);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  }
  const std::string many(2000, '[');
  EXPECT_EQ(parse_text("a: 1 # " + many + "\nb: \"" + many + "\"\nc: '" + many + "'\n", document),
            "");
}

// A merge cannot make a small file fill the memory: 3000 mappings that each merge all before are
// refused.
TEST(Parse, BoundsMerges) {
  std::string text = "k0: &k0 {a0: 0}\n";
  for (int i = 1; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    text += "k" + n + ": &k" + n + " {<<: *k" + std::to_string(i - 1) + ", a" + n + ": 0}\n";
  }
  Document document;
  EXPECT_TRUE(contains(parse_text(text, document), "too much is merged"));
}

// Nesting beyond what the parser can take is a mistake of the file, whatever the brackets are.
TEST(Parse, BoundsNesting) {
  constexpr int kDepth = 20000;
  for (const std::string open : {"[", "{a: ", "- ", "? "}) {
    std::string text;
    for (int i = 0; i < kDepth; ++i) text += open;
    Document document;
    EXPECT_NE(parse_text(text, document), "") << open;
    EXPECT_EQ(document.root, nullptr);
  }
}

// The column counts characters, so that the caret stands under the mistake in any language.
TEST(DiagnosticAt, CountsCharacters) {
  const Diagnostic diagnostic = diagnostic_at("f", "x\nWürfel: -1\ny\n", 2, 10);
  EXPECT_EQ(diagnostic.position.column, 9);
  EXPECT_EQ(diagnostic.excerpt, "Würfel: -1");
}

// Values in messages are short, on one line and never cut within a character.
TEST(Describe, ShortensValues) {
  Document document;
  std::string text = "\"";
  for (int i = 0; i < 100; ++i) text += "ü";
  ASSERT_EQ(parse_text(text + "\"", document), "");
  const std::string shown = describe(*document.root);
  EXPECT_LT(shown.size(), 80U);
  EXPECT_TRUE(contains(shown, "üü …"));
}

// Only UTF-8 text is read: a byte that no text has is reported with its place.
TEST(ReadText, RefusesWhatIsNotText) {
  const SceneFolder folder;
  const auto mistake = [&](const std::string& content) {
    return folder.mistakes_of(folder.write("scene.yaml", content));
  };
  EXPECT_TRUE(contains(mistake(std::string("title: a\nb\0c", 12)),
                       "scene.yaml:2:2: expected a text file in UTF-8, found the byte 0x00"));
  EXPECT_TRUE(contains(mistake("title: \xff\xfe"), "scene.yaml:1:8: expected a text file"));
  EXPECT_TRUE(contains(mistake("title: \xc3("), "found the byte 0xc3"));
  EXPECT_TRUE(contains(mistake("title: \xed\xa0\x80"), "found the byte 0xed"));  // a surrogate
  EXPECT_TRUE(contains(mistake("title: \xe2\x82"), "found the byte 0xe2"));      // cut short
  EXPECT_TRUE(contains(mistake("\x89PNG\r\n\x1a\n"), "found the byte 0x89"));
}

}  // namespace
}  // namespace talus::scene::detail::TALUS_TEST_FILE
