/// A text that no log, message or dump may show.
struct Secret: Sendable, Hashable {
    /// The text itself, for the one place that needs it.
    let revealed: String

    init(_ text: String) {
        revealed = text
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "(secret)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
