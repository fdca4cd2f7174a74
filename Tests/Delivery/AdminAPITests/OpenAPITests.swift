import Foundation
import HTTP
import JSON
import Testing
import Timeline

@testable import AdminAPI

/// The OpenAPI document, held against the routes and the bounds of the program.
@Suite struct OpenAPITests {
    private func document() throws -> JSONValue {
        try JSONReader.value(of: try OpenAPIDocument.text(version: "1\"2"))
    }

    @Test("It is JSON, of OpenAPI 3.1, and names the program's version and the time zones of the host")
    func head() throws {
        let value = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.text(version: "1\"2")))
        let document = try #require(value as? [String: Any])
        #expect(document["openapi"] as? String == "3.1.0")
        #expect((document["info"] as? [String: Any])?["version"] as? String == "1\"2")
        let zones = try self.document()["components"]?["schemas"]?["TimeZone"]?["enum"]
        guard case .array(let names)? = zones else { return #expect(Bool(false), "no time zones") }
        #expect(names.contains("Europe/Berlin") && names.contains("UTC"))
    }

    @Test("Every reference leads somewhere, and every component is referred to")
    func references() throws {
        let document = try document()
        let references = Set(Self.texts(named: "$ref", in: document))
        #expect(references.count > 50)
        for reference in references {
            let parts = reference.split(separator: "/").dropFirst()
            #expect(
                parts.reduce(document as JSONValue?) { $0?[String($1)] } != nil, "\(reference)")
        }
        for kind in ["parameters", "headers", "requestBodies", "responses", "schemas"] {
            for name in Self.names(of: document["components"]?[kind]) {
                let isUsed = references.contains("#/components/\(kind)/\(name)")
                #expect(isUsed || Self.withoutReference.contains(name), "\(kind)/\(name)")
            }
        }
    }

    /// Headers that are described for people: they come with answers that have no description of their own.
    private static let withoutReference: Set<String> = ["Allow"]

    @Test("It describes every route with every method that is answered, HEAD aside, and no others")
    func routes() throws {
        let paths = try #require(try document()["paths"])
        let known: [Route] =
            [
                .frontPage, .health, .readiness, .metrics, .document, .channels, .tokens,
                .token(TokenID(number: 10)), .unknown,
            ]
            + ChannelPath.Part.allCases.compactMap { part in
                Route(path: "/api/v1/channels/a" + (part == .settings ? "" : "/\(part.rawValue)"))
            }
        #expect(known.count == 9 + ChannelPath.Part.allCases.count)
        var described: Set<String> = []
        for route in known {
            guard let path = Self.path(of: route) else { continue }
            described.insert(path)
            #expect(Route(path: Self.filled(path)) == route, "\(path)")
            let methods = Set(Self.names(of: paths[path])).subtracting(["parameters"])
            #expect(
                methods == Set(route.methods.map { $0.rawValue.lowercased() }).subtracting(["head"]),
                "\(path)")
        }
        #expect(Set(Self.names(of: paths)) == described)
    }

    /// The path of a route as the document writes it; nil for what it does not describe.
    private static func path(of route: Route) -> String? {
        switch route {
        case .frontPage, .unknown: nil
        case .health: "/healthz"
        case .readiness: "/readyz"
        case .metrics: "/metrics"
        case .document: "/api/v1/openapi.json"
        case .channels: "/api/v1/channels"
        case .tokens: "/api/v1/tokens"
        case .token: "/api/v1/tokens/{token}"
        case .channel(let path):
            "/api/v1/channels/{channel}" + (path.part == .settings ? "" : "/\(path.part.rawValue)")
        }
    }

    private static func filled(_ path: String) -> String {
        path.replacing("{channel}", with: "a").replacing("{token}", with: "000000000000000a")
    }

    @Test("A route needs the token where the document says so")
    func security() throws {
        let paths = try #require(try document()["paths"])
        for path in Self.names(of: paths) {
            let route = try #require(Route(path: Self.filled(path)))
            let isOpen = paths[path]?["get"]?["security"] == []
            #expect(route.needsToken == !isOpen, "\(path)")
        }
    }
}

