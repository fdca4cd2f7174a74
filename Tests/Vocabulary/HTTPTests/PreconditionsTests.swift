import HTTP
import Testing

struct PreconditionsTests {
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let later = "Sun, 06 Nov 1994 08:49:38 GMT"
    static let earlier = "Sun, 06 Nov 1994 08:49:36 GMT"
    let current = Validators(entityTag: EntityTag(strong: "a"), lastModifiedSeconds: 784_111_777)

    func outcome(_ method: HTTPMethod, _ headers: HTTPHeaders) -> Preconditions {
        Preconditions.evaluated(method: method, headers: headers, current: current)
    }

    @Test(
        "A reader that has the version gets 304",
        arguments: [
            ("If-None-Match", "\"a\""), ("If-None-Match", "W/\"a\""), ("If-None-Match", "\"x\", \"a\""),
            ("If-None-Match", "*"),
            ("If-Modified-Since", date), ("If-Modified-Since", later),
        ])
    func notModified(name: String, value: String) {
        #expect(outcome(.get, [name: value]) == .notModified)
        #expect(outcome(.head, [name: value]) == .notModified)
    }

    @Test(
        "A reader that has another version gets it",
        arguments: [
            ("If-None-Match", "\"b\""), ("If-None-Match", "nonsense"), ("If-Modified-Since", earlier),
            ("If-Modified-Since", "yesterday"), ("If-Match", "\"a\""), ("If-Match", "*"),
            ("If-Unmodified-Since", date),
            ("If-Unmodified-Since", "tomorrow"),
        ])
    func proceed(name: String, value: String) {
        #expect(outcome(.get, [name: value]) == .proceed)
    }

    @Test(
        "If-Match compares strongly, and fails when malformed",
        arguments: [
            ("If-Match", "\"b\""), ("If-Match", "W/\"a\""), ("If-Match", "a"),
            ("If-Unmodified-Since", earlier),
        ])
    func failed(name: String, value: String) {
        #expect(outcome(.put, [name: value]) == .preconditionFailed)
        #expect(outcome(.get, [name: value]) == .preconditionFailed)
    }

    @Test("If-None-Match overrules If-Modified-Since, If-Match comes first (RFC 9110 §13.2.2)")
    func order() {
        #expect(outcome(.get, ["If-None-Match": "\"b\"", "If-Modified-Since": Self.date]) == .proceed)
        #expect(outcome(.get, ["If-None-Match": "nonsense", "If-Modified-Since": Self.date]) == .proceed)
        #expect(outcome(.get, ["If-None-Match": "\"a\"", "If-Match": "\"b\""]) == .preconditionFailed)
        #expect(outcome(.get, ["If-Unmodified-Since": Self.earlier, "If-Match": "\"a\""]) == .proceed)
    }

    @Test("A writer is refused where a reader would get 304")
    func writers() {
        #expect(outcome(.put, ["If-None-Match": "*"]) == .preconditionFailed)
        #expect(outcome(.put, ["If-Modified-Since": Self.date]) == .proceed)
    }

    @Test("What does not exist matches nothing, not even a star")
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
        "A date in If-Range must be the very date",
        arguments: [(date, true), (later, false), (earlier, false)])
    func ifRangeDate(value: String, applies: Bool) {
        #expect(Preconditions.rangeApplies(headers: ["If-Range": value], current: current) == applies)
    }
}
