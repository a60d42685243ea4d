#pragma once

#include "engine/item/resource_rid.h"
#include "gateway/scripts/script_texts.h"

#include <charconv>
#include <cstddef>
#include <mutex>
#include <vector>

namespace partita {

// TestTexts: remembers every position that it is given; its text is its place in the list. Thread-safe.
class TestTexts final : public ScriptTexts {
 public:
  std::string container_link(const Container& container) const override { return container.identity.self_link; }
  std::optional<DocumentNumber> document_number(std::string_view name, const Container& container) const override {
    return document_number_in_rid(name, container.identity.rid_bytes);
  }
  std::optional<AttachmentNumber> attachment_number(std::string_view name, const Container& container,
                                                    DocumentNumber document) const override {
    return attachment_number_in_rid(name, container.identity.rid_bytes, document);
  }

  std::string message_of(const Error& error) const override { return error.message; }

  std::string encode(const FeedContinuation& continuation, const Container& /*container*/) const override {
    return feeds_.keep(continuation);
  }
  Result<FeedContinuation> decode_feed(std::string_view text, const Container& /*container*/) const override {
    return feeds_.find(text);
  }
  std::string encode(const QueryContinuation& continuation, std::string_view /*query_text*/,
                     const Container& /*container*/) const override {
    return queries_.keep(continuation);
  }
  Result<QueryContinuation> decode_query(std::string_view text, std::string_view /*query_text*/, const query::Plan& plan,
                                         const Container& /*container*/) const override {
    TRY_ASSIGN(QueryContinuation found, queries_.find(text));
    if (!query::is_position_in(plan, found.position.progress)) return foreign();
    return found;
  }

 private:
  static std::unexpected<Error> foreign() { return fail(ErrorCode::kInvalidInput, "This is no continuation."); }

  template <typename Kept>
  class List {
   public:
    std::string keep(const Kept& kept) {
      std::lock_guard lock(mutex_);
      kept_.push_back(kept);
      return std::to_string(kept_.size() - 1);
    }
    Result<Kept> find(std::string_view text) const {
      size_t place = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place);
      std::lock_guard lock(mutex_);
      if (error != std::errc() || end != text.data() + text.size() || place >= kept_.size()) return foreign();
      return kept_[place];
    }

   private:
    mutable std::mutex mutex_;
    std::vector<Kept> kept_;  // guarded by mutex_
  };

  mutable List<FeedContinuation> feeds_;
  mutable List<QueryContinuation> queries_;
};

}  // namespace partita
