import Timeline

/// Cue tags as the text of one column: each on a line of its own.
enum CueTagText {
    /// Nil if there are none.
    static func text(_ tags: [String]) -> String? {
        tags.isEmpty ? nil : tags.map { $0.filter { !$0.isNewline } }.joined(separator: "\n")
    }

    static func tags(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }
}
