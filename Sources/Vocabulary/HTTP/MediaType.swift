/// The type of a body (RFC 9110 §8.3.1); type, subtype and parameter names in lower case.
package struct MediaType: Hashable, Sendable {
    package let type: String
    package let subtype: String
    package let parameters: [Parameter]

    package struct Parameter: Hashable, Sendable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(type: String, subtype: String, parameters: [Parameter] = []) {
        self.type = type
        self.subtype = subtype
        self.parameters = parameters
    }

    /// Reads a Content-Type value; a malformed parameter is left out, a malformed type gives nil.
    package init?(reading value: String) {
        let parts = FieldList.split(value[...], at: UInt8(ascii: ";"))
        guard let essence = parts.first, let slash = essence.utf8.firstIndex(of: UInt8(ascii: "/")) else {
            return nil
        }
        let (type, subtype) = (essence[..<slash], essence[essence.utf8.index(after: slash)...])
        guard FieldList.isToken(type), FieldList.isToken(subtype) else { return nil }
        self.type = lowercasedASCII(type)
        self.subtype = lowercasedASCII(subtype)
        parameters = parts.dropFirst().prefix(Limits.mediaTypeParameterCount).compactMap { part in
            FieldList.parameter(part).map { Parameter(name: $0.name, value: $0.value) }
        }
    }

    /// The first value of a parameter; `name` in lower case.
    package subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// `type/subtype` without parameters.
    package var essence: String { "\(type)/\(subtype)" }

    /// The type as a field value; parameter values that are not tokens are quoted.
    package var fieldValue: String {
        parameters.reduce(into: essence) { text, parameter in
            let isToken = FieldList.isToken(parameter.value[...])
            text += "; \(parameter.name)=\(isToken ? parameter.value : Self.quoted(parameter.value))"
        }
    }

    private static func quoted(_ value: String) -> String {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in value.utf8 where !byte.isControl {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}

extension MediaType {
    private static let utf8 = [Parameter(name: "charset", value: "utf-8")]

    package static let json = MediaType(type: "application", subtype: "json")
    static let problemJSON = MediaType(type: "application", subtype: "problem+json")
    package static let html = MediaType(type: "text", subtype: "html", parameters: utf8)
}
