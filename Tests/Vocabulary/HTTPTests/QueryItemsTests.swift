import Testing

@testable import HTTP

struct QueryItemsTests {
    @Test("Items keep their order and are decoded")
    func order() throws {
        let query = try #require(QueryItems(reading: "b=1&a=x+y%26z&b=2&&flag&empty=&c=d=e"))
        #expect(query.items.map(\.name) == ["b", "a", "b", "flag", "empty", "c"])
        #expect(query["a"] == "x y&z")
        #expect(query["b"] == "1")
        #expect(query["flag"] == "")
        #expect(query["empty"] == "")
        #expect(query["c"] == "d=e")
        #expect(query["absent"] == nil)
        #expect(query.repeatedNames == ["b"])
    }

    @Test("Names compare after decoding")
    func repeatedAfterDecoding() {
        #expect(QueryItems(reading: "a=1&%61=2&c=3&c=4&c=5")?.repeatedNames == ["a", "c"])
    }

    @Test("A plus can be literal")
    func plus() {
        #expect(
            QueryItems(reading: "t=2024-01-01T00:00:00+01:00", plusIsSpace: false)?["t"]
                == "2024-01-01T00:00:00+01:00")
    }

    @Test("No query has no items", arguments: [nil, "", "&", "&&"])
    func none(query: String?) {
        #expect(QueryItems(reading: query)?.items == [])
    }

    @Test("There may be as many items as the limit, and any number of separators between them")
    func separators() {
        let items = String(repeating: "&&a=1&", count: Limits.queryItemCount)
        #expect(QueryItems(reading: items)?.items.count == Limits.queryItemCount)
        #expect(QueryItems(reading: "&a=1&=&b")?.items.map(\.name) == ["a", "", "b"])
    }

    @Test("What cannot be read is left out where that is asked for, and named")
    func unreadable() throws {
        let query = try #require(QueryItems(reading: "a=1&name=%D6%D0&t=100%&%zz", skipsUnreadable: true))
        #expect(query.items == [.init(name: "a", value: "1")])
        #expect(query.unreadableNames == ["name", "t", "%zz"])
        let many = String(repeating: "a=%&", count: Limits.queryItemCount + 1)
        #expect(QueryItems(reading: many, skipsUnreadable: true) == nil)
    }

    @Test(
        "A malformed query or one with too many items is refused",
        arguments: [
            "a=%", "%zz=1", "a=%FF", String(repeating: "a&", count: Limits.queryItemCount + 1),
        ])
    func malformed(query: String) {
        #expect(QueryItems(reading: query) == nil)
    }
}
