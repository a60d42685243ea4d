#include "client/request_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>

namespace partita::client {
namespace {

// InTimeZone: the process is there while it lives.
class InTimeZone {
 public:
  explicit InTimeZone(const char* zone) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
  InTimeZone(const InTimeZone&) = delete;
  InTimeZone& operator=(const InTimeZone&) = delete;
  ~InTimeZone() {
    before_.empty() ? ::unsetenv("TZ") : ::setenv("TZ", before_.c_str(), 1);
    ::tzset();
  }

 private:
  std::string before_;
};

}  // namespace

TEST(HttpDate, IsTheSameWhereverTheMachineIs) {
  for (const char* zone : {"UTC", "EST5EDT", "<+1345>-13:45"}) {
    const InTimeZone there(zone);
    EXPECT_EQ(http_date(1595354131), "Tue, 21 Jul 2020 17:55:31 GMT") << zone;
  }
}

}  // namespace partita::client
