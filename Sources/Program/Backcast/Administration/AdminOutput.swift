import Foundation
import JSON

/// Standard output of the admin commands; a command fails if its output cannot be written.
enum AdminOutput {
    /// One JSON text a line.
    static func print(json documents: [JSONValue]) throws(AdminFailure) {
        try write(documents.flatMap { $0.bytes + [0x0A] })
    }

    /// Rows in columns under a heading; the last column may have any width.
    static func print(table rows: [[String]], under heading: [String]) throws(AdminFailure) {
        let rows = [heading] + rows.map { $0.map { PrintableText.line($0) } }
        let widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            row.indices.map { column in
                let space = column == row.count - 1 ? 0 : widths[column] - row[column].count + 2
                return row[column] + String(repeating: " ", count: space)
            }.joined()
        }
        try write(lines.flatMap { Array($0.utf8) + [0x0A] })
    }

    /// One document, as a program or a person reads it.
    static func print(_ document: JSONValue, _ flags: AdminFlags) throws(AdminFailure) {
        if flags.json { try print(json: [document]) } else { try print(fields: document) }
    }

    /// Each value of a document with its path, such as `sources/0/url`.
    private static func print(fields document: JSONValue) throws(AdminFailure) {
        try print(table: document.fields.map { [$0.path, $0.text] }, under: ["FIELD", "VALUE"])
    }

    private static func write(_ bytes: [UInt8]) throws(AdminFailure) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            throw .refused("the output cannot be written: \(error.localizedDescription)")
        }
    }
}

extension JSONValue {
    /// The text of a string; nil for another value.
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The elements of an array; none for another value.
    var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// A whole or other number; nil for another value.
    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// For a cell of a table: strings without quotation marks, null as a dash.
    var cell: String {
        switch self {
        case .string(let text): text
        case .null: "-"
        default: String(decoding: bytes, as: UTF8.self)
        }
    }

    fileprivate var fields: [(path: String, text: String)] {
        let inner: [(name: String, value: JSONValue)]
        switch self {
        case .object(let members) where !members.isEmpty: inner = members.map { ($0.name, $0.value) }
        case .array(let values) where !values.isEmpty:
            inner = values.enumerated().map { ("\($0.offset)", $0.element) }
        default: return [("", cell)]
        }
        return inner.flatMap { name, value in
            value.fields.map { ($0.path.isEmpty ? name : "\(name)/\($0.path)", $0.text) }
        }
    }
}
