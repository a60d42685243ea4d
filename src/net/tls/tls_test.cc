#include "net/tls/tls.h"

#include "net/test_client.h"
#include "net/test_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace partita::net {
namespace {

TEST(Tls, SharesThePortWithPlainConnections) {
  TestServer test;
  TestClient plain(test.port());
  TestTlsClient encrypted(test.port());
  ASSERT_TRUE(encrypted.has_shaken_hands());
  EXPECT_EQ(encrypted.request(get("/a")).body, "GET /a? tls ");
  EXPECT_EQ(plain.request(get("/a")).body, "GET /a? plain ");
  EXPECT_EQ(encrypted.request(post("/later", "body")).body, "POST /later? tls body");
}

TEST(Tls, NegotiatesHttp11) {
  TestServer test;
  TestTlsClient client(test.port());
  const unsigned char* protocol = nullptr;
  unsigned int bytes = 0;
  SSL_get0_alpn_selected(client.ssl(), &protocol, &bytes);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(protocol), bytes), "http/1.1");
  EXPECT_STREQ(SSL_get_version(client.ssl()), "TLSv1.3");
}

TEST(Tls, RefusesOldVersions) {
  TestServer test;
  TestClient client(test.port());
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  SSL* ssl = SSL_new(context);
  SSL_set_fd(ssl, client.socket());
  EXPECT_NE(SSL_connect(ssl), 1);
  SSL_free(ssl);
  SSL_CTX_free(context);
}

TEST(Tls, ResumesSessions) {
  TestServer test;
  TestTlsClient first(test.port());
  EXPECT_EQ(first.request(get("/a")).status, 200);  // tickets come with the first answer
  EXPECT_FALSE(SSL_session_reused(first.ssl()));
  SSL_SESSION* session = SSL_get1_session(first.ssl());
  TestTlsClient second(test.port(), session);
  EXPECT_TRUE(second.has_shaken_hands());
  EXPECT_TRUE(SSL_session_reused(second.ssl()));
  EXPECT_EQ(second.request(get("/a")).status, 200);
  SSL_SESSION_free(session);
}

TEST(Tls, CarriesLargeBodiesBothWays) {
  TestServer test;
  TestTlsClient client(test.port());
  std::string body(3'000'000, 'b');
  EXPECT_EQ(client.request(post("/a", body)).body, "POST /a? tls " + body);
  EXPECT_EQ(client.request(get("/large/5000000")).body.size(), 5'000'000U);
}

TEST(Tls, AnswersPipelinedRequests) {
  TestServer test;
  TestTlsClient client(test.port());
  std::string text;
  for (int i = 0; i < 30; ++i) text += get("/now?" + std::to_string(i)) + get("/later?" + std::to_string(i));
  ASSERT_TRUE(client.send(text));
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(client.receive().body, "GET /now?" + std::to_string(i) + " tls ");
    EXPECT_EQ(client.receive().body, "GET /later?" + std::to_string(i) + " tls ");
  }
}

TEST(Tls, SaysGoodbye) {
  TestServer test;
  TestTlsClient client(test.port());
  EXPECT_EQ(client.request(get("/a", "Connection: close\r\n")).status, 200);
  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_TRUE(SSL_get_shutdown(client.ssl()) & SSL_RECEIVED_SHUTDOWN);
}

TEST(Tls, SurvivesGarbageInsteadOfAHandshake) {
  TestServer test;
  TestClient client(test.port());
  ASSERT_TRUE(client.send(std::string("\x16garbage that is no handshake at all\r\n\r\n", 40)));
  client.wait_for_hangup();
  TestTlsClient good(test.port());
  EXPECT_EQ(good.request(get("/a")).status, 200);
}

}  // namespace
}  // namespace partita::net
