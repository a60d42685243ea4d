#include "tools/advise/score/advisor.h"

#include "document/json/json.h"
#include "tools/advise/report/render_advice.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace partita::tools::advise {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The same for every run.
class Draw {
 public:
  uint64_t below(uint64_t bound) {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return (state_ >> 33) % bound;
  }

 private:
  uint64_t state_ = 15;
};

std::string date_of(int64_t day) {
  const std::chrono::year_month_day date(std::chrono::sys_days(std::chrono::days(20'500 + day)));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

// Words behind each other, whatever the lines are.
std::string unwrapped(std::string_view text) {
  std::string out;
  for (const char character : text) {
    const char next = character == '\n' ? ' ' : character;
    if (next != ' ' || !out.ends_with(' ')) out += next;
  }
  return out;
}

class AdvisorTest : public testing::Test {
 protected:
  void ask(std::string_view workload) { terms_.queries = std::move(parse_workload(workload)).value(); }
  Advice advise_on(int64_t documents, const std::function<std::string(int64_t)>& document) {
    Advisor advisor(std::move(terms_));
    for (int64_t i = 0; i < documents; ++i) {
      const std::string stored = stored_from_json(document(i)).value();
      advisor.add(Value::view(stored));
    }
    return advisor.finish();
  }
  static const RankedCandidate& named(const Advice& advice, std::string_view name) {
    const auto found =
        std::ranges::find_if(advice.candidates, [&](const auto& ranked) { return ranked.candidate.name() == name; });
    EXPECT_NE(found, advice.candidates.end()) << name;
    return *found;
  }

  AdvisorTerms terms_;
  Draw draw_;
};

}  // namespace

TEST_F(AdvisorTest, GivesTelemetryItsDevice) {
  const Advice advice = advise_on(12'000, [&](int64_t i) {
    return fmt::format(R"({{"id":"t{}","deviceId":"d{}","date":"{}","time":"{}T{:02}:00:00Z","heat":{}.5}})", i,
                       draw_.below(1'000), date_of(i / 400), date_of(i / 400), i % 24, draw_.below(90));
  });
  EXPECT_EQ(advice.candidates[0].candidate.name(), "/deviceId");
  EXPECT_EQ(advice.candidates[0].verdict, "recommended");
  EXPECT_EQ(advice.candidates[0].textbook, "IoT: a key value per device");
  EXPECT_EQ(advice.time_property, "/time");
  // Measurements are no keys.
  for (const RankedCandidate& ranked : advice.candidates) EXPECT_THAT(ranked.candidate.name(), Not(HasSubstr("heat")));
}

TEST_F(AdvisorTest, SeesThatADayIsHotWhateverItsAverage) {
  const Advice advice = advise_on(12'000, [&](int64_t i) {
    return fmt::format(R"({{"id":"t{}","sensorId":"d{}","date":"{}"}})", i, draw_.below(1'000), date_of(i / 50));
  });
  const RankedCandidate& day = named(advice, "/date");
  EXPECT_LT(day.figures.skew.requests, 1.6);
  EXPECT_NEAR(day.figures.skew.over_time, 10, 0.5);
  EXPECT_TRUE(day.figures.is_hot_now);
  EXPECT_EQ(day.verdict, "avoid");
  EXPECT_EQ(day.textbook, "time series: a key value per day");
  EXPECT_THAT(day.reason, HasSubstr("10000 of 100000 RU/s"));
  EXPECT_THAT(day.reason, HasSubstr("times that many documents share (some 50)"));
  EXPECT_THAT(unwrapped(render_table(advice)), HasSubstr("all of one time go to one partition"));
  EXPECT_THAT(render_html(advice, "t"), HasSubstr("all of one time go to one partition"));
  EXPECT_NEAR(named(advice, "/sensorId").figures.skew.over_time, 1, 0.4);
  EXPECT_LT(named(advice, "/date + random 1..100").figures.skew.over_time, 2.5);
  // Days that are over do not grow.
  EXPECT_LT(day.figures.largest_projected_bytes, 1e5);
}

TEST_F(AdvisorTest, SaysThatLatestTimesAreNoHotSpotByThemselves) {
  const Advice advice = advise_on(1'500, [&](int64_t i) {
    return fmt::format(R"({{"id":"t{}","sensorId":"d{}","time":"{}T{:02}:{:02}:{:02}Z"}})", i, draw_.below(1'000),
                       date_of(i / 3'600), 10, i / 60 % 60, i % 60);
  });
  const RankedCandidate& time = named(advice, "/time");
  EXPECT_TRUE(time.figures.is_monotonic);
  EXPECT_FALSE(time.figures.is_hot_now);
  EXPECT_THAT(time.reason, HasSubstr("that is no hot spot here"));
  EXPECT_THAT(named(advice, "/sensorId").reason, Not(HasSubstr("times")));
}

TEST_F(AdvisorTest, TakesASharedTimeForHotWhereNothingCanBeMeasured) {
  // Too few have the day for it to be the time of the documents.
  const Advice advice = advise_on(2'000, [&](int64_t i) {
    const std::string day = i % 5 == 0 ? "" : fmt::format(R"(,"day":"{}")", date_of(i / 20));
    return fmt::format(R"({{"id":"t{}","sensorId":"d{}"{}}})", i, draw_.below(1'000), day);
  });
  EXPECT_EQ(advice.time_property, "");
  const RankedCandidate& day = named(advice, "/day");
  EXPECT_EQ(day.figures.skew.over_time, 10);
  EXPECT_EQ(day.verdict, "avoid");
  EXPECT_THAT(day.reason, HasSubstr("all of one time go to one partition"));
  EXPECT_TRUE(named(advice, "/day, /sensorId").figures.is_hot_now) << "the first level decides where documents are";
}

TEST_F(AdvisorTest, GivesProfilesTheIdThatTheyAreReadBy) {
  ask("9 SELECT c.name FROM c WHERE c.id = @id\n1 SELECT VALUE COUNT(1) FROM c WHERE c.country = 'no'\n");
  const Advice advice = advise_on(6'000, [&](int64_t i) {
    return fmt::format(R"({{"id":"u{}","name":"n{}","country":"c{}","picture":"{}"}})", i, draw_.below(5'000), draw_.below(7),
                       std::string(900, 'x'));
  });
  EXPECT_EQ(advice.candidates[0].candidate.name(), "/id");
  EXPECT_NEAR(advice.candidates[0].figures.routing->one_partition_share, 0.9, 1e-9);
  EXPECT_NEAR(advice.candidates[0].figures.routing->mean_partitions, 0.9 + 0.1 * 10, 1e-9);
  EXPECT_EQ(advice.candidates[0].textbook, "profiles: a key value per user or item");
  EXPECT_EQ(advice.fields.cold, std::vector<std::string>{"picture"});
}

TEST_F(AdvisorTest, FindsManyMembersThatAreColdTogether) {
  const auto documents_with = [&](size_t bytes) {
    ask("1 SELECT c.name FROM c WHERE c.id = @id\n");
    return advise_on(1'000, [&](int64_t i) {
      std::string json = fmt::format(R"({{"id":"u{}","name":"n{}","_etag":"{}")", i, i % 7, std::string(500, 'e'));
      for (int member = 0; member < 20; ++member) json += fmt::format(R"(,"m{:02}":"{}")", member, std::string(bytes, 'x'));
      return json + "}";
    });
  };
  const Advice large = documents_with(100);
  EXPECT_EQ(large.fields.cold.size(), 20);
  EXPECT_LT(large.fields.read_units_without_cold, large.fields.read_units_now);
  EXPECT_THAT(large.notes, Contains(HasSubstr("m00, m01, m02, m03, m04 and 15 more have 9")));
  EXPECT_THAT(documents_with(10).fields.cold, IsEmpty()) << "little would be saved";
}

TEST_F(AdvisorTest, FindsMembersThatAreReadTogether) {
  const auto document = [](int64_t i) {
    return fmt::format(R"({{"id":"p{}","name":"n{}","price":{},"stock":{},"shelf":"s{}","text":"{}"}})", i, i % 90, i % 50,
                       i % 40, i % 30, std::string(400, 'x'));
  };
  ask("6 SELECT c.name, c.price FROM c WHERE c.id = @id\n"
      "3 SELECT c.stock FROM c WHERE c.shelf = @shelf\n"
      "1 SELECT c.price FROM c WHERE c.id = @id\n");
  const Advice advice = advise_on(1'000, document);
  ASSERT_EQ(advice.fields.groups.size(), 2u);
  EXPECT_THAT(advice.fields.groups[0].fields, ElementsAre("id", "name", "price"));
  EXPECT_NEAR(advice.fields.groups[0].read_share, 0.7, 1e-9);
  EXPECT_THAT(advice.fields.groups[1].fields, ElementsAre("shelf", "stock"));
  EXPECT_NEAR(advice.fields.groups[1].read_share, 0.3, 1e-9);
  EXPECT_LT(advice.fields.groups[1].byte_share, 0.1);
  EXPECT_THAT(unwrapped(render_table(advice)), HasSubstr("Read together: id, name, price (70 % of queries, "));
  EXPECT_THAT(render_html(advice, "t"), HasSubstr("<code>shelf, stock</code>: 30 % of the queries"));
  EXPECT_THAT(render_json(advice), HasSubstr(R"("fieldGroups":[{"fields":["id","name","price"],)"));
  // One query that reads both makes one group of them, in whichever order they come.
  ask("6 SELECT c.name, c.price FROM c WHERE c.id = @id\n"
      "3 SELECT c.stock FROM c WHERE c.shelf = @shelf\n"
      "1 SELECT c.price, c.stock FROM c WHERE c.id = @id\n");
  const Advice joined = advise_on(1'000, document);
  ASSERT_EQ(joined.fields.groups.size(), 1u);
  EXPECT_THAT(joined.fields.groups[0].fields, ElementsAre("id", "name", "price", "shelf", "stock"));
}

TEST_F(AdvisorTest, SaysThatNoTenantIsAGiant) {
  const Advice advice =
      advise_on(1'000, [&](int64_t i) { return fmt::format(R"({{"id":"o{}","tenantId":"t{}"}})", i, draw_.below(300)); });
  EXPECT_THAT(advice.notes, Contains(HasSubstr("No tenant is a giant (the largest has ")));
  EXPECT_THAT(advice.notes, Not(Contains(HasSubstr("Tiers"))));
}

TEST_F(AdvisorTest, ProposesAContainerPerMonthForMoreThanAMonth) {
  const auto notes_over = [&](int64_t days) {
    return advise_on(1'000,
                     [&](int64_t i) {
                       return fmt::format(R"({{"id":"m{}","sensorId":"d{}","date":"{}"}})", i, draw_.below(300),
                                          date_of(i * days / 1'000));
                     })
        .notes;
  };
  EXPECT_THAT(notes_over(60),
              Contains(HasSubstr("The documents span 59 days by /date. If old ones are rarely read, one container")));
  EXPECT_THAT(notes_over(20), Not(Contains(HasSubstr("one container per month"))));
}

TEST_F(AdvisorTest, DividesAGiantTenant) {
  ask("7 SELECT * FROM c WHERE c.tenantId = @t AND c.userId = @u\n3 SELECT * FROM c WHERE c.tenantId = @t\n");
  const Advice advice = advise_on(20'000, [&](int64_t i) {
    const uint64_t tenant = draw_.below(10) < 6 ? 0 : 1 + draw_.below(300);
    return fmt::format(R"({{"id":"o{}","tenantId":"t{}","userId":"u{}-{}"}})", i, tenant, tenant,
                       draw_.below(tenant == 0 ? 5'000 : 50));
  });
  EXPECT_EQ(advice.candidates[0].candidate.name(), "/tenantId, /userId");
  EXPECT_EQ(advice.candidates[0].figures.routing->one_partition_share, 1);
  const RankedCandidate& tenant = named(advice, "/tenantId, /id");
  EXPECT_NEAR(tenant.figures.skew.storage, 6.4, 0.5);
  ASSERT_FALSE(advice.notes.empty());
  EXPECT_THAT(advice.notes[0], HasSubstr("60 % of all bytes. Tiers"));
}

TEST_F(AdvisorTest, CountsTransactionsThatABoundaryWouldCut) {
  Advisor advisor(std::move(terms_));
  for (uint32_t i = 0; i < 4'000; ++i) {
    const std::string stored =
        stored_from_json(fmt::format(R"({{"id":"i{}","orderId":"o{}","shelfId":"s{}"}})", i, i / 4, draw_.below(200))).value();
    const DocumentUse use{.units = 5, .transactions = {i / 4}};
    advisor.add(Value::view(stored), &use);
  }
  const Advice advice = advisor.finish();
  EXPECT_EQ(named(advice, "/orderId").figures.transactions->seen, 1'000u);
  EXPECT_EQ(named(advice, "/orderId").figures.transactions->cut, 0u);
  EXPECT_EQ(named(advice, "/id").figures.transactions->cut, 1'000u);
  EXPECT_GT(named(advice, "/shelfId").figures.transactions->cut, 950u);
  EXPECT_EQ(advice.candidates[0].candidate.name(), "/orderId");
}

TEST_F(AdvisorTest, KnowsFromRequestsWhatIsHotAtOneTime) {
  // No document says when it was made. Each minute one batch is worked on, and all batches are as large.
  const auto advise_with = [&](bool has_times, std::string_view more) {
    Advisor advisor({});
    for (uint32_t i = 0; i < 2'000; ++i) {
      const std::string stored =
          stored_from_json(fmt::format(R"({{"id":"i{}","batchId":"b{}","shelfId":"s{}"{}}})", i, i / 40, draw_.below(300), more))
              .value();
      DocumentUse use{.units = 5};
      if (has_times) use.times = {{.seconds = 1'700'000'000 + i / 40 * 60, .units = 5}};
      advisor.add(Value::view(stored), &use);
    }
    return advisor.finish();
  };
  const Advice timed = advise_with(true, "");
  EXPECT_TRUE(timed.is_time_of_requests);
  const RankedCandidate& batch = named(timed, "/batchId");
  EXPECT_LT(batch.figures.skew.requests, 4);
  EXPECT_NEAR(batch.figures.skew.over_time, 10, 0.5);
  EXPECT_TRUE(batch.figures.is_hot_now);
  EXPECT_THAT(batch.reason, HasSubstr("what is asked for at one time goes to few partitions"));
  EXPECT_FALSE(named(timed, "/shelfId").figures.is_hot_now);
  EXPECT_THAT(unwrapped(render_table(timed)), HasSubstr("Time is that of the requests"));
  EXPECT_THAT(render_json(timed), HasSubstr(R"("isTimeOfRequests":true)"));
  const Advice untimed = advise_with(false, "");
  EXPECT_FALSE(untimed.is_time_of_requests);
  EXPECT_FALSE(named(untimed, "/batchId").figures.is_hot_now);
  // The server's own time says when documents came in, which may have been all at once; a time of their own says more.
  EXPECT_TRUE(advise_with(true, R"(,"_ts":1700000000)").is_time_of_requests);
  EXPECT_FALSE(advise_with(true, R"(,"time":"2026-03-01T10:00:00Z")").is_time_of_requests);
}

TEST_F(AdvisorTest, SaysThatNothingWillDo) {
  const Advice advice = advise_on(10, [](int64_t) { return R"({"on":true})"; });
  EXPECT_TRUE(advice.candidates.empty());
  EXPECT_THAT(advice.notes[0], HasSubstr("No property has enough values"));
  EXPECT_THAT(render_json(advice), HasSubstr(R"({"candidates":[],)"));
  EXPECT_THAT(render_table(advice), HasSubstr("10 documents"));
}

TEST_F(AdvisorTest, ShowsNoMarkupFromDocuments) {
  const Advice advice = advise_on(100, [](int64_t i) { return fmt::format(R"({{"<b>id":"<script>{}"}})", i); });
  const std::string page = render_html(advice, "<i>file");
  EXPECT_THAT(page, Not(HasSubstr("<b>id")));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("<i>file")));
  EXPECT_THAT(page, Not(HasSubstr("http")));
}

TEST_F(AdvisorTest, KeepsTheTableIn80Columns) {
  const Advice advice = advise_on(3'000, [&](int64_t i) {
    return fmt::format(R"({{"id":"i{}","aPropertyWithAVeryLongNameThatGoesOnAndOn":{{"andOnId":"v{}ä"}},"date":"{}"}})", i,
                       draw_.below(500), date_of(i / 100));
  });
  std::string table = render_table(advice);
  size_t columns = 0;
  for (const char byte : table) {
    columns = byte == '\n' ? 0 : columns + ((static_cast<unsigned char>(byte) & 0xC0) == 0x80 ? 0 : 1);
    EXPECT_LE(columns, 80u);
  }
}

}  // namespace partita::tools::advise
