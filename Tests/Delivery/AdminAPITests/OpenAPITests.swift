import Foundation
import HTTP
import Testing

@testable import AdminAPI

@Suite struct OpenAPITests {
    private func document() throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.text(version: "1\"2")))
        return try #require(value as? [String: Any])
    }

    @Test("It is JSON, of OpenAPI 3.1, and names the program's version")
    func head() throws {
        let document = try document()
        #expect(document["openapi"] as? String == "3.1.0")
        #expect((document["info"] as? [String: Any])?["version"] as? String == "1\"2")
    }

    @Test("Every reference leads somewhere")
    func references() throws {
        let document = try document()
        let references = Self.references(in: document)
        #expect(references.count > 50)
        for reference in Set(references) {
            var place: Any? = document
            for part in reference.split(separator: "/").dropFirst() {
                place = (place as? [String: Any])?[String(part)]
            }
            #expect(place != nil, "\(reference)")
        }
    }

    private static func references(in value: Any) -> [String] {
        if let object = value as? [String: Any] {
            let own = (object["$ref"] as? String).map { [$0] } ?? []
            return own + object.values.flatMap(references(in:))
        }
        return (value as? [Any])?.flatMap(references(in:)) ?? []
    }

    @Test("It describes every route and every method that is answered, HEAD aside")
    func routes() throws {
        let paths = try #require(try document()["paths"] as? [String: [String: Any]])
        #expect(paths.count == 8)
        for (path, item) in paths {
            let route = try #require(Route(path: path.replacingOccurrences(of: "{channel}", with: "a")))
            let described = Set(item.keys).subtracting(["parameters"])
            #expect(
                described.union(["head"]) == Set(route.methods.map { $0.rawValue.lowercased() }), "\(path)")
        }
    }

    @Test("It lists the fields of a channel that the program writes")
    func fields() async throws {
        let schemas = try #require(
            (try document()["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
        try await withAdmin { admin async throws in
            let written = try await admin.create("a").json
            let described = try #require(schemas["Channel"]?["properties"] as? [String: Any])
            #expect(Set(described.keys) == Set(written.keys))
            let source = try #require((written["sources"] as? [[String: Any]])?.first)
            let ofSource = try #require(schemas["Source"]?["properties"] as? [String: Any])
            #expect(Set(ofSource.keys) == Set(source.keys))
        }
    }
}
