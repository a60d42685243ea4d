#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace partita {

// What went wrong, in the database's own words. Each protocol translates these to its wire in one place (its errors.cc).
enum class ErrorCode {
  kInvalidInput,            // the request cannot be understood or breaks a rule; repeating it cannot help
  kInvalidQuery,            // a query text that does not parse or bind
  kUnauthorized,            // the signature or token is not ours
  kForbidden,               // a valid caller that may not do this
  kAuthorizationExpired,    // a signature or token outside its time
  kNotFound,                // the addressed resource does not exist
  kOwnerNotFound,           // the container or database of the addressed resource does not exist
  kMethodNotAllowed,        // the resource exists, but not this operation on it
  kAlreadyExists,           // the id, or a unique key, is taken
  kPreconditionFailed,      // If-Match or a patch condition does not hold
  kTooLarge,                // over a size limit
  kPartitionKeyMismatch,    // partition key in the request differs from the one in the document or the definition
  kCrossPartitionRequired,  // the query needs several partitions and the request does not allow that
  kContainerRecreated,      // the request means an earlier container of the same name
  kPartitionGone,           // the addressed physical partition was split, merged or never existed
  kSessionNotAvailable,     // the session token is ahead of this replica
  kThrottled,               // over the request unit budget
  kLogicalPartitionFull,    // a key value has as many bytes as it may have
  kTimeout,                 // not finished within its time
  kWouldWait,               // it needs the disk, and the thread must not wait (base/must_not_wait.h); never told to clients
  kUnavailable,             // the server cannot do this now; trying again later may help
  kStorageFailure,          // the disk refused: full, read-only or failing
  kCorruption,              // stored bytes do not decode
  kInternal,                // a defect of ours
};

std::string_view name_of(ErrorCode code);

// What tells an error apart from others of its code, where somebody has to.
enum class ErrorDetail : uint8_t {
  kNone,
  kPatchCondition,     // kPreconditionFailed: a document does not fulfil the condition of a patch
  kOtherVersion,       // kPreconditionFailed: a document has another version than the request demands
  kOtherPatchVersion,  // kPreconditionFailed: the same, where the request is a patch
  kRequestTooLarge,    // kTooLarge: what was sent has too many bytes
  kAnswerTooLarge,     // kTooLarge: what a batch or bulk request would have to be answered; in smaller parts it can be
  kNoFunction,         // kInvalidInput: the text of a script is no function
  kThrown,             // kInvalidInput: a script threw an error with this number
  kNoId,               // kInvalidInput: what is to be stored has no id
  kTimeToLive,         // kInvalidInput: what a document says of its time to live; it is quoted behind the first colon
  kNoKey,              // kInvalidInput: the request names no partition key value
  kKeyLength,          // kInvalidInput: the request's partition key value has more or fewer components than the container's key
  kFixedKey,           // kInvalidInput: the partition key of a container is to be changed
  kOtherKey,           // kPartitionKeyMismatch: a document has another partition key value than the request
  kNoItem,             // kNotFound: there is no such document or attachment
  kItemExists,         // kAlreadyExists: a document or attachment has the id
  kResourceExists,     // kAlreadyExists: something else has the id
  kUniqueValues,       // kAlreadyExists: another document has the values of a unique key
  kBehindSession,      // kSessionNotAvailable: with how far the session has come, and the partition
  kRetryAfter,         // kThrottled: trying again helps after as many milliseconds
  kOverBudget,         // kThrottled: the same, because the request units are used up
};

struct Error {
  ErrorCode code;
  std::string message;
  ErrorDetail detail = ErrorDetail::kNone;
  int64_t number = 0;  // of the detail; 0 where it has none
  double charge = 0;   // request units that were spent in vain
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message, ErrorDetail detail = ErrorDetail::kNone,
                                   int64_t number = 0) {
  return std::unexpected(Error{code, std::move(message), detail, number});
}

}  // namespace partita

#define PARTITA_CONCAT_INNER(a, b) a##b
#define PARTITA_CONCAT(a, b) PARTITA_CONCAT_INNER(a, b)

// TRY(expression): passes the error up, ignores a value.
#define TRY(expression)                                                                                     \
  do {                                                                                                      \
    if (auto try_result = (expression); !try_result) return std::unexpected(std::move(try_result).error()); \
  } while (false)

// TRY_ASSIGN(declaration, expression): passes the error up, else binds the value.
#define TRY_ASSIGN(declaration, expression) TRY_ASSIGN_INNER(PARTITA_CONCAT(try_result_, __COUNTER__), declaration, expression)
#define TRY_ASSIGN_INNER(result, declaration, expression)         \
  auto result = (expression);                                     \
  if (!result) return std::unexpected(std::move(result).error()); \
  declaration = std::move(*result)
