#include "engine/index_terms.h"

#include "base/bytes.h"
#include "base/encodings.h"
#include "base/golden_file.h"
#include "document/key_form.h"
#include "engine/test_items.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace partita {
namespace {

std::string term_of(PathHash path, const Value& value) {
  std::string term;
  append_big_endian(term, path.value());
  append_key_form(term, value);
  return term;
}

// Gives every term that a document can have a name that people can read: its path and its value.
class TermNames {
 public:
  explicit TermNames(const Value& document) { visit(PathHash(), "", document); }
  std::string name(std::string_view term) const {
    const auto known = names_.find(term);
    return known == names_.end() ? "unknown " + hex_upper(term) : known->second;
  }

 private:
  void visit(PathHash path, const std::string& text, const Value& value) {
    const std::string shown = value.is_array() ? "[...]" : value.is_object() ? "{...}" : to_json(value);
    names_[term_of(path, value)] = text + " " + (shown.size() > 40 ? fmt::format("{} bytes", shown.size()) : shown);
    for (size_t i = 0; value.is_object() && i < value.size(); ++i) {
      visit(path.property(value.member(i).key), text + "/" + std::string(value.member(i).key), value.member(i).value);
    }
    for (size_t i = 0; value.is_array() && i < value.size(); ++i) visit(path.element(), text + "/[]", value.element(i));
  }

  std::map<std::string, std::string, std::less<>> names_;
};

std::string terms_text(const std::vector<std::string>& input) {
  std::string policy = "{}";
  PartitionKeyDefinition key;
  std::string out;
  for (const std::string& line : input) {
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string rest = line.substr(space + 1);
    if (word == "policy") {
      policy = rest;
    } else if (word == "key") {
      key = key_definition({rest});
    } else {
      const std::string stored = *stored_from_json(rest);
      const Value document = Value::view(stored);
      TermList terms;
      collect_terms(document, policy_from_json(policy, key), terms);
      const TermNames names(document);
      std::vector<std::string> lines;
      for (size_t i = 0; i < terms.size(); ++i) lines.push_back(names.name(terms[i]) + "\n");
      std::ranges::sort(lines);
      for (const std::string& named : lines) out += named;
    }
  }
  return out;
}

TermList terms_of(std::string_view json) {
  const std::string stored = *stored_from_json(json);
  TermList terms;
  collect_terms(Value::view(stored), policy_from_json("{}", {}), terms);
  return terms;
}

}  // namespace

// On disk: these values must never change.
TEST(PathHash, IsPinned) {
  EXPECT_EQ(fmt::format("{:016x}", PathHash().value()), "efd01f60ba992926");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("id").value()), "18ecb7d9b07dc0dd");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("a").property("b").value()), "1c3465d8889bdbf5");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("a").element().value()), "a383484035330cb8");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("a").element().property("b").value()), "d2037eea4a98c343");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("").value()), "b9034ad37056f5fb");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property(std::string(300, 'x')).value()), "ef66657c2c3df6f0");
}

TEST(PathHash, TellsPathsApartThatReadAlike) {
  EXPECT_NE(PathHash().property("ab").value(), PathHash().property("a").property("b").value());
  EXPECT_NE(PathHash().property("a").value(), PathHash().property("a").property("").value());
  EXPECT_NE(PathHash().property("a").element().value(), PathHash().property("a").property("[]").value());
  EXPECT_NE(PathHash().element().value(), PathHash().value());
}

TEST(IndexTerms, ArePinned) {
  const TermList terms = terms_of(R"({"id":"a"})");
  ASSERT_EQ(terms.size(), 1u);
  EXPECT_EQ(hex_upper(terms[0]), fmt::format("{:016X}", PathHash().property("id").value()) + "50610001");
}

TEST(IndexTerms, AreSortedAndWithoutRepetition) {
  const TermList terms = terms_of(R"({"tags":["x","y","x",["x"]],"n":[1,1.0,1e0]})");
  EXPECT_EQ(terms.size(), 2u + 3u + 1u + 1u);
  for (size_t i = 1; i < terms.size(); ++i) EXPECT_LT(terms[i - 1], terms[i]);
}

TEST(IndexTerms, CutLongStringsAndMarkThem) {
  const std::string whole(kKeyStringBytesMax, 'x');
  const TermList exact = terms_of("{\"s\":\"" + whole + "\"}");
  const TermList cut = terms_of("{\"s\":\"" + whole + "yz\"}");
  const TermList other_cut = terms_of("{\"s\":\"" + whole + "z\"}");
  ASSERT_EQ(exact.size(), 1u);
  EXPECT_EQ(exact[0].size(), 8 + 1 + kKeyStringBytesMax + 2);
  EXPECT_EQ(cut[0].size(), exact[0].size());
  EXPECT_LT(exact[0], cut[0]);
  EXPECT_EQ(cut[0], other_cut[0]);
}

TEST(IndexTerms, FollowThePolicy) { run_golden_file(TEST_DATA_DIR "/index_terms.txt", terms_text); }

}  // namespace partita
