/// The file beside a journal file that says which of its lines are done; not synced, as doing them again is
/// harmless.
enum DoneRecord {
    /// A record begins with a newline, so that a torn record before it damages only itself.
    static func written(_ lines: [Int]) -> [UInt8] {
        let text = lines.map(String.init).joined(separator: " ")
        return [UInt8(ascii: "\n")] + JournalLine.written(Array(text.utf8))
    }

    /// The lines that whole records name.
    static func reading(_ bytes: [UInt8]) -> Set<Int> {
        var done: Set<Int> = []
        for payload in JournalLines(bytes).payloads {
            guard let payload else { continue }
            done.formUnion(
                String(decoding: payload, as: UTF8.self).split(separator: " ").compactMap { Int($0) })
        }
        return done
    }
}
