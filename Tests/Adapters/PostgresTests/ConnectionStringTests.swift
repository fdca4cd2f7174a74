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
        #expect(string.place == "db.example/catalogue")
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
}
