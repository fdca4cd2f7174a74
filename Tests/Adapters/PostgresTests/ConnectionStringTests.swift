import Testing

@testable import Postgres

@Suite("Connection strings")
struct ConnectionStringTests {
    @Test("A connection string never prints")
    func secrecy() throws {
        let string = try ConnectionString("postgresql://me:hush@db.example/catalogue")
        var dumped = ""
        dump(string, to: &dumped)
        for text in ["\(string)", String(reflecting: string), dumped, "\(PoolConfiguration(string))"] {
            #expect(!text.contains("hush"))
        }
        #expect(string.hostAndDatabase == "db.example/catalogue")
        #expect(string.redacted("no hush here") == "no … here")
    }

    @Test(
        "A connection string that libpq cannot parse is refused and not repeated",
        arguments: ["postgresql://me:hush@[db/", "hush", "host='hush", "a\0b", "colour=hush"])
    func malformed(text: String) async {
        let error = await failure { try ConnectionString(text) }
        #expect(error?.kind == .configuration)
        #expect(error?.description.contains("hush") == false)
    }

    @Test(
        "Of several servers one that can write is wanted, unless the connection string says what is",
        arguments: [
            ("postgresql://me@one/db", nil), ("postgresql://me@one,two/db", "read-write"),
            ("host=/one,/two dbname=db", "read-write"), ("hostaddr=192.0.2.1,192.0.2.2", "read-write"),
            ("postgresql://one,two/db?target_session_attrs=any", nil),
        ] as [(String, String?)])
    func servers(text: String, attributes: String?) throws {
        let parameters = PoolConfiguration(try ConnectionString(text)).libpqParameters
        let wanted = parameters.firstIndex { $0.keyword == "target_session_attrs" }
        #expect(wanted.map { parameters[$0].value } == attributes)
        // What comes later has precedence: the connection string.
        let own = try #require(parameters.firstIndex { $0.keyword == "dbname" })
        #expect(wanted.map { $0 < own } ?? true)
    }

    @Test(
        "Each server is connected to by itself, and libpq has the rest of the text",
        arguments: [
            ("postgresql://me@one/db", [DatabaseServer(host: "one")]),
            (
                "postgresql://me@one,[2001:db8::1]:5433/db",
                [
                    DatabaseServer(host: "one", port: "5432"),
                    DatabaseServer(host: "2001:db8::1", port: "5433"),
                ]
            ),
            ("host=/one,two port=5433", [DatabaseServer(host: "/one"), DatabaseServer(host: "two")]),
            (
                "host=one,two hostaddr=192.0.2.1,192.0.2.2",
                [
                    DatabaseServer(host: "one", address: "192.0.2.1"),
                    DatabaseServer(host: "two", address: "192.0.2.2"),
                ]
            ),
            ("hostaddr=192.0.2.1", [DatabaseServer(address: "192.0.2.1")]),
            // The system's socket, and lists that do not fit: libpq knows the folder, and says the fault.
            ("dbname=db", [DatabaseServer()]), ("host=one, dbname=db", [DatabaseServer()]),
            ("host=one,two port=1,2,3", [DatabaseServer()]),
        ] as [(String, [DatabaseServer])])
    func eachServer(text: String, servers: [DatabaseServer]) throws {
        #expect(try ConnectionString(text).servers == servers)
    }

    @Test("Only a name is looked up: an address that is given and a socket are not")
    func namesToLookUp() {
        #expect(DatabaseServer(host: "db").nameToLookUp == "db")
        let known = DatabaseServer(host: "one", address: "192.0.2.1")
        for server in [known, DatabaseServer(host: "/run"), DatabaseServer(host: "@run"), DatabaseServer()] {
            #expect(server.nameToLookUp == nil)
        }
    }

    @Test("A server is tried at all its addresses, in a random order if the connection string says so")
    func manyAddresses() {
        let addresses = (1...9).map { "192.0.2.\($0)" }
        let server = DatabaseServer(host: "db", port: "5433")
        let inOrder = server.at(addresses, inRandomOrder: false)
        #expect(inOrder.map(\.address) == addresses)
        #expect(inOrder.allSatisfy { $0.host == "db" && $0.port == "5433" })
        let orders = (0..<20).map { _ in server.at(addresses, inRandomOrder: true).map(\.address) }
        #expect(Set(orders).count > 1)
        #expect(orders.allSatisfy { Set($0) == Set(addresses) })
    }
}
