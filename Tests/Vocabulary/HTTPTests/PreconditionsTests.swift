import Testing

@testable import HTTP

struct PreconditionsTests {
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let current = Validators(entityTag: EntityTag(strong: "a"))

    func outcome(_ method: HTTPMethod, _ headers: HTTPHeaders) -> Preconditions {
        Preconditions.evaluated(method: method, headers: headers, current: current)
    }

    @Test(
        "A client that has the version gets 304",
        arguments: [
            ("If-None-Match", "\"a\""), ("If-None-Match", "W/\"a\""), ("If-None-Match", "\"x\", \"a\""),
            ("If-None-Match", "*"),
        ])
    func notModified(name: String, value: String) {
        #expect(outcome(.get, [name: value]) == .notModified)
        #expect(outcome(.head, [name: value]) == .notModified)
    }

    @Test(
        "A client with another version gets the current one",
        arguments: [
            ("If-None-Match", "\"b\""), ("If-None-Match", "nonsense"), ("If-Match", "\"a\""),
            ("If-Match", "*"),
        ])
    func proceed(name: String, value: String) {
        #expect(outcome(.get, [name: value]) == .proceed)
    }

    @Test(
        "If-Match compares strongly, and fails when malformed",
        arguments: [
            ("If-Match", "\"b\""), ("If-Match", "W/\"a\""), ("If-Match", "a"),
        ])
    func failed(name: String, value: String) {
        #expect(outcome(.put, [name: value]) == .preconditionFailed)
        #expect(outcome(.get, [name: value]) == .preconditionFailed)
    }

    @Test("If-Match comes before If-None-Match (RFC 9110 §13.2.2)")
    func order() {
        #expect(outcome(.get, ["If-None-Match": "\"a\"", "If-Match": "\"b\""]) == .preconditionFailed)
    }

    @Test(
        "Conditions by date are ignored where no date is known (RFC 9110 §13.1.3, §13.1.4)",
        arguments: ["If-Modified-Since", "If-Unmodified-Since"])
    func dates(name: String) {
        #expect(outcome(.get, [name: Self.date]) == .proceed)
        #expect(outcome(.put, [name: Self.date]) == .proceed)
    }

    @Test("A write is refused where a read would get 304")
    func writers() {
        #expect(outcome(.put, ["If-None-Match": "*"]) == .preconditionFailed)
    }

    @Test("A missing resource matches nothing, not even a star")
    func absent() {
        func outcome(_ headers: HTTPHeaders) -> Preconditions {
            Preconditions.evaluated(method: .put, headers: headers, current: nil)
        }
        #expect(outcome(["If-None-Match": "*"]) == .proceed)
        #expect(outcome(["If-Match": "*"]) == .preconditionFailed)
        #expect(outcome(["If-Match": "\"a\""]) == .preconditionFailed)
        #expect(outcome([:]) == .proceed)
    }

    @Test(
        "If-Range must name the current version by its tag",
        arguments: [("\"a\"", true), ("\"b\"", false), ("W/\"a\"", false), (date, false)])
    func ifRange(value: String, applies: Bool) {
        #expect(Preconditions.rangeApplies(headers: ["If-Range": value], current: current) == applies)
    }
}
