import JSON

/// A wrong part of a request: a field of its body, a parameter of its query or a header.
struct Fault: Sendable, Hashable {
    enum Place: Sendable, Hashable {
        case field(JSONPointer)
        case parameter(String)
        case header(String)
    }

    let place: Place
    /// What is wrong, as words that follow the name of the place.
    let detail: String

    init(_ pointer: JSONPointer, _ detail: String) {
        place = .field(pointer)
        self.detail = detail
    }

    init(parameter: String, _ detail: String) {
        place = .parameter(String(parameter.prefix(Limits.quotedCharacters)))
        self.detail = detail
    }

    init(header: String, _ detail: String) {
        place = .header(header)
        self.detail = detail
    }

    var sentence: String {
        switch place {
        case .field(let pointer): "\(pointer.words) \(detail)"
        case .parameter(let name), .header(let name): "\(name) \(detail)"
        }
    }

    var document: JSONValue {
        switch place {
        case .field(let pointer): ["pointer": .string(pointer.text), "detail": .string(detail)]
        case .parameter(let name): ["parameter": .string(name), "detail": .string(detail)]
        case .header(let name): ["header": .string(name), "detail": .string(detail)]
        }
    }
}
