#pragma once

#include "base/result.h"

#include <cstdint>
#include <string_view>

namespace partita::cosmos {

// Programs are written here and run on the service, so what fails there fails here, unless somebody asks for more.
enum class Fidelity : uint8_t {
  kService,   // what the service refuses is refused, in its words
  kExtended,  // whatever can be answered is answered
};

// As settings and headers write it.
std::string_view name_of(Fidelity fidelity);

// How a request is answered: as the account is set, or as the request asks; `asked` is empty when it does not ask.
// kInvalidInput for another word.
Result<Fidelity> fidelity(std::string_view asked, Fidelity of_account);

// Whether a path with this item id comes as far as to the service's gateway: control characters do not.
bool is_url_of_gateway(std::string_view item_id);

// kUnauthorized for the id of an item whose path the service's gateway, which takes it apart and puts it together again, spells
// so that the signature does not fit. A request without a signature passes.
Status check_gateway_reaches(std::string_view item_id);

}  // namespace partita::cosmos
