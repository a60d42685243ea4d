#include "tools/transfer/import/importer.h"

#include "document/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>

namespace partita::tools::transfer {
namespace {

using testing::HasSubstr;

constexpr uint64_t kDocuments = 3000;

// UnreliableDestination: a container in memory that answers at once, and throttles, loses answers, splits, or dies when it was
// told to.
class UnreliableDestination : public Destination {
 public:
  explicit UnreliableDestination(uint64_t seed) : random_(seed) {}

  Result<std::vector<client::PartitionRange>> ranges() override {
    return std::vector<client::PartitionRange>{{.id = "0", .hashes = {.max = middle_}}, {.id = "1", .hashes = {.min = middle_}}};
  }
  void write(const std::string& range_id, std::span<const PendingWrite> writes,
             std::move_only_function<void(std::vector<WriteAnswer>)> callback) override {
    std::vector<WriteAnswer> answers;
    const bool is_lost = chance(loss);
    for (const PendingWrite& one : writes) {
      EXPECT_EQ(range_id, one.hash < middle_ ? "0" : "1");
      answers.push_back(write_one(one));
      if (is_lost) answers.back() = {.reason = "the connection was lost"};
    }
    callback(std::move(answers));
  }
  void read(const PendingWrite& write, std::move_only_function<void(ReadAnswer)> callback) override {
    const auto found = documents.find(write.identity());
    callback(found == documents.end() ? ReadAnswer{.status = 404} : ReadAnswer{.status = 200, .document = found->second});
  }
  bool makes_keys() const override { return mints_keys; }
  size_t batch_max() const override { return 7; }

  std::map<std::string, std::string> documents;
  WriteMode mode = WriteMode::kInsert;
  bool mints_keys = false;  // a document that is written twice is there twice
  double loss = 0;
  double throttle = 0;
  int refuses_status = 0;

 private:
  bool chance(double share) { return std::uniform_real_distribution<>()(random_) < share; }

  WriteAnswer write_one(const PendingWrite& write) {
    if (refuses_status != 0) return {.status = refuses_status, .reason = "no"};
    if (chance(throttle)) return {.status = 429, .retry_after_ms = 1};
    const bool is_there = documents.contains(write.identity());
    if (mints_keys) {
      const bool is_first = documents.emplace(write.identity() + std::string(is_there ? "again" : ""), write.document).second;
      EXPECT_TRUE(is_first && !is_there);
      return {.status = 201, .charge = 5};
    }
    if (mode == WriteMode::kReplace && !is_there) return {.status = 404, .reason = "missing"};
    if (is_there && (mode == WriteMode::kInsert || mode == WriteMode::kSkip)) return {.status = 409, .reason = "taken"};
    documents[write.identity()] = write.document;
    return {.status = is_there ? 200 : 201, .charge = 5};
  }

  std::mt19937_64 random_;
  EffectivePartitionKey middle_ = "\x20";
};

class CountingSource : public RecordSource {
 public:
  CountingSource(uint64_t from, bool has_ids) : next_(from), has_ids_(has_ids) {}

  Result<bool> next(SourceRecord& record) override {
    if (next_ == kDocuments) return false;
    const uint64_t number = next_++;
    record.line = next_;
    const std::string id = has_ids_ ? "\"id\":\"d" + std::to_string(number) + "\"," : "";
    EXPECT_TRUE(read_json("{" + id + "\"pk\":" + std::to_string(number % 100) + ",\"n\":" + std::to_string(number) + "}",
                          record.document));
    return true;
  }
  std::string_view name() const override { return "counted"; }
  std::optional<std::string> position() const override { return std::to_string(next_); }
  bool is_ordered() const override { return true; }
  std::optional<double> progress() const override { return std::nullopt; }

 private:
  uint64_t next_;
  bool has_ids_;
};

// Stops a transfer after so many looks.
class StoppingWatch : public TransferWatch {
 public:
  explicit StoppingWatch(int looks) : looks_(looks) {}
  void show(const Progress&) override { --looks_; }
  bool is_stopped() const override { return looks_ <= 0; }

