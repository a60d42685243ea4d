#include "base/check.h"
#include "script/message.h"

#include <cstdint>

// Whatever a host sends is a message or an error, and a message reads back as itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const partita::Result<partita::script::Message> message = partita::script::decode_message(bytes);
  if (message) CHECK(partita::script::encode_message(*message).substr(sizeof(uint32_t)) == bytes);
  return 0;
}
