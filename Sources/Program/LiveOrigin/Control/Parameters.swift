/// Reads the parameters of a control request; an unreadable one is refused by name.
struct Parameters {
    var values: [String: String]

    func count() throws -> Int { try integer("count", 1, in: 0...1_000_000) }

    /// The duration of a fault, ten seconds by default.
    func seconds() throws -> Double {
        let seconds = try number("seconds", 10)
        guard seconds >= 0 else { throw ControlRequest.Refusal(reason: "seconds: not below 0") }
        return seconds
    }

    func integer(_ name: String, _ fallback: Int, in range: ClosedRange<Int>) throws -> Int {
        guard let text = values[name] else { return fallback }
        guard let value = Int(text), range.contains(value) else {
            throw ControlRequest.Refusal(
                reason: "\(name): a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func number(_ name: String, _ fallback: Double) throws -> Double {
        guard let text = values[name] else { return fallback }
        guard let value = Double(text), value.magnitude <= 1e9 else {
            throw ControlRequest.Refusal(reason: "\(name): a number")
        }
        return value
    }

    func boolean(_ name: String, _ fallback: Bool) throws -> Bool {
        switch values[name] {
        case nil: return fallback
        case "true", "1", "yes", "": return true
        case "false", "0", "no": return false
        default: throw ControlRequest.Refusal(reason: "\(name): true or false")
        }
    }
}
