import Foundation
import JSON

@testable import AdminAPI

/// Holds values against the schemas of an OpenAPI document: the part of JSON Schema 2020-12 that the document
/// uses.
///
/// A keyword that it does not know is a finding, so that no rule goes unchecked.
struct SchemaValidator {
    let document: JSONValue

    /// What is wrong with a value; empty when it has the schema of a name in the document's components.
    func findings(_ value: JSONValue, as name: String) -> [String] {
        findings(value, ["$ref": .string("#/components/schemas/\(name)")], at: "")
    }

    private func findings(_ value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        guard case .object(let keywords) = schema else { return ["\(place): the schema is not an object"] }
        return keywords.flatMap { keyword in
            check(value, keyword.name, keyword.value, of: schema, at: place)
        }
    }

    private func check(
        _ value: JSONValue, _ keyword: String, _ rule: JSONValue, of schema: JSONValue, at place: String,
    ) -> [String] {
        let failed = ["\(place): \(text(value)) breaks \(keyword) \(text(rule))"]
        switch keyword {
        case "description", "examples", "default", "format": return []
        case "$ref": return referenced(rule).map { findings(value, $0, at: place) } ?? failed
        case "type": return types(rule).contains { matches(value, type: $0) } ? [] : failed
        case "enum": return items(rule).contains(value) ? [] : failed
        case "const": return value == rule ? [] : failed
        case "anyOf": return items(rule).contains { findings(value, $0, at: place).isEmpty } ? [] : failed
        case "oneOf": return items(rule).count { findings(value, $0, at: place).isEmpty } == 1 ? [] : failed
        case "allOf": return items(rule).flatMap { findings(value, $0, at: place) }
        case "not": return findings(value, rule, at: place).isEmpty ? failed : []
        case "pattern", "minLength", "maxLength":
            return checkText(value, keyword, rule) ? [] : failed
        case "minimum", "maximum": return checkNumber(value, keyword, rule) ? [] : failed
        case "minItems", "maxItems", "uniqueItems", "maxProperties":
            return checkCount(value, keyword, rule) ? [] : failed
        case "items":
            guard case .array(let items) = value else { return [] }
            return items.enumerated().flatMap { findings($1, rule, at: "\(place)/\($0)") }
        case "required", "properties", "additionalProperties", "propertyNames":
            return checkMembers(value, keyword, rule, of: schema, at: place)
        default: return ["\(place): the validator does not know \(keyword)"]
        }
    }

    private func checkMembers(
        _ value: JSONValue, _ keyword: String, _ rule: JSONValue, of schema: JSONValue, at place: String,
    ) -> [String] {
        guard case .object(let members) = value else { return [] }
        switch keyword {
        case "required":
            let names = Set(members.map(\.name))
            return types(rule).filter { !names.contains($0) }.map { "\(place): \($0) is missing" }
        case "properties":
            return members.flatMap { member in
                rule[member.name].map { findings(member.value, $0, at: "\(place)/\(member.name)") } ?? []
            }
        case "additionalProperties":
            let others = members.filter { schema["properties"]?[$0.name] == nil }
            if rule == false { return others.map { "\(place): \($0.name) is not described" } }
            return others.flatMap { findings($0.value, rule, at: "\(place)/\($0.name)") }
        default:
            return members.flatMap { findings(.string($0.name), rule, at: "\(place)/\($0.name)") }
        }
    }
}

extension SchemaValidator {
    private func referenced(_ rule: JSONValue) -> JSONValue? {
        guard case .string(let reference) = rule else { return nil }
        return reference.split(separator: "/").dropFirst().reduce(document as JSONValue?) { $0?[String($1)] }
    }

    private func matches(_ value: JSONValue, type: String) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("integer", .integer), ("number", .integer): true
        case ("number", .number), ("string", .string), ("array", .array), ("object", .object): true
        default: false
        }
    }

    private func checkText(_ value: JSONValue, _ keyword: String, _ rule: JSONValue) -> Bool {
        guard case .string(let text) = value else { return true }
        switch (keyword, rule) {
        case ("pattern", .string(let pattern)):
            return text.range(of: pattern, options: .regularExpression) != nil
        case ("minLength", .integer(let bound)): return text.unicodeScalars.count >= Int(bound)
        case ("maxLength", .integer(let bound)): return text.unicodeScalars.count <= Int(bound)
        default: return false
        }
    }

    private func checkNumber(_ value: JSONValue, _ keyword: String, _ rule: JSONValue) -> Bool {
        guard let number = Self.number(value), let bound = Self.number(rule) else { return true }
        return keyword == "minimum" ? number >= bound : number <= bound
    }

    private func checkCount(_ value: JSONValue, _ keyword: String, _ rule: JSONValue) -> Bool {
        switch (keyword, value, rule) {
        case ("minItems", .array(let items), .integer(let bound)): items.count >= Int(bound)
        case ("maxItems", .array(let items), .integer(let bound)): items.count <= Int(bound)
        case ("maxProperties", .object(let members), .integer(let bound)): members.count <= Int(bound)
        case ("uniqueItems", .array(let items), .bool(true)): Set(items.map(text)).count == items.count
        default: true
        }
    }

    private static func number(_ value: JSONValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    private func items(_ value: JSONValue) -> [JSONValue] {
        if case .array(let items) = value { items } else { [] }
    }

    /// One word or several.
    private func types(_ value: JSONValue) -> [String] {
        switch value {
        case .string(let word): [word]
        case .array(let items): items.compactMap { if case .string(let word) = $0 { word } else { nil } }
        default: []
        }
    }

    private func text(_ value: JSONValue) -> String {
        String(decoding: value.bytes.prefix(200), as: UTF8.self)
    }
}
