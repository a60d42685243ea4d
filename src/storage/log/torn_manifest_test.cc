#include "storage/log/torn_manifest.h"

#include "storage/log/log_end.h"
#include "storage/store.h"
#include "storage/test_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
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

// RocksDB takes a length that goes beyond the end for a record that was never finished, and forgets what is behind it.
TEST_F(TornManifestTest, NoDamagedLengthHidesWhatIsBehindIt) {
  std::string whole;
  {
    std::ifstream file(manifest(), std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(file), {});
  }
  ASSERT_LT(whole.size(), kLogBlockBytes);
  size_t records = 0;
  for (size_t at = 0; at + kLogHeaderBytes <= whole.size(); ++records) {
    for (size_t bit = 0; bit < 16; ++bit) {
      std::string damaged = whole;
      damaged[at + kLogLengthAt + bit / 8] = static_cast<char>(damaged[at + kLogLengthAt + bit / 8] ^ (1 << bit % 8));
      std::ofstream(manifest(), std::ios::binary | std::ios::trunc) << damaged;
      const Result<std::unique_ptr<Store>> store = Store::open(options_);
      ASSERT_FALSE(store) << "record at " << at << ", bit " << bit;
      EXPECT_EQ(store.error().code, ErrorCode::kCorruption);
    }
    at += kLogHeaderBytes + static_cast<unsigned char>(whole[at + kLogLengthAt]) +
          256u * static_cast<unsigned char>(whole[at + kLogLengthAt + 1]);
  }
  EXPECT_GT(records, 3u);
  std::ofstream(manifest(), std::ios::binary | std::ios::trunc) << whole;
  EXPECT_TRUE(Store::open(options_));
}

TEST_F(TornManifestTest, AWholeOneIsLeftAlone) {
  const auto bytes = std::filesystem::file_size(manifest());
  EXPECT_FALSE(find_torn_manifest(directory_.path()));
  EXPECT_EQ(std::filesystem::file_size(manifest()), bytes);
}

}  // namespace
}  // namespace partita
