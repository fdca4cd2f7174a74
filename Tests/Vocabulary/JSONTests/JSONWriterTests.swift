import Foundation
import JSON
import Testing

@Suite("Written JSON")
struct JSONWriterTests {
    @Test(
        "is the text of RFC 8259 without white space",
        arguments: [
            (nil, "null"), (true, "true"), (-5, "-5"), (.unsigned(.max), "18446744073709551615"),
            (.number(0.5), "0.5"), (.number(.infinity), "null"),
            ("a\"\\\n\u{7F}", #""a\"\\\u000a\u007f""#),
            ("\u{85}\u{200F}\u{2028}\u{2066}😀", #""\u0085\u200f\u2028\u2066😀""#),
            ([], "[]"), ([1, [nil]], "[1,[null]]"),
            (["b": 1, "a": ["c": "é"]], #"{"b":1,"a":{"c":"é"}}"#),
        ] as [(JSONValue, String)])
    func text(value: JSONValue, text: String) {
        #expect(String(decoding: value.bytes, as: UTF8.self) == text)
    }

    @Test("is read by another reader as the same text, whatever the characters")
    func read() throws {
        let all = String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init)))
        let value = try JSONSerialization.jsonObject(
            with: Data(JSONValue.string(all).bytes), options: .fragmentsAllowed)
        #expect(value as? String == all)
    }

    @Test("A member is found by its name, in an object alone")
    func member() {
        let value: JSONValue = ["a": 1]
        #expect(value["a"] == 1)
        #expect(value["b"] == nil)
        #expect((["a"] as JSONValue)["a"] == nil)
    }
}
