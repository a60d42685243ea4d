#include "net/tls/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

namespace partita::net {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

Certificate parse(const std::string& pem) {
  BIO* reader = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  Certificate certificate(PEM_read_bio_X509(reader, nullptr, nullptr, nullptr), &X509_free);
  BIO_free(reader);
  return certificate;
}

class IdentityDirectory : public testing::Test {
 protected:
  IdentityDirectory() {
    std::string pattern = testing::TempDir() + "identityXXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~IdentityDirectory() override { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return path_ + "/" + name; }

  std::string path_;
};

TEST(SelfSignedIdentity, IsAP256CertificateForAllItsNames) {
  auto identity = make_self_signed_identity({"db.example", "10.1.2.3"});
  ASSERT_TRUE(identity.has_value()) << identity.error().message;
  Certificate certificate = parse(identity->certificate_pem);
  ASSERT_TRUE(certificate);
  EVP_PKEY* key = X509_get0_pubkey(certificate.get());
  char group[32] = {};
  EVP_PKEY_get_group_name(key, group, sizeof group, nullptr);
  EXPECT_STREQ(group, "prime256v1");
  EXPECT_EQ(X509_verify(certificate.get(), key), 1);
  EXPECT_EQ(X509_get_signature_nid(certificate.get()), NID_ecdsa_with_SHA256);
  for (const char* host : {"localhost", "host.docker.internal", "db.example"})
    EXPECT_EQ(X509_check_host(certificate.get(), host, 0, 0, nullptr), 1) << host;
  for (const char* address : {"127.0.0.1", "::1", "10.1.2.3"})
    EXPECT_EQ(X509_check_ip_asc(certificate.get(), address, 0), 1) << address;
  EXPECT_NE(X509_check_host(certificate.get(), "other.example", 0, 0, nullptr), 1);
}

TEST(SelfSignedIdentity, RefusesNamesThatCouldChangeItsMeaning) {
  for (const char* name : {"a,DNS:evil.example", "a b", "", "http://a"}) {
    auto identity = make_self_signed_identity({name});
    ASSERT_FALSE(identity.has_value()) << name;
    EXPECT_EQ(identity.error().code, ErrorCode::kInvalidInput);
  }
}

TEST_F(IdentityDirectory, KeepsAnIdentityAcrossRestarts) {
  auto first = load_or_make_identity(path_, {});
  ASSERT_TRUE(first.has_value()) << first.error().message;
  auto second = load_or_make_identity(path_, {"localhost"});
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(first->certificate_pem, second->certificate_pem);
  EXPECT_EQ(first->private_key_pem, second->private_key_pem);
}

TEST_F(IdentityDirectory, HidesThePrivateKeyFromOthers) {
  ASSERT_TRUE(load_or_make_identity(path_, {}).has_value());
  struct stat status{};
  ASSERT_EQ(stat(file("private-key.pem").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_), {}), 2) << "temporary files are left";
}

TEST_F(IdentityDirectory, MakesANewOneForNewNames) {
  auto first = load_or_make_identity(path_, {});
  auto second = load_or_make_identity(path_, {"db.example"});
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_NE(first->certificate_pem, second->certificate_pem);
  EXPECT_EQ(load_or_make_identity(path_, {"db.example"})->certificate_pem, second->certificate_pem);
}

TEST_F(IdentityDirectory, ReplacesAPairThatDoesNotMatch) {
  auto first = load_or_make_identity(path_, {});
  ASSERT_TRUE(first.has_value());
  std::ofstream(file("private-key.pem")) << make_self_signed_identity({})->private_key_pem;
  auto second = load_or_make_identity(path_, {});
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(first->certificate_pem, second->certificate_pem);
  EXPECT_TRUE(load_identity(file("certificate.pem"), file("private-key.pem")).has_value());
}

TEST_F(IdentityDirectory, ChecksWhatTheOperatorBrings) {
  auto identity = load_or_make_identity(path_, {});
  ASSERT_TRUE(identity.has_value());
  EXPECT_EQ(load_identity(file("certificate.pem"), file("private-key.pem"))->certificate_pem, identity->certificate_pem);
  EXPECT_EQ(load_identity(file("missing.pem"), file("private-key.pem")).error().code, ErrorCode::kNotFound);
  std::ofstream(file("other.pem")) << make_self_signed_identity({})->private_key_pem;
  EXPECT_THAT(load_identity(file("certificate.pem"), file("other.pem")).error().message,
              testing::HasSubstr("does not belong to the certificate"));
}

TEST_F(IdentityDirectory, SaysWhereItCannotWrite) {
  auto identity = load_or_make_identity(path_ + "/missing", {});
  ASSERT_FALSE(identity.has_value());
  EXPECT_EQ(identity.error().code, ErrorCode::kStorageFailure);
  EXPECT_THAT(identity.error().message, testing::HasSubstr(path_ + "/missing/"));
}

}  // namespace
}  // namespace partita::net
