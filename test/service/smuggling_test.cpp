#include "test/service/server_fixture.hpp"

#include <string>

namespace jobstrand {
namespace {

using test::RawClient;
using test::ServerTest;

/// What is refused, and what the server must say and do then. A request smuggled behind it would be
/// answered as well.
struct Hostile {
    const char* name;
    const char* bytes;
    int status;
};

class HostileTest : public ServerTest, public testing::WithParamInterface<Hostile> {};

TEST_P(HostileTest, It_is_refused_and_the_connection_closed) {
    serve(small_limits());
    RawClient client(server->port());
    const std::string smuggled = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
    EXPECT_EQ(client.ask(GetParam().bytes + smuggled).status, GetParam().status);
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(counts.responses.at(2), 0);
}

#define HEAD "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

INSTANTIATE_TEST_SUITE_P(
    All,
    HostileTest,
    testing::Values(
        Hostile{
            "both_lengths",
            HEAD "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400},
        Hostile{
            "both_lengths_turned",
            HEAD "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
            400},
        Hostile{"equal_lengths", HEAD "Content-Length: 2\r\nContent-Length: 2\r\n\r\n[]", 400},
        Hostile{"different_lengths", HEAD "Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]", 400},
        Hostile{"length_list", HEAD "Content-Length: 2, 2\r\n\r\n[]", 400},
        Hostile{"folded_length", HEAD "Content-Length:\r\n 2\r\n\r\n[]", 400},
        Hostile{"folded_length_behind", HEAD "Content-Length: 2\r\n\t\r\n\r\n[]", 400},
        Hostile{
            "folded_coding",
            HEAD "Transfer-Encoding:\r\n chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
            400},
        Hostile{"signed_length", HEAD "Content-Length: +2\r\n\r\n[]", 400},
        Hostile{"negative_length", HEAD "Content-Length: -2\r\n\r\n[]", 400},
        Hostile{"huge_length", HEAD "Content-Length: 99999999999999999999999\r\n\r\n[]", 400},
        Hostile{"other_coding", HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
        Hostile{"hidden_coding", HEAD "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501},
        Hostile{
            "coding_twice",
            HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400},
        Hostile{"blank_before_colon", HEAD "Content-Length : 2\r\n\r\n[]", 400},
        Hostile{"bad_chunk", HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n0\r\n\r\n", 400},
        Hostile{
            "chunk_without_end",
            HEAD "Transfer-Encoding: chunked\r\n\r\n2\r\n[]0\r\n\r\n",
            400},
        Hostile{"no_host", "GET /hello HTTP/1.1\r\n\r\n", 400},
        Hostile{"two_hosts", "GET /hello HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", 400},
        Hostile{
            "absolute_target",
            "GET http://evil/hello HTTP/1.1\r\nHost: localhost\r\n\r\n",
            400},
        Hostile{"other_version", "GET /hello HTTP/2.7\r\nHost: localhost\r\n\r\n", 400},
        Hostile{
            "chunked_in_1_0",
            "POST /echo HTTP/1.0\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400},
        Hostile{"no_http", "\x16\x03\x01\x02\r\n\r\n", 400}
    ),
    [](const auto& about) { return about.param.name; }
);

}  // namespace
}  // namespace jobstrand
