#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

// Searches for one text in another in time that grows with the sum of their lengths: what the standard library's find() does
// takes the product of them for texts like aaaa and aaab.
namespace partita::query {
namespace find_text_detail {

// Shorter texts are searched for by the standard library, which is faster with them.
inline constexpr size_t kShortMax = 32;

// Knuth, Morris and Pratt. The position of the first match in the range, or its length.
template <typename Iterator>
size_t find_in(Iterator text, size_t text_size, Iterator wanted, size_t wanted_size) {
  using Difference = typename std::iterator_traits<Iterator>::difference_type;
  const auto unit = [](Iterator base, size_t index) { return base[static_cast<Difference>(index)]; };
  std::vector<size_t> shorter(wanted_size, 0);  // the longest true prefix that ends the text up to here
  for (size_t i = 1, matched = 0; i < wanted_size; ++i) {
    while (matched > 0 && unit(wanted, i) != unit(wanted, matched)) matched = shorter[matched - 1];
    if (unit(wanted, i) == unit(wanted, matched)) ++matched;
    shorter[i] = matched;
  }
  for (size_t i = 0, matched = 0; i < text_size; ++i) {
    while (matched > 0 && unit(text, i) != unit(wanted, matched)) matched = shorter[matched - 1];
    if (unit(text, i) == unit(wanted, matched)) ++matched;
    if (matched == wanted_size) return i + 1 - wanted_size;
  }
  return text_size;
}

}  // namespace find_text_detail

// As the members of std::basic_string_view do.
template <typename Unit>
size_t find_text(std::basic_string_view<Unit> text, std::basic_string_view<Unit> wanted, size_t from = 0) {
  if (wanted.size() <= find_text_detail::kShortMax || from > text.size()) return text.find(wanted, from);
  const size_t rest = text.size() - from;
  const size_t found = find_text_detail::find_in(text.data() + from, rest, wanted.data(), wanted.size());
  return found == rest ? std::basic_string_view<Unit>::npos : from + found;
}

template <typename Unit>
size_t find_last_text(std::basic_string_view<Unit> text, std::basic_string_view<Unit> wanted) {
  if (wanted.size() <= find_text_detail::kShortMax) return text.rfind(wanted);
  const size_t found = find_text_detail::find_in(text.rbegin(), text.size(), wanted.rbegin(), wanted.size());
  return found == text.size() ? std::basic_string_view<Unit>::npos : text.size() - found - wanted.size();
}

}  // namespace partita::query
