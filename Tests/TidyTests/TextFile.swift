/// A file of the repository: its path from the root, and its text.
struct TextFile {
    var path: String
    var text: String

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }

    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    var isSwift: Bool { path.hasSuffix(".swift") }

    /// The lines with their numbers, which begin at 1.
    var lines: [(number: Int, text: Substring)] {
        Self.numbered(text)
    }

    /// The lines without comments and without what stands in string literals.
    var codeLines: [(number: Int, text: Substring)] {
        Self.numbered(SwiftCode.stripped(text))
    }

    private static func numbered(_ text: String) -> [(number: Int, text: Substring)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { ($0 + 1, $1) }
    }
}
