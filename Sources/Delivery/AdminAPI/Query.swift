import HTTP

/// The parameters of a request; unknown and repeated ones are refused by name.
struct Query: Sendable {
    private let items: QueryItems

    init(_ request: HTTPRequest, knows names: Set<String>) throws(Problem) {
        guard let items = QueryItems(reading: request.query) else {
            throw .unreadable(QueryItems.refusal)
        }
        let unknown = items.items.filter { !names.contains($0.name) }.map {
            Fault(parameter: $0.name, "is unknown")
        }
        let repeated = items.repeatedNames.map { Fault(parameter: $0, "is given more than once") }
        guard unknown.isEmpty, repeated.isEmpty else { throw .invalid(unknown + repeated) }
        self.items = items
    }

    subscript(name: String) -> String? { items[name] }

    func integer(_ name: String, in range: ClosedRange<Int64>, default value: Int64) throws(Problem) -> Int64
    {
        guard let text = self[name] else { return value }
        guard let number = Int64(text), range.contains(number), text.utf8.first != UInt8(ascii: "+") else {
            throw .invalid([
                Fault(parameter: name, "is not an integer from \(range.lowerBound) to \(range.upperBound)")
            ])
        }
        return number
    }

    /// `true` or `false`; false when it is absent.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch self[name] {
        case nil, "false": return false
        case "true": return true
        default: throw .invalid([Fault(parameter: name, "is neither true nor false")])
        }
    }
}
