import Catalogue
import HTTP
import HTTPSupport
import JSON
import Monitoring
import Testing
import Timeline

@testable import AdminAPI

/// The answers of the handlers, held against the schemas of the OpenAPI document.
@Suite struct OpenAPIAnswerTests {
    private let validator: SchemaValidator

    init() throws {
        validator = SchemaValidator(
            document: try JSONReader.value(of: try OpenAPIDocument.text(version: "1.2.3")))
    }

    private func check(_ answer: ReceivedResponse, _ schema: String, _ status: Int = 200) throws {
        #expect(answer.status == status)
        let findings = validator.findings(try JSONReader.value(of: Array(answer.text.utf8)), as: schema)
        #expect(findings.isEmpty, "\(schema): \(findings)")
    }

    private static let full = """
        {"id":"full","title":"Full","recording":false,"retention_seconds":null,"max_bytes":1000,
        "renditions":["v0","a1"],"clock":"source","encryption":"clear","time_zone":"Europe/Berlin","logo":"https://www.example/a.png","group":"News",
        "sources":[{"url":"https://u:p@h.example:8443/x?y=1","headers":{"X-A":"b"},"priority":-5,
        "max_connections":2,"allow_invalid_certificate":true,"inherit_query":true,"ip_version":6,
        "header_hosts":["cdn.example","[::1]","cdn.example:8443"]}]}
        """

    @Test("A channel, a new one and a list have their schemas")
    func channels() async throws {
        #expect(
            validator.findings(try JSONReader.value(of: Array(Self.full.utf8)), as: "NewChannel").isEmpty)
        try await withAdmin { admin async throws in
            try check(try await admin.create("a"), "Channel", 201)
            try check(try await admin.send(.post, "/api/v1/channels", Self.full), "Channel", 201)
            try check(try await admin.send(.get, "/api/v1/channels/full"), "Channel")
            try check(try await admin.send(.get, "/api/v1/channels?limit=1"), "ChannelList")
            try check(try await admin.send(.patch, "/api/v1/channels/a", #"{"title":"A"}"#), "Channel")
        }
    }

    @Test("Requests can say the fields that the program reads, and a patch null for each")
    func requests() throws {
        let schemas = try #require(validator.document["components"]?["schemas"])
        func fields(_ name: String) -> Set<String> {
            guard case .object(let members)? = schemas[name]?["properties"] else { return [] }
            return Set(members.map(\.name))
        }
        let written = Set(["id", "sources"] + ChannelField.all.map(\.name))
        #expect(fields("Channel") == written)
        for name in ["ChannelSettings", "NewChannel", "ChannelPatch"] {
            #expect(fields(name) == written.union(["source_url"]), "\(name)")
        }
        for field in ChannelField.all {
            let patch = JSONValue.object([.init(name: field.name, value: .null)])
            #expect(validator.findings(patch, as: "ChannelPatch").isEmpty, "\(field.name)")
        }
        guard case .array(let required)? = schemas["Channel"]?["required"] else {
            return #expect(Bool(false), "Channel requires nothing")
        }
        #expect(Set(required) == Set(written.map { JSONValue.string($0) }))
    }

    @Test("Status and timeline have their schemas, recorded here or elsewhere or not at all")
    func reports() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            try check(try await admin.send(.get, "/api/v1/channels/a/status"), "Status")
            try check(try await admin.send(.get, "/api/v1/channels/a/timeline"), "Timeline")
            _ = try await admin.record("a", minutes: 2, missing: [10, 11])
            try check(try await admin.send(.get, "/api/v1/channels/a/status"), "Status")
            try check(try await admin.send(.get, "/api/v1/channels/a/timeline"), "Timeline")
            for state in ChannelStatus.State.allCases {
                var status = ChannelStatus(state: state, since: TestAdmin.now)
                status.liveEdge = TestAdmin.now
                status.sourceURL = "http://h/"
                status.renditions = [
                    RenditionStatus(
                        id: RenditionID(kind: .audio, index: 1), lastSegment: TestAdmin.now, seen: 3,
                        stored: 1,
                        lost: Dictionary(GapReason.allCases.map { ($0, 1) }, uniquingKeysWith: +))
                ]
                admin.board.set(status, of: try #require(ChannelID("a")))
                try check(try await admin.send(.get, "/api/v1/channels/a/status"), "Status")
            }
        }
    }

    @Test("A channel that is reanchored, and one that cannot be")
    func reanchored() async throws {
        try await withAdmin { admin async throws in
            try await admin.create("a")
            let path = "/api/v1/channels/a/reanchor"
            try check(try await admin.send(.post, path), "Problem", 409)
            let end = try await admin.catalogue.databaseTime() + 8 * 3_600 * Microseconds.perSecond
            _ = try await admin.record("a", minutes: 2, until: end)
            try check(try await admin.send(.post, path), "Reanchored")
        }
    }

    @Test("Problems, health and readiness have their schemas")
    func problems() async throws {
        try await withAdmin(archiveIsReachable: { false }) { admin async throws in
            try check(try await admin.send(.get, "/readyz"), "NotReady", 503)
            try check(try await admin.send(.get, "/healthz"), "Health")
            try check(try await admin.send(.get, "/api/v1/channels/none"), "Problem", 404)
            try check(try await admin.send(.post, "/api/v1/channels", #"{"x":1}"#), "Problem", 400)
            try check(try await admin.send(.get, "/api/v1/channels?x=1"), "Problem", 400)
            let fields = (0..<60).map { #""x\#($0)":1"# }.joined(separator: ",")
            try check(try await admin.send(.post, "/api/v1/channels", "{\(fields)}"), "Problem", 400)
        }
        try await withAdmin { admin async throws in
            try check(try await admin.send(.get, "/readyz"), "Readiness")
        }
        // While the database has no schema yet, all that is not a probe of liveness has this answer.
        let starting = Problem(.serviceUnavailable, "the service is starting")
        #expect(validator.findings(starting.document, as: "NotReady").isEmpty)
    }

    @Test(
        "The validator finds what is wrong",
        arguments: [
            (#"{"status":"ok"}"#, "Health"), (#"{"status":"up","version":"1"}"#, "Health"),
            (#"{"id":"A","source_url":"http://h/"}"#, "NewChannel"),
            (#"{"id":"a","source_url":"ftp://h/"}"#, "NewChannel"), (#"{"id":"a"}"#, "NewChannel"),
            (#"{"id":"a","source_url":"http://h/","sources":[{"url":"http://h/"}]}"#, "NewChannel"),
            (#"{"id":"a","source_url":"http://h/","guide_id":"x"}"#, "NewChannel"),
            (#"{"id":"a","source_url":"http://h/","retention_seconds":59}"#, "NewChannel"),
            (#"{"id":"a","source_url":"http://h/","renditions":["v0","v0"]}"#, "NewChannel"),
            (#"{"items":[{}],"next_cursor":null}"#, "ChannelList"), (#"[]"#, "Problem"),
        ])
    func wrong(text: String, schema: String) throws {
        let value = try JSONReader.value(of: Array(text.utf8))
        #expect(!validator.findings(value, as: schema).isEmpty)
    }
}
