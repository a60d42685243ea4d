#include "tools/transfer/import/importer.h"

#include "document/json/json.h"
#include "tools/transfer/container/prepare.h"

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
  // Page after page of one document, where the key is not told.
  void read(const PendingWrite& write, std::move_only_function<void(ReadAnswer)> callback) override {
    ++reads;
    if (read_status != 0 && chance(read_trouble)) return callback({.status = read_status, .retry_after_ms = 1, .reason = "no"});
    if (keys == KeyOrigin::kDocument) {
      const auto found = documents.find(write.identity());
      return callback(found == documents.end() ? ReadAnswer{.status = 404}
                                               : ReadAnswer{.status = 200, .documents = {found->second}});
    }
    std::vector<std::string> found;
    for (const auto& [place, document] : documents) {
      if (place.ends_with("/" + write.id)) found.push_back(document);
    }
    const size_t page = write.search->continuation.empty() ? 0 : std::stoull(write.search->continuation);
    ReadAnswer answer{.status = 200, .continuation = page < found.size() ? std::to_string(page + 1) : ""};
    if (page < found.size()) answer.documents.push_back(found[page]);
    callback(std::move(answer));
  }
  bool draws_keys() const override { return keys == KeyOrigin::kDrawn; }
  size_t batch_max() const override { return 7; }

  std::map<std::string, std::string> documents;
  WriteMode mode = WriteMode::kInsert;
  KeyOrigin keys = KeyOrigin::kDocument;  // drawn: a document that is written twice is there twice
  double loss = 0;
  double read_trouble = 1;
  int read_status = 0;
  uint64_t reads = 0;
  double throttle = 0;
  int refuses_status = 0;

 private:
  bool chance(double share) { return std::uniform_real_distribution<>()(random_) < share; }

  WriteAnswer write_one(const PendingWrite& write) {
    if (refuses_status != 0) return {.status = refuses_status, .reason = "no"};
    if (chance(throttle)) return {.status = 429, .retry_after_ms = 1};
    const std::string place = place_of(write);
    const bool is_there = documents.contains(place);
    if (mode == WriteMode::kReplace && !is_there) return {.status = 404, .reason = "missing"};
    if (is_there && (mode == WriteMode::kInsert || mode == WriteMode::kSkip)) return {.status = 409, .reason = "taken"};
    documents[place] = write.document;
    return {.status = is_there ? 200 : 201, .charge = 5};
  }

  // The key and the id.
  std::string place_of(const PendingWrite& write) {
    if (keys == KeyOrigin::kDocument) return write.identity();
    if (keys == KeyOrigin::kDrawn) return std::to_string(++drawn_) + "/" + write.id;
    const std::string stored = stored_from_json(write.document).value();
    return to_json(Value::view(stored).find("pk")) + "/" + write.id;
  }

  std::mt19937_64 random_;
  uint64_t drawn_ = 0;
  EffectivePartitionKey middle_ = "\x20";
};

// The documents are as `text` says of their numbers.
class CountingSource : public RecordSource {
 public:
  using Text = std::string (*)(uint64_t number);
  CountingSource(uint64_t from, uint64_t count, Text text) : next_(from), count_(count), text_(text) {}

  Result<bool> next(SourceRecord& record) override {
    if (next_ == count_) return false;
    const uint64_t number = next_++;
    record.line = next_;
    EXPECT_TRUE(read_json(text_(number), record.document));
    return true;
  }
  std::string_view name() const override { return "counted"; }
  std::optional<std::string> position() const override { return std::to_string(next_); }
  bool is_ordered() const override { return true; }
  std::optional<double> progress() const override { return std::nullopt; }

 private:
  uint64_t next_;
  uint64_t count_;
  Text text_;
};