 private:
  int looks_;
};

ImportOptions options_of(WriteMode mode) {
  ImportOptions options{.mode = mode, .window_first = 300, .window_max = 500, .patience = std::chrono::seconds(20)};
  options.partition_key.paths = {DocumentPath::parse("/pk").value()};
  options.partition_key.version = 2;
  return options;
}

struct Ended {
  Status status;
  Checkpoint checkpoint;
  Tally tally;
};
Ended run(UnreliableDestination& destination, const Checkpoint& from, int looks, bool has_ids = true, size_t window = 300) {
  CountingSource source(from.position.empty() ? 0 : std::stoull(from.position), has_ids);
  StoppingWatch watch(looks);
  ImportOptions options = options_of(destination.mode);
  options.window_first = std::min(window, options.window_first);
  options.window_max = std::min(window, options.window_max);
  Importer importer(source, destination, nullptr, nullptr, watch, options, from);
  Status status = importer.run();
  return {.status = std::move(status), .checkpoint = importer.checkpoint(), .tally = importer.tally()};
}

constexpr int kNever = 1 << 30;

TEST(Importer, LooksForADocumentInDoubtWhereTheServerMakesKeys) {
  UnreliableDestination destination(5);
  destination.mints_keys = true;
  destination.loss = 0.03;
  Checkpoint checkpoint;
  checkpoint.claimed = run(destination, {}, 5).checkpoint.claimed;
  const Ended ended = run(destination, checkpoint, kNever);
  ASSERT_TRUE(ended.status) << ended.status.error().message;
  EXPECT_EQ(destination.documents.size(), kDocuments);
  EXPECT_EQ(ended.tally.stored.documents, kDocuments);
}

TEST(Importer, WritesEveryDocumentOnceWhateverIsLostOrThrottled) {
  for (const bool has_ids : {true, false}) {
    UnreliableDestination destination(7);
    destination.loss = 0.03;
    destination.throttle = 0.01;
    const Ended ended = run(destination, {}, kNever, has_ids);
    ASSERT_TRUE(ended.status) << ended.status.error().message;
    EXPECT_EQ(destination.documents.size(), kDocuments);
    EXPECT_EQ(ended.tally.stored.documents, kDocuments);
    EXPECT_EQ(ended.checkpoint.documents, kDocuments);
    EXPECT_EQ(ended.checkpoint.tally, ended.tally);
  }
}

TEST(Importer, GoesOnFromAnyCheckpointThatIsOlderThanTheDestination) {
  UnreliableDestination whole(1);
  const ContentSum expected = run(whole, {}, kNever).tally.stored;
  for (const WriteMode mode : {WriteMode::kInsert, WriteMode::kUpsert, WriteMode::kSkip}) {
    UnreliableDestination destination(11);
    destination.mode = mode;
    Checkpoint checkpoint{.before = ContentSum()};
    for (int looks = 3; looks < 12; looks += 4) {
      const Ended ended = run(destination, checkpoint, looks);
      EXPECT_FALSE(ended.status);
      // What a process that is killed leaves: where it was some time ago, and what it claimed.
      checkpoint.claimed = ended.checkpoint.claimed;
    }
    const Ended ended = run(destination, checkpoint, kNever);
    ASSERT_TRUE(ended.status) << ended.status.error().message;
    EXPECT_EQ(destination.documents.size(), kDocuments);
    EXPECT_EQ(ended.tally.stored, expected);
    EXPECT_EQ(ended.tally.refused, 0U);
  }
}

TEST(Importer, ComesToAnEndWithOneDocumentInFlight) {
  UnreliableDestination destination(1);
  const Ended ended = run(destination, {}, 100'000, true, 1);
  ASSERT_TRUE(ended.status) << ended.status.error().message;
  EXPECT_EQ(ended.tally.stored.documents, kDocuments);
}

TEST(Importer, RefusesAnotherDocumentWithTheSameIdAlsoWhenItIsInDoubt) {
  UnreliableDestination destination(1);
  const Ended first = run(destination, {}, kNever);
  destination.documents.begin()->second = R"({"id":"d0","other":1})";
  Checkpoint again{.claimed = first.checkpoint.claimed};
  const Ended ended = run(destination, again, kNever);
  ASSERT_TRUE(ended.status) << ended.status.error().message;
  EXPECT_EQ(ended.tally.refused, 1U);
  EXPECT_EQ(ended.tally.stored.documents, kDocuments - 1);
}

TEST(Importer, StopsWhenTooManyAreRefusedAndWhenNothingHelps) {
  UnreliableDestination destination(1);
  ASSERT_TRUE(run(destination, {}, kNever).status);
  const Ended refused = run(destination, {}, kNever);
  ASSERT_FALSE(refused.status);
  EXPECT_THAT(refused.status.error().message, HasSubstr("more than --max-errors 100"));
  destination.refuses_status = 401;
  const Ended hopeless = run(destination, {}, kNever);
  ASSERT_FALSE(hopeless.status);
  EXPECT_THAT(hopeless.status.error().message, HasSubstr("the server answers 401: no"));
}

TEST(Judgement, DependsOnTheModeAndOnDoubt) {
  const PendingWrite sure;
  const PendingWrite doubtful{.is_in_doubt = true};
  EXPECT_EQ(judge({.status = 409}, sure, WriteMode::kInsert), Judgement::kRefused);
  EXPECT_EQ(judge({.status = 409}, doubtful, WriteMode::kInsert), Judgement::kCompare);
  EXPECT_EQ(judge({.status = 409}, sure, WriteMode::kSkip), Judgement::kSkipped);
  EXPECT_EQ(judge({.status = 409}, doubtful, WriteMode::kUpsert), Judgement::kRefused);
  EXPECT_EQ(judge({.status = 404}, sure, WriteMode::kReplace), Judgement::kRefused);
  EXPECT_EQ(judge({.status = 404}, sure, WriteMode::kInsert), Judgement::kHopeless);
  EXPECT_EQ(judge({.status = 403}, sure, WriteMode::kInsert), Judgement::kHopeless);
  EXPECT_EQ(judge({.status = 403, .sub_status = 1014}, sure, WriteMode::kInsert), Judgement::kRefused);
  EXPECT_EQ(judge({.status = 410}, sure, WriteMode::kInsert), Judgement::kElsewhere);
  EXPECT_EQ(judge({.status = 413}, sure, WriteMode::kInsert), Judgement::kAlone);
  EXPECT_EQ(judge({.status = 413}, PendingWrite{.is_alone = true}, WriteMode::kInsert), Judgement::kRefused);
  EXPECT_EQ(judge({}, sure, WriteMode::kInsert), Judgement::kAgain);
  EXPECT_EQ(judge({.status = 503}, sure, WriteMode::kInsert), Judgement::kAgain);
}

}  // namespace
}  // namespace partita::tools::transfer
