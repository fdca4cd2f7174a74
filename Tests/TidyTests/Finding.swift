/// What a rule has against a place in the repository.
struct Finding: Equatable, CustomStringConvertible {
    var path: String
    var line: Int?
    var reason: String

    var description: String {
        "\(path)\(line.map { ":\($0)" } ?? ""): \(reason)"
    }
}

extension [Finding] {
    /// One line per finding, for a test's message.
    var report: String { map(\.description).joined(separator: "\n") }
}
