import HTTP
import JSON
import Testing

@testable import AdminAPI

@Suite struct MergePatchTests {
    @Test(
        "The examples of RFC 7396, appendix A",
        arguments: [
            (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
            (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
            (#"{"a":"b"}"#, #"{"a":null}"#, #"{}"#),
            (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
            (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
            (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
            (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
            (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
            (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
            (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
            (#"{"a":"foo"}"#, "null", "null"),
            (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
            (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
            (#"[1,2]"#, #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
            (#"{}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        ])
    func standard(original: String, patch: String, result: String) throws {
        let merged = try value(original).merging(try value(patch))
        #expect(String(decoding: merged.bytes, as: UTF8.self) == result)
    }

    @Test("Null in retention_seconds stays: it means that recordings are kept for ever")
    func keepsForEver() throws {
        let document = try value(#"{"retention_seconds":60,"title":"a"}"#)
        let patched = try ChannelPatch.applied(
            try value(#"{"retention_seconds":null,"title":null}"#), to: document)
        #expect(patched == ["retention_seconds": nil])
    }

    @Test("Null in an unknown field stays, so that the reader refuses the field")
    func unknownNull() throws {
        let patch = try value(#"{"foo":null,"title":null,"source_url":null}"#)
        #expect(
            try ChannelPatch.applied(patch, to: ["title": "a", "clock": "auto"]) == [
                "clock": "auto", "foo": nil,
            ])
    }

    @Test("source_url replaces sources")
    func singleSource() throws {
        let document = try value(#"{"sources":[1]}"#)
        #expect(try ChannelPatch.applied(["source_url": "x"], to: document) == ["source_url": "x"])
    }

    @Test("A hundred thousand members are merged and refused in time that grows with their number")
    func manyMembers() throws {
        let members = (0..<100_000).map { JSONValue.Member(name: "x\($0)", value: .integer(1)) }
        let nulls = (0..<100_000).map { JSONValue.Member(name: "y\($0)", value: .null) }
        let document = try value(#"{"id":"a","sources":[{"url":"http://h.example/"}],"title":"a"}"#)
        let reader = ChannelReader(defaultRetentionSeconds: 60) { _, _ in nil }
        let begun = ContinuousClock.now
        let patched = try ChannelPatch.applied(.object(members + nulls), to: document)
        let problem = #expect(throws: Problem.self) { try reader.settings(from: patched) }
        #expect(ContinuousClock.now - begun < .seconds(30))
        let leftOut = problem?.members.first { $0.name == "errors_left_out" }?.value
        #expect(leftOut == .integer(Int64(200_000 - Limits.faults)))
    }

    private func value(_ text: String) throws -> JSONValue {
        try JSONReader.value(of: Array(text.utf8))
    }
}