std::string without_id(uint64_t number) {
  return "{\"pk\":" + std::to_string(number % 100) + ",\"n\":" + std::to_string(number) + "}";
}
std::string with_id(uint64_t number) { return R"({"id":"d)" + std::to_string(number) + "\"," + without_id(number).substr(1); }
// Four documents each, of different keys, have the same id.
std::string with_shared_id(uint64_t number) {
  return R"({"id":"d)" + std::to_string(number / 4) + R"(","pk":)" + std::to_string(number % 4) + R"(,"n":)" +
         std::to_string(number) + "}";
}

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
struct RunOptions {
  CountingSource::Text text = with_id;
  uint64_t documents = kDocuments;
  size_t window = 300;
  std::chrono::seconds patience{20};
  const char* key = "/pk";
};
Ended run(UnreliableDestination& destination, const Checkpoint& from, int looks, const RunOptions& how = {}) {
  CountingSource source(from.position.empty() ? 0 : std::stoull(from.position), how.documents, how.text);
  StoppingWatch watch(looks);
  ImportOptions options = options_of(destination.mode);
  options.window_first = std::min(how.window, options.window_first);
  options.window_max = std::min(how.window, options.window_max);
  options.patience = how.patience;
  options.partition_key.paths = {DocumentPath::parse(how.key).value()};
  Importer importer(source, destination, nullptr, nullptr, watch, options, from);
  Status status = importer.run();
  return {.status = std::move(status), .checkpoint = importer.checkpoint(), .tally = importer.tally()};
}

constexpr int kNever = 1 << 30;

// The container computes its key, which no document of the source has.
constexpr RunOptions kComputed{.text = with_shared_id, .documents = 40, .key = "/made"};

TEST(Importer, LooksForADocumentInDoubtWhereTheServerDrawsKeys) {
  constexpr RunOptions kDrawn{.documents = 600, .key = "/made"};
  UnreliableDestination destination(5);
  destination.keys = KeyOrigin::kDrawn;
  destination.loss = 0.03;
  const Ended first = run(destination, {}, 5, kDrawn);
  EXPECT_FALSE(first.status);
  const Ended ended = run(destination, {.claimed = first.checkpoint.claimed}, kNever, kDrawn);
  ASSERT_TRUE(ended.status) << ended.status.error().message;
  EXPECT_EQ(destination.documents.size(), kDrawn.documents);
  EXPECT_EQ(ended.tally.stored.documents, kDrawn.documents);
}

TEST(Importer, TellsDocumentsWithOneIdAndSeveralComputedKeysApart) {
  for (const KeyOrigin keys : {KeyOrigin::kComputed, KeyOrigin::kDrawn}) {
    UnreliableDestination destination(5);
    destination.keys = keys;
    const Ended first = run(destination, {}, kNever, kComputed);
    EXPECT_EQ(first.tally.stored.documents, kComputed.documents);
    destination.documents.erase(destination.documents.begin());
    const Ended ended = run(destination, {.claimed = first.checkpoint.claimed}, kNever, kComputed);
    ASSERT_TRUE(ended.status) << ended.status.error().message;
    EXPECT_EQ(ended.tally.refused, 0U);
    EXPECT_EQ(ended.tally.stored, first.tally.stored);
    EXPECT_EQ(destination.documents.size(), kComputed.documents);
  }
}

TEST(Importer, TakesEachOfEqualDocumentsOnceWhereTheServerDrawsKeys) {
  UnreliableDestination destination(5);
  destination.keys = KeyOrigin::kDrawn;
  RunOptions equal = kComputed;
  equal.documents = 10;
  equal.text = [](uint64_t) { return std::string(R"({"id":"d","n":1})"); };
  const Ended first = run(destination, {}, kNever, equal);
  EXPECT_EQ(destination.documents.size(), equal.documents);
  destination.documents.erase(destination.documents.begin());
  const Ended ended = run(destination, {.claimed = first.checkpoint.claimed}, kNever, equal);
  ASSERT_TRUE(ended.status) << ended.status.error().message;
  EXPECT_EQ(ended.tally.stored, first.tally.stored);
  EXPECT_EQ(destination.documents.size(), equal.documents);
}

TEST(Importer, ReplacesWhatIsInDoubtWhereTheServerComputesKeys) {
  for (const WriteMode mode : {WriteMode::kUpsert, WriteMode::kReplace}) {
    UnreliableDestination destination(5);
    destination.keys = KeyOrigin::kComputed;
    destination.mode = WriteMode::kInsert;
    const Ended first = run(destination, {}, kNever, kComputed);
    for (auto& [place, document] : destination.documents) document = R"({"old":true})";
    destination.mode = mode;
    const Ended ended = run(destination, {.claimed = first.checkpoint.claimed}, kNever, kComputed);
    ASSERT_TRUE(ended.status) << ended.status.error().message;
    EXPECT_EQ(ended.tally.refused, 0U);
    EXPECT_EQ(ended.tally.replaced, kComputed.documents);
    EXPECT_EQ(ended.tally.doubtful, mode == WriteMode::kUpsert ? kComputed.documents : 0);
    EXPECT_EQ(destination.reads, 0U);
    for (const auto& [place, document] : destination.documents) EXPECT_THAT(document, HasSubstr("\"n\""));
  }
}

