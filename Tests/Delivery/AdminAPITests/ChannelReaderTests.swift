import HTTP
import JSON
import Testing
import Timeline

@testable import AdminAPI

@Suite struct ChannelReaderTests {
    private let reader = ChannelReader(defaultRetentionSeconds: 604_800) { host, port in
        port == 1 ? "\(host):1 is not allowed" : nil
    }

    private func settings(_ text: String, path: String? = nil) throws -> ChannelSettings {
        try reader.settings(
            from: try JSONReader.value(of: Array(text.utf8)), path: path.flatMap { ChannelID($0) })
    }

    /// Sends a source with one more field.
    private func source(_ field: String) throws -> SourceSettings? {
        try settings(#"{"id":"a","sources":[{"url":"http://h/","# + field + "}]}").sources.first
    }

    @Test("An absent field has its default")
    func defaults() throws {
        let channel = try settings(#"{"id":"cctv2","source_url":"http://origin/index.m3u8"}"#)
        let id = try #require(ChannelID("cctv2"))
        let source = SourceSettings(url: "http://origin/index.m3u8")
        #expect(
            channel == ChannelSettings(id: id, title: "cctv2", sources: [source], retentionSeconds: 604_800))
    }

    @Test("Every field is read, and the written document reads as equal settings")
    func roundTrip() throws {
        let text = """
            {"id":"a","sources":[{"url":"https://u:p@h:8443/x?y=1","headers":{"X-A":"b\\tc"},\
            "priority":-5,"max_connections":2,"allow_invalid_certificate":true,"inherit_query":true,\
            "ip_version":6,"header_hosts":["cdn.example","[::1]:81"]}],"title":"A – one","recording":false,"retention_seconds":null,\
            "max_bytes":1000,"renditions":["v0","a1"],"clock":"source","encryption":"clear",\
            "time_zone":"Europe/Berlin","logo":"https://www.example/a.png","group":"News & Sport"}
            """
        let channel = try settings(text)
        #expect(
            String(decoding: ChannelDocument.document(of: channel).bytes, as: UTF8.self)
                == text.replacing("\\t", with: "\\u0009"))
        #expect(try reader.settings(from: ChannelDocument.document(of: channel)) == channel)
        #expect(
            channel.retentionSeconds == nil
                && channel.renditions
                    == .named([.init(kind: .video, index: 0), .init(kind: .audio, index: 1)])
        )
    }

    @Test(
        "Each wrong field is named",
        arguments: [
            (#"{"source_url":"http://h/"}"#, "#/id"), (#"{"id":"A","source_url":"http://h/"}"#, "#/id"),
            (#"{"id":5,"source_url":"http://h/"}"#, "#/id"),
            (#"{"id":"a","source_url":"ftp://h/"}"#, "#/source_url"),
            (#"{"id":"a","source_url":"http://"}"#, "#/source_url"),
            (#"{"id":"a","source_url":"http://h\u0001/"}"#, "#/source_url"),
            (#"{"id":"a","source_url":"http://h:1/"}"#, "#/source_url"),
            (#"{"id":"a","source_url":"not a url"}"#, "#/source_url"),
            (#"{"id":"a","source_url":null}"#, "#/source_url"),
            (#"{"id":"a","source_url":"http://h/","sources":[{"url":"http://h/"}]}"#, "#/source_url"),
            (#"{"id":"a"}"#, "#/sources"), (#"{"id":"a","sources":[]}"#, "#/sources"),
            (#"{"id":"a","sources":{}}"#, "#/sources"), (#"{"id":"a","sources":["x"]}"#, "#/sources/0"),
            (#"{"id":"a","sources":[{}]}"#, "#/sources/0/url"),
            (#"{"id":"a","sources":[{"url":"http://h/","uri":1}]}"#, "#/sources/0/uri"),
            (#"{"id":"a","source_url":"http://h/","titel":"x"}"#, "#/titel"),
            (#"{"id":"a","source_url":"http://h/","title":""}"#, "#/title"),
            (#"{"id":"a","source_url":"http://h/","title":"a\u0000"}"#, "#/title"),
            (#"{"id":"a","source_url":"http://h/","title":null}"#, "#/title"),
            (#"{"id":"a","source_url":"http://h/","recording":"yes"}"#, "#/recording"),
            (#"{"id":"a","source_url":"http://h/","retention_seconds":59}"#, "#/retention_seconds"),
            (#"{"id":"a","source_url":"http://h/","retention_seconds":315360001}"#, "#/retention_seconds"),
            (#"{"id":"a","source_url":"http://h/","retention_seconds":60.5}"#, "#/retention_seconds"),
            (#"{"id":"a","source_url":"http://h/","max_bytes":0}"#, "#/max_bytes"),
            (#"{"id":"a","source_url":"http://h/","renditions":"best"}"#, "#/renditions"),
            (#"{"id":"a","source_url":"http://h/","renditions":[]}"#, "#/renditions"),
            (#"{"id":"a","source_url":"http://h/","renditions":["v0","v0"]}"#, "#/renditions"),
            (#"{"id":"a","source_url":"http://h/","renditions":["v00"]}"#, "#/renditions"),
            (#"{"id":"a","source_url":"http://h/","guide_id":null}"#, "#/guide_id"),
            (#"{"id":"a","source_url":"http://h/","clock":"server"}"#, "#/clock"),
            (#"{"id":"a","source_url":"http://h/","encryption":null}"#, "#/encryption"),
            (#"{"id":"a","source_url":"http://h/","time_zone":"Mars/Base"}"#, "#/time_zone"),
            (#"{"id":"a","source_url":"http://h/","time_zone":"GMT+1"}"#, "#/time_zone"),
            (#"{"id":"a","source_url":"http://h/","logo":"ftp://h/a.png"}"#, "#/logo"),
            (#"{"id":"a","source_url":"http://h/","logo":"https://u:p@h/a.png"}"#, "#/logo"),
            (#"{"id":"a","source_url":"http://h/","logo":""}"#, "#/logo"),
            (#"{"id":"a","source_url":"http://h/","logo":5}"#, "#/logo"),
            (#"{"id":"a","source_url":"http://h/","group":""}"#, "#/group"),
            (#"{"id":"a","source_url":"http://h/","group":"a\nb"}"#, "#/group"),
            (#"{"id":"a","source_url":"http://h/","group":["a"]}"#, "#/group"),
            (
                #"{"id":"a","source_url":"http://h/","group":"\#(String(repeating: "g", count: 101))"}"#,
                "#/group"
            ),
            (
                #"{"id":"a","source_url":"http://h/","logo":"http://h/\#(String(repeating: "g", count: 2048))"}"#,
                "#/logo"
            ),
            ("[]", "#"),
        ])
    func wrong(text: String, pointer: String) throws {
        let problem = try #require(throws: Problem.self) { try settings(text) }
        #expect(problem.status == .badRequest)
        #expect(problem.pointers == [pointer])
    }

    @Test("A name given twice is named by its pointer")
    func repeatedName() {
        let problem = Problem(JSONError.repeatedName(path: ["a", "0", "b/c"]))
        #expect(problem.document["errors"] == [["pointer": "#/a/0/b~1c", "detail": "is given twice"]])
    }

    @Test(
        "Each wrong field of a source is named",
        arguments: [
            (#""priority":1001"#, "priority"), (#""priority":null"#, "priority"),
            (#""max_connections":0"#, "max_connections"), (#""max_connections":101"#, "max_connections"),
            (#""allow_invalid_certificate":1"#, "allow_invalid_certificate"),
            (#""inherit_query":"no""#, "inherit_query"), (#""ip_version":5"#, "ip_version"),
            (#""headers":[]"#, "headers"), (#""headers":{"a b":"c"}"#, "headers/a%20b"),
            (#""headers":{"":"c"}"#, "headers/"), (#""headers":{"a":"b\r\nc"}"#, "headers/a"),
            (#""headers":{"a":"b\u0000"}"#, "headers/a"), (#""headers":{"a":1}"#, "headers/a"),
            (#""header_hosts":"h""#, "header_hosts"), (#""header_hosts":["http://h"]"#, "header_hosts/0"),
            (#""header_hosts":["h","h/x"]"#, "header_hosts/1"),
            (#""header_hosts":["h:"]"#, "header_hosts/0"), (#""header_hosts":["h:0"]"#, "header_hosts/0"),
            (#""header_hosts":["h:65536"]"#, "header_hosts/0"),
        ])
    func wrongSource(field: String, name: String) throws {
        let problem = try #require(throws: Problem.self) { try source(field) }
        #expect(problem.pointers == ["#/sources/0/\(name)"])
    }

    @Test("Bounds of sources hold at their limit and not beyond")
    func bounds() throws {
        func headers(_ count: Int) -> String {
            #""headers":{"# + (0..<count).map { #""h\#($0)":"v""# }.joined(separator: ",") + "}"
        }
        #expect(try source(headers(32))?.headers.count == 32)
        #expect(throws: Problem.self) { try source(headers(33)) }
        // The client sends 32 KiB of names and values.
        func cookies(_ last: Int) -> String {
            let values = Array(repeating: 4096, count: 7) + [last]
            return #""headers":{"#
                + values.enumerated().map { #""h\#($0)":"\#(String(repeating: "c", count: $1))""# }
                .joined(separator: ",") + "}"
        }
        #expect(try source(cookies(4080))?.headers.count == 8)
        #expect(throws: Problem.self) { try source(cookies(4081)) }
        let value = String(repeating: "v", count: 4096)
        #expect(try source(#""headers":{"a":"\#(value)"}"#)?.headers["a"] == value)
        #expect(throws: Problem.self) { try source(#""headers":{"a":"\#(value)v"}"#) }
        let hosts = Array(repeating: "\"h\"", count: 17).joined(separator: ",")
        #expect(throws: Problem.self) { try source(#""header_hosts":[\#(hosts)]"#) }
        let url = "http://h/" + String(repeating: "p", count: 8192 - 9)
        #expect(try settings(#"{"id":"a","source_url":"\#(url)"}"#).sources.first?.url == url)
        #expect(throws: Problem.self) { try settings(#"{"id":"a","source_url":"\#(url)p"}"#) }
        let sources = Array(repeating: #"{"url":"http://h/"}"#, count: 17).joined(separator: ",")
        #expect(throws: Problem.self) { try settings(#"{"id":"a","sources":[\#(sources)]}"#) }
        let title = String(repeating: "é", count: 200)
        #expect(try settings(#"{"id":"a","source_url":"http://h/","title":"\#(title)"}"#).title == title)
        #expect(throws: Problem.self) {
            try settings(#"{"id":"a","source_url":"http://h/","title":"\#(title)é"}"#)
        }
    }

    @Test("Several wrong fields are all named, in one answer")
    func several() throws {
        let problem = try #require(throws: Problem.self) {
            try settings(#"{"id":"a","source_url":"gopher://h/","recording":1,"colour":"red"}"#)
        }
        #expect(Set(problem.pointers) == ["#/source_url", "#/recording", "#/colour"])
    }

    @Test("A thousand wrong fields give fifty errors and a count")
    func flood() throws {
        let fields = (0..<1000).map { #""x\#($0)":1"# }.joined(separator: ",")
        let problem = try #require(throws: Problem.self) {
            try settings(#"{"id":"a","source_url":"http://h/",\#(fields)}"#)
        }
        #expect(problem.pointers.count == 50)
        #expect(problem.document["errors_left_out"] == 950)
    }

    @Test("The id of the path may be absent or repeated, not contradicted")
    func path() throws {
        #expect(try settings(#"{"source_url":"http://h/"}"#, path: "news").id.text == "news")
        #expect(try settings(#"{"id":"news","source_url":"http://h/"}"#, path: "news").id.text == "news")
        #expect(throws: Problem.self) {
            try settings(#"{"id":"old","source_url":"http://h/"}"#, path: "news")
        }
    }
}

extension Problem {
    /// The fields that the problem names.
    fileprivate var pointers: [String] {
        guard case .array(let errors) = document["errors"] else { return [] }
        return errors.compactMap { if case .string(let text) = $0["pointer"] { text } else { nil } }
    }
}
