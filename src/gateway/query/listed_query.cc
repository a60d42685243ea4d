#include "gateway/query/listed_query.h"

namespace partita {
namespace {

// Does every result come from a row of its own, in the order of the rows?
bool keeps_rows(const query::Plan& plan) {
  return plan.sources.size() == 1 && !plan.grouping && plan.order.empty() && !plan.ranking && !plan.is_distinct &&
         plan.offset == 0 && !plan.limit;
}

// ListedSource: the rows of a list behind a number.
class ListedSource final : public query::RowSource {
 public:
  ListedSource(const Listing& listing, uint64_t after) : listing_(listing), after_(after) {}

  Result<Value> next() override {
    while (next_ < listing_.size && listing_.number(next_) <= after_) ++next_;
    if (next_ == listing_.size) return Value();
    row_.clear();
    TRY(listing_.write(next_++, row_));
    ++rows_read_;
    return row_.view();
  }
  uint64_t number() const override { return next_; }

  uint64_t feed_number() const { return listing_.number(next_ - 1); }
  uint64_t rows_read() const { return rows_read_; }

 private:
  const Listing& listing_;
  const uint64_t after_;
  StoredWriter row_;
  size_t next_ = 0;
  uint64_t rows_read_ = 0;
};

// PageBuilder: takes rows until a page is full.
class PageBuilder {
 public:
  explicit PageBuilder(size_t items_max) : items_max_(items_max) {}

  // False when it is full and has not taken the row.
  bool add(uint64_t number, std::string_view stored) {
    page_.has_more = page_.rows.size() >= items_max_ || bytes_ >= kListedPageBytesMax;
    if (page_.has_more) return false;
    bytes_ += stored.size();
    page_.rows.push_back({number, std::string(stored)});
    return true;
  }
  ListedPage take(uint64_t rows_read) {
    page_.rows_read = rows_read;
    return std::move(page_);
  }

 private:
  size_t items_max_;
  size_t bytes_ = 0;
  ListedPage page_;
};

}  // namespace

Listing listing_of(std::vector<FeedRow> rows) {
  auto all = std::make_shared<const std::vector<FeedRow>>(std::move(rows));
  return {.size = all->size(),
          .number = [all](size_t index) { return (*all)[index].number; },
          .write = [all](size_t index, StoredWriter& out) -> Status {
            out.value(Value::view((*all)[index].stored));
            return {};
          }};
}

Result<ListedPage> read_listed(const Listing& listing, const ListedRequest& request) {
  ListedSource source(listing, request.after);
  PageBuilder page(request.items_max);
  while (true) {
    TRY_ASSIGN(const Value row, source.next());
    if (row.is_undefined() || !page.add(source.feed_number(), row.bytes())) return page.take(source.rows_read());
  }
}

Result<ListedPage> query_listed(const Listing& listing, const Value& specification, const query::Environment& environment,
                                const ListedRequest& request) {
  TRY_ASSIGN(const query::QuerySpecification wanted, query::QuerySpecification::from(specification));
  TRY_ASSIGN(const query::Plan plan, query::compile(wanted));
  const bool has_numbers = keeps_rows(plan);
  ListedSource source(listing, has_numbers ? request.after : 0);
  query::QueryExecution execution(plan, source, environment);
  PageBuilder page(request.items_max);
  uint64_t results = 0;
  while (true) {
    Value row;
    TRY_ASSIGN(const query::QueryExecution::Step step, execution.next(row));
    if (step == query::QueryExecution::Step::kEnd) return page.take(source.rows_read());
    if (step != query::QueryExecution::Step::kRow) continue;
    if (!has_numbers && ++results <= request.after) continue;
    if (!page.add(has_numbers ? source.feed_number() : results, row.bytes())) return page.take(source.rows_read());
  }
}

}  // namespace partita