TEST(Importer, LooksAgainUntilItsPatienceIsOver) {
  for (const KeyOrigin keys : {KeyOrigin::kDocument, KeyOrigin::kComputed, KeyOrigin::kDrawn}) {
    UnreliableDestination destination(5);
    destination.keys = keys;
    const Ended first = run(destination, {}, kNever, kComputed);
    const Checkpoint again{.claimed = first.checkpoint.claimed};
    RunOptions impatient = kComputed;
    impatient.patience = std::chrono::seconds(0);
    for (const int status : {410, 503}) {
      destination.read_status = status;
      EXPECT_THAT(run(destination, again, kNever, impatient).status.error().message, HasSubstr("(--patience)")) << status;
    }
    destination.read_status = 401;
    EXPECT_THAT(run(destination, again, kNever, kComputed).status.error().message, HasSubstr("the server answers 401: no"));
    destination.read_status = 429;
    destination.read_trouble = 0.2;
    const Ended ended = run(destination, again, kNever, kComputed);
    ASSERT_TRUE(ended.status) << ended.status.error().message;
    EXPECT_EQ(ended.tally.stored, first.tally.stored);
  }
}

TEST(Importer, WritesEveryDocumentOnceWhateverIsLostOrThrottled) {
  for (const bool has_ids : {true, false}) {
    UnreliableDestination destination(7);
    destination.loss = 0.03;
    destination.throttle = 0.01;
    const Ended ended = run(destination, {}, kNever, {.text = has_ids ? with_id : without_id});
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
  const Ended ended = run(destination, {}, 100'000, {.window = 1});
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

TEST(Judgement, OfWhatWasLookedFor) {
  EXPECT_EQ(judge(ReadAnswer{.status = 200}), Finding::kPage);
  EXPECT_EQ(judge(ReadAnswer{.status = 404}), Finding::kPage);
  EXPECT_EQ(judge(ReadAnswer{.status = 404, .sub_status = 1003}), Finding::kHopeless);
  EXPECT_EQ(judge(ReadAnswer{.status = 410}), Finding::kElsewhere);
  EXPECT_EQ(judge(ReadAnswer{.status = 503}), Finding::kAgain);
  EXPECT_EQ(judge(ReadAnswer{}), Finding::kAgain);
}

TEST(Judgement, DependsOnTheModeAndOnDoubt) {
  const PendingWrite sure;
  const PendingWrite doubtful{.is_in_doubt = true};
  EXPECT_EQ(judge(WriteAnswer{.status = 409}, sure, WriteMode::kInsert), Judgement::kRefused);
  EXPECT_EQ(judge(WriteAnswer{.status = 409}, doubtful, WriteMode::kInsert), Judgement::kCompare);
  EXPECT_EQ(judge(WriteAnswer{.status = 409}, sure, WriteMode::kSkip), Judgement::kSkipped);
  EXPECT_EQ(judge(WriteAnswer{.status = 409}, doubtful, WriteMode::kUpsert), Judgement::kRefused);
  EXPECT_EQ(judge(WriteAnswer{.status = 404}, sure, WriteMode::kReplace), Judgement::kRefused);
  EXPECT_EQ(judge(WriteAnswer{.status = 404}, sure, WriteMode::kInsert), Judgement::kHopeless);
  EXPECT_EQ(judge(WriteAnswer{.status = 403}, sure, WriteMode::kInsert), Judgement::kHopeless);
  EXPECT_EQ(judge(WriteAnswer{.status = 403, .sub_status = 1014}, sure, WriteMode::kInsert), Judgement::kRefused);
  EXPECT_EQ(judge(WriteAnswer{.status = 410}, sure, WriteMode::kInsert), Judgement::kElsewhere);
  EXPECT_EQ(judge(WriteAnswer{.status = 413}, sure, WriteMode::kInsert), Judgement::kAlone);
  EXPECT_EQ(judge(WriteAnswer{.status = 413}, PendingWrite{.is_alone = true}, WriteMode::kInsert), Judgement::kRefused);
  EXPECT_EQ(judge(WriteAnswer{}, sure, WriteMode::kInsert), Judgement::kAgain);
  EXPECT_EQ(judge(WriteAnswer{.status = 503}, sure, WriteMode::kInsert), Judgement::kAgain);
}

}  // namespace
}  // namespace partita::tools::transfer
