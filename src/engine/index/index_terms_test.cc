#include "engine/index/index_terms.h"

#include "base/bytes.h"
#include "base/encodings.h"
#include "base/golden_file.h"
#include "document/key/key_form.h"
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
  TermNames(const Value& document, const IndexingPolicy& policy) {
    visit(PathHash(), "", document);
    for (const CompositeIndex& index : policy.composite_indexes()) composites_.push_back(composite_path(index));
  }
  std::string name(std::string_view term) const {
    if (const auto known = names_.find(term); known != names_.end()) return known->second;
    for (const ValuePath& path : composites_) {
      if (is_at(PathHash::of(path), term)) return to_text(path) + " " + hex_upper(term.substr(sizeof(uint64_t)));
    }
    const auto derived = derived_.find(load_big_endian<uint64_t>(term.data()));
    if (derived != derived_.end()) return derived->second + " " + hex_upper(term.substr(sizeof(uint64_t)));
    return is_at(PathHash(), term) ? "shape" : "unknown " + hex_upper(term);
  }

 private:
  static bool is_at(PathHash path, std::string_view term) {
    std::string hash;
    append_big_endian(hash, path.value());
    return term.starts_with(hash);
  }

  void visit(PathHash path, const std::string& text, const Value& value) {
    const std::string shown = value.is_array() ? "[...]" : value.is_object() ? "{...}" : to_json(value);
    derived_[path.cells().value()] = text + " (cells)";
    derived_[path.words().value()] = text + " (words)";
    derived_[path.vector().value()] = text + " (vector)";
    names_[term_of(path, value)] = text + " " + (shown.size() > 40 ? fmt::format("{} bytes", shown.size()) : shown);
    for (size_t i = 0; value.is_object() && i < value.size(); ++i) {
      visit(path.property(value.member(i).key), text + "/" + std::string(value.member(i).key), value.member(i).value);
    }
    for (size_t i = 0; value.is_array() && i < value.size(); ++i) visit(path.element(), text + "/[]", value.element(i));
  }

  std::map<std::string, std::string, std::less<>> names_;
  std::vector<ValuePath> composites_;
  std::map<uint64_t, std::string> derived_;
};

std::string payload_text(std::string_view payload) { return payload.empty() ? "" : ": " + hex_upper(payload); }

std::string terms_text(const std::vector<std::string>& input) {
  std::string policy = "{}";
  std::string full_text_policy = *stored_from_json("{}");
  PartitionKeyDefinition key;
  std::string out;
  for (const std::string& line : input) {
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string rest = line.substr(space + 1);
    if (word == "policy") {
      policy = rest;
    } else if (word == "languages") {
      full_text_policy = *stored_from_json(rest);
    } else if (word == "key") {
      key = key_definition({rest});
    } else {
      const std::string stored = *stored_from_json(rest);
      const Value document = Value::view(stored);
      TermList terms;
      const IndexingPolicy parsed = policy_from_json(policy, key, Value::view(full_text_policy));
      collect_terms(document, parsed, terms);
      const TermNames names(document, parsed);
      std::vector<std::string> lines;
      for (size_t i = 0; i < terms.size(); ++i) {
        if (names.name(terms[i]) != "shape") lines.push_back(names.name(terms[i]) + payload_text(terms.payload(i)) + "\n");
      }
      std::ranges::sort(lines);
      for (const std::string& named : lines) out += named;
    }
  }
  return out;
}

TermList terms_of(std::string_view json, std::string_view policy = "{}") {
  const std::string stored = *stored_from_json(json);
  TermList terms;
  collect_terms(Value::view(stored), policy_from_json(policy, {}), terms);
  return terms;
}

// Without the path.
std::string shape_of(std::string_view json, std::string_view policy = "{}") {
  std::string root;
  append_big_endian(root, PathHash().value());
  const TermList terms = terms_of(json, policy);
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].starts_with(root)) return hex_upper(terms[i].substr(root.size()));
  }
  return "none";
}

}  // namespace

// On disk: these values must never change.
TEST(PathHash, IsPinned) {
  EXPECT_EQ(fmt::format("{:016x}", PathHash().value()), "efd01f60ba992926");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("id").value()), "18ecb7d9b07dc0dd");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("a").property("b").value()), "1c3465d8889bdbf5");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("a").element().value()), "a383484035330cb8");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("a").element().property("b").value()), "d2037eea4a98c343");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("a").cells().value()), "10e319dc0f31f81a");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("a").words().value()), "20662862d20b350b");
  EXPECT_EQ(fmt::format("{:016x}", PathHash().property("a").vector().value()), "82edda38b375853e");
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
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(hex_upper(terms[0]), fmt::format("{:016X}", PathHash().property("id").value()) + "50610001");
  EXPECT_EQ(hex_upper(terms[1]), fmt::format("{:016X}{:016X}", PathHash().value(), PathHash().property("id").value()));
}

TEST(IndexTerms, GiveDocumentsWithTermsAtTheSamePathsOneShape) {
  const std::string shape = shape_of(R"({"id":"a","n":1,"o":{"p":2},"t":[1,{"x":1}]})");
  EXPECT_EQ(shape, shape_of(R"({"t":[],"o":{"p":"other"},"n":null,"id":"b"})"));
  EXPECT_EQ(shape, shape_of(R"({"id":"a","n":1,"n":2,"o":{"p":2},"t":{}})"));
  EXPECT_NE(shape, shape_of(R"({"id":"a","o":{"p":2},"t":[1]})"));
  EXPECT_NE(shape, shape_of(R"({"id":"a","n":1,"o":{"q":2},"t":[1]})"));
  EXPECT_NE(shape, shape_of(R"({"id":"a","n":1,"o":{},"p":2,"t":[1]})"));
  const std::string_view without_n = R"({"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/n/?"}]})";
  EXPECT_EQ(shape_of(R"({"id":"a","n":1})", without_n), shape_of(R"({"id":"a"})", without_n));
}

TEST(IndexTerms, AreSortedAndWithoutRepetition) {
  const TermList terms = terms_of(R"({"tags":["x","y","x",["x"]],"n":[1,1.0,1e0]})");
  EXPECT_EQ(terms.size(), 2u + 3u + 1u + 1u + 1u);
  for (size_t i = 1; i < terms.size(); ++i) EXPECT_LT(terms[i - 1], terms[i]);
}

TEST(IndexTerms, CutLongStringsAndMarkThem) {
  const std::string whole(kKeyStringBytesMax, 'x');
  const TermList exact = terms_of("{\"s\":\"" + whole + "\"}");
  const TermList cut = terms_of("{\"s\":\"" + whole + "yz\"}");
  const TermList other_cut = terms_of("{\"s\":\"" + whole + "z\"}");
  ASSERT_EQ(exact.size(), 2u);
  const size_t at = exact[0].size() > exact[1].size() ? 0 : 1;
  EXPECT_EQ(exact[at].size(), 8 + 1 + kKeyStringBytesMax + 2);
  EXPECT_EQ(cut[at].size(), exact[at].size());
  EXPECT_LT(exact[at], cut[at]);
  EXPECT_EQ(cut[at], other_cut[at]);
}

TEST(IndexTerms, FollowThePolicy) { run_golden_file(TEST_DATA_DIR "/index_terms.txt", terms_text); }

}  // namespace partita
