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
}