extension OpenAPITests {
    /// The bounds in the document, by schema and keyword, as the program's limits give them.
    private static let bounds: [String: Int64] = [
        "SourceURL maxLength": Int64(Limits.urlBytes),
        "Source/headers maxProperties": Int64(Limits.headers),
        "Source/headers/propertyNames maxLength": Int64(Limits.headerNameCharacters),
        "Source/headers/additionalProperties maxLength": Int64(Limits.headerValueBytes),
        "Source/priority minimum": Limits.priority.lowerBound,
        "Source/priority maximum": Limits.priority.upperBound,
        "Source/max_connections minimum": Limits.maxConnections.lowerBound,
        "Source/max_connections maximum": Limits.maxConnections.upperBound,
        "Source/header_hosts maxItems": Int64(Limits.headerHosts),
        "Source/header_hosts/items maxLength": Int64(Limits.hostCharacters),
        "Sources minItems": 1, "Sources maxItems": Int64(Limits.sources),
        "Title minLength": 1, "Title maxLength": Int64(Limits.titleCharacters),
        "Logo maxLength": Int64(Limits.logoCharacters),
        "Group minLength": 1, "Group maxLength": Int64(Limits.groupCharacters),
        "Retention minimum": ChannelSettings.retentionBounds.lowerBound,
        "Retention maximum": ChannelSettings.retentionBounds.upperBound,
        "MaxBytes minimum": Limits.maxBytes.lowerBound, "MaxBytes maximum": Limits.maxBytes.upperBound,
        "Renditions minItems": 1, "Renditions maxItems": Int64(Limits.renditions),
        "TokenChannel/oneOf minItems": 1,
        "limit minimum": Limits.pageItems.lowerBound, "limit maximum": Limits.pageItems.upperBound,
        "limit default": Limits.defaultPageItems,
    ]

    @Test("Every bound in it is the program's, and every bound of a field is in it")
    func limits() throws {
        let components = try #require(try document()["components"])
        var found: [String: Int64] = [:]
        for name in Self.names(of: components["schemas"]) where !Self.reports.contains(name) {
            Self.collect(components["schemas"]?[name], at: name, into: &found)
        }
        Self.collect(components["parameters"]?["limit"]?["schema"], at: "limit", into: &found)
        #expect(found == Self.bounds)
    }

    @Test("The reasons of gaps are the program's")
    func reasons() throws {
        let schema = try document()["components"]?["schemas"]?["GapReason"]
        #expect(schema?["enum"] == .array(GapReason.allCases.map { .string($0.word) }))
    }

    @Test("Bounds that stand in descriptions are the program's")
    func describedLimits() throws {
        let document = try document()
        let body = document["components"]?["responses"]?["ContentTooLarge"]?["description"]
        #expect(body == .string("The body has more than \(Limits.bodyBytes) bytes"))
        let timeline = document["paths"]?["/api/v1/channels/{channel}/timeline"]?["get"]?["description"]
        guard case .string(let text)? = timeline else { return #expect(Bool(false), "no description") }
        #expect(text.contains("at most \(Limits.timelineSeconds / 86_400) days"))
    }

    /// Schemas of answers only: their minimums say what a count can be, and no limit of the program.
    private static let reports: Set<String> = [
        "RenditionStatus", "Span", "Token", "TokenList", "Status", "Timeline", "Gap", "Reanchored",
    ]
    private static let keywords: Set<String> = [
        "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "maxProperties", "default",
    ]

    @Test("The formats of times in queries are those of the error message")
    func queryTimes() throws {
        let schema = try document()["components"]?["schemas"]?["QueryTime"]
        #expect(schema?["description"] == .string(InstantReading.formats))
    }

    @Test("The pattern of times has the days that the program reads, leap days too")
    func days() throws {
        let validator = SchemaValidator(document: try document())
        for year in [1900, 2000, 2023, 2024] {
            for (month, day) in (1...12).flatMap({ month in (0...32).map { (month, $0) } }) {
                let parts = ["\(year)", Self.twoDigits(month), Self.twoDigits(day)]
                for text in [parts.joined() + "120000", parts.joined(separator: "-") + "T12:00:00Z"] {
                    let isDescribed = validator.findings(.string(text), as: "QueryTime").isEmpty
                    #expect(isDescribed == (InstantReading.reading(text) != nil), "\(text)")
                }
            }
        }
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    private static func collect(_ schema: JSONValue?, at place: String, into found: inout [String: Int64]) {
        guard case .object(let members)? = schema else {
            if case .array(let items)? = schema {
                for item in items { collect(item, at: place, into: &found) }
            }
            return
        }
        for member in members {
            if keywords.contains(member.name), case .integer(let bound) = member.value {
                // A default of zero is not a bound.
                if member.name != "default" || bound != 0 { found["\(place) \(member.name)"] = bound }
            } else if ["properties", "anyOf"].contains(member.name) {
                collect(member.value, at: place, into: &found)
            } else {
                collect(member.value, at: "\(place)/\(member.name)", into: &found)
            }
        }
    }

    private static func names(of object: JSONValue?) -> [String] {
        if case .object(let members)? = object { members.map(\.name) } else { [] }
    }

    private static func texts(named name: String, in value: JSONValue) -> [String] {
        switch value {
        case .object(let members):
            members.flatMap { member -> [String] in
                if member.name == name, case .string(let text) = member.value { return [text] }
                return texts(named: name, in: member.value)
            }
        case .array(let items): items.flatMap { texts(named: name, in: $0) }
        default: []
        }
    }
}
