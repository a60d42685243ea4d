#include "storage/log/torn_manifest.h"

#include "storage/store.h"
#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace partita {
namespace {

struct HeardEvents : EventSink {
  void report(const Event& event) override { kinds.emplace_back(event.kind); }
  std::vector<std::string> kinds;
};

class TornManifestTest : public testing::Test {
 protected:
  TornManifestTest() {
    options_.directory = directory_.path();
    const auto store = Store::open(options_).value();
    WriteBatch batch(*store);
    batch.put(Family::kItems, "kept", "1");
    EXPECT_TRUE(store->apply_durably(batch));
  }

  std::filesystem::path manifest() const {
    std::string name;
    std::ifstream(directory_.path() + "/CURRENT") >> name;
    return std::filesystem::path(directory_.path()) / name;
  }
  void append(const std::string& bytes) const { std::ofstream(manifest(), std::ios::binary | std::ios::app) << bytes; }

  TemporaryDirectory directory_;
  StoreOptions options_;
};

// A checksum, the length 500, the type of a whole record, and a part of the 500 bytes.
const std::string kBeginning = std::string("\x12\x34\x56\x78\xF4\x01\x01", 7) + std::string(100, 'x');

TEST_F(TornManifestTest, IsReadUpToTheRecordThatWasNeverFinishedAndThatIsTold) {
  append(kBeginning + std::string(400, '\0'));
  HeardEvents events;
  options_.events = &events;
  const Result<std::unique_ptr<Store>> store = Store::open(options_);
  ASSERT_TRUE(store) << store.error().message;
  std::string value;
  EXPECT_EQ((*store)->get(Family::kItems, "kept", value), true);
  EXPECT_EQ(value, "1");
  EXPECT_THAT(events.kinds, testing::Contains("torn-manifest"));  // beside what RocksDB said
}

TEST_F(TornManifestTest, IsReadAndLeftAsItIsByWhoMayNotWrite) {
  append(kBeginning + std::string(400, '\0'));
  const auto bytes = std::filesystem::file_size(manifest());
  options_.is_read_only = true;
  const Result<std::unique_ptr<Store>> store = Store::open(options_);
  ASSERT_TRUE(store) << store.error().message;
  std::string value;
  EXPECT_EQ((*store)->get(Family::kItems, "kept", value), true);
  EXPECT_EQ(std::filesystem::file_size(manifest()), bytes);
}

TEST_F(TornManifestTest, OtherDamageIsRefused) {
  {
    std::fstream file(manifest(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(20);
    file.put('!');
  }
  append(kBeginning + std::string(400, '\0'));
  const Result<std::unique_ptr<Store>> store = Store::open(options_);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kCorruption);
}

TEST_F(TornManifestTest, AWholeOneIsLeftAlone) {
  const auto bytes = std::filesystem::file_size(manifest());
  EXPECT_FALSE(find_torn_manifest(directory_.path()));
  EXPECT_EQ(std::filesystem::file_size(manifest()), bytes);
}

}  // namespace
}  // namespace partita
