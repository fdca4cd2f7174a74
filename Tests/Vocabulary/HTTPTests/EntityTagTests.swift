import Testing

@testable import HTTP

struct EntityTagTests {
    @Test(
        "A tag is quoted and may be weak (RFC 9110 §8.8.3)",
        arguments: [
            ("\"xyzzy\"", "xyzzy", false), ("W/\"xyzzy\"", "xyzzy", true), ("\"\"", "", false),
            ("\"a,b\\\"", "a,b\\", false),
        ])
    func reading(text: String, opaque: String, isWeak: Bool) throws {
        let tag = try #require(EntityTag(reading: text))
        #expect(tag.opaque == opaque)
        #expect(tag.isWeak == isWeak)
        #expect(tag.fieldValue == text)
    }

    @Test(
        "Anything else is not a tag",
        arguments: ["", "\"", "xyzzy", "w/\"a\"", "\"a", "\"a b\"", "\"a\"b\"", "W/", "*"])
    func malformed(text: String) {
        #expect(EntityTag(reading: text) == nil)
    }

    @Test(
        "Comparison follows the table of RFC 9110 §8.8.3.2",
        arguments: [
            ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true),
            ("\"1\"", "\"1\"", true, true),
        ])
    func comparison(left: String, right: String, strongly: Bool, weakly: Bool) throws {
        let (a, b) = try (#require(EntityTag(reading: left)), #require(EntityTag(reading: right)))
        #expect(a.matchesStrongly(b) == strongly)
        #expect(a.matchesWeakly(b) == weakly)
    }

    @Test("A tag of our own contains only legal bytes")
    func ownMaking() {
        #expect(EntityTag(strong: "a\"b c\r\n").fieldValue == "\"abc\"")
    }

    @Test(
        "A condition is a star or a list over all field lines",
        arguments: [
            (["*"], EntityTagCondition.any), ([" * "], .any),
            (["\"a\""], .tags([EntityTag(strong: "a")])),
            (["\"a\" ,, \"b,c\"", "\"d\","], .tags(["a", "b,c", "d"].map(EntityTag.init(strong:)))),
        ])
    func condition(values: [String], expected: EntityTagCondition) {
        #expect(EntityTagCondition(reading: values) == expected)
    }

    @Test(
        "A malformed condition is not read",
        arguments: [
            [], [""], ["a"], ["\"a\" \"b\""], ["*, \"a\""], ["*", "*"], ["\"a\"; \"b\""], ["\"a"],
            [String(repeating: "\"a\",", count: Limits.entityTagCount + 1)],
        ])
    func malformedCondition(values: [String]) {
        #expect(EntityTagCondition(reading: values) == nil)
    }
}
