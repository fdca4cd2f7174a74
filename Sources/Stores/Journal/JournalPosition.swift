/// Where an entry lies in the journal of its channel; in the order of writing.
package struct JournalPosition: Hashable, Comparable, Sendable {
    /// Number of the file.
    package let file: Int
    /// Line in the file, from zero.
    package let line: Int

    package init(file: Int, line: Int) {
        self.file = file
        self.line = line
    }

    package static func < (a: JournalPosition, b: JournalPosition) -> Bool {
        (a.file, a.line) < (b.file, b.line)
    }
}
