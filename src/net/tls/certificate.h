#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace partita::net {

struct TlsIdentity {
  std::string certificate_pem;
  std::string private_key_pem;
};

// A self-signed P-256 certificate (SHA-256, valid for ten years) for localhost, 127.0.0.1, ::1, host.docker.internal, this host's
// name and the given further names or addresses.
Result<TlsIdentity> make_self_signed_identity(const std::vector<std::string>& further_names);

// The identity kept in `directory` (certificate.pem, private-key.pem with mode 0600), made on first use so that clients may trust
// it once; made anew when `further_names` are not all covered.
Result<TlsIdentity> load_or_make_identity(const std::string& directory, const std::vector<std::string>& further_names);

// PEM files that the operator brings; checked to belong together.
Result<TlsIdentity> load_identity(const std::string& certificate_path, const std::string& private_key_path);

}  // namespace partita::net
