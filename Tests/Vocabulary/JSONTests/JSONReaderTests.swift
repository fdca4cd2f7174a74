import Foundation
import Testing

@testable import JSON

@Suite struct JSONReaderTests {
    @Test(
        "Text that another reader accepts is read as the same value",
        arguments: [
            "null", " true ", "[]", "{}", "[1,2.5,-0,1e2,-1.5E-3]", "\"a\\u00e9\\ud83d\\ude00\\n\\/\"",
            "{\"a\":{\"b\":[{\"c\":null}]},\"d\":\"\"}", "9223372036854775807", "0.1", "\"é😀\"",
        ])
    func taken(text: String) throws {
        let value = try JSONReader.value(of: Array(text.utf8))
        let other = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        let written = try JSONSerialization.jsonObject(with: Data(value.bytes), options: .fragmentsAllowed)
        #expect((other as? NSObject) == (written as? NSObject))
    }

    @Test(
        "Text that is not JSON is refused",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "01", "1.", ".5", "+1", "-", "1e", "nul",
            "NaN",
            "\"\n\"", "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\\u12g4\"", "\"a",
            "1 2",
            "{\"a\" 1}", "[1 2]", "\u{FEFF}1", "1e999",
        ])
    func refused(text: String) {
        #expect(throws: JSONError.self) { try JSONReader.value(of: Array(text.utf8)) }
    }

    @Test("Bytes that are not UTF-8 are refused")
    func notUTF8() {
        #expect(throws: JSONError.self) { try JSONReader.value(of: [0x22, 0xFF, 0x22]) }
    }

    @Test("A whole number is an integer in every notation; beyond 64 bits it is a number")
    func numbers() throws {
        #expect(
            try JSONReader.value(of: Array("[1,1.0,1e0,100E-2,0.5,1e300]".utf8))
                == [1, 1, 1, 1, .number(0.5), .number(1e300)])
    }

    @Test("A name given twice is refused with its path")
    func duplicate() throws {
        #expect(throws: JSONError.repeatedName(path: ["a", "0", "b/c"])) {
            try JSONReader.value(of: Array("{\"a\":[{\"b/c\":1,\"b/c\":2}]}".utf8))
        }
    }

    @Test("Depth is bounded")
    func depth() throws {
        let deepest =
            String(repeating: "[", count: JSONReader.depthLimit)
            + String(repeating: "]", count: JSONReader.depthLimit)
        _ = try JSONReader.value(of: Array(deepest.utf8))
        #expect(throws: JSONError.self) { try JSONReader.value(of: Array("[\(deepest)]".utf8)) }
        #expect(throws: JSONError.self) {
            try JSONReader.value(of: Array(String(repeating: "[", count: 500_000).utf8))
        }
    }
}
