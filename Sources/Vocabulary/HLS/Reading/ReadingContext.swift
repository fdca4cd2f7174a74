import Encoding

/// What all tags share while they are read: position, bounds, variables and notes.
struct ReadingContext {
    let limits: ReadingLimits
    let source: VariableSource
    var variables: [String: [UInt8]] = [:]
    var line = 0
    var tag: PlaylistTag?
    private(set) var notes: [DeviationNote] = []
    private var noteIndex: [NotePlace: Int] = [:]
    /// Bytes that variables have inserted so far.
    var insertedByteCount = 0
    /// Attributes read so far, in all tags.
    var attributeTotal = 0
    /// Tags read so far, by kind, where their number is bounded.
    private var tagCounts: [PlaylistTag: Int] = [:]
    /// Bytes of memory for what is kept so far.
    private(set) var memoryByteCount = 0
    private var keptLineByteCount = 0

    /// What has a note of its own.
    private struct NotePlace: Hashable {
        var deviation: Deviation
        var tag: PlaylistTag?
    }

    init(limits: ReadingLimits, source: VariableSource) {
        self.limits = limits
        self.source = source
    }

    /// Records a deviation; there is at most one note per kind and tag.
    mutating func note(_ deviation: Deviation) {
        if let index = noteIndex(deviation) {
            notes[index].count += 1
        } else {
            noteIndex[NotePlace(deviation: deviation, tag: tag)] = notes.count
            notes.append(DeviationNote(deviation: deviation, tag: tag, line: line))
        }
    }

    /// Where a deviation has its note; the first few are found without hashing, as each line may have one.
    private func noteIndex(_ deviation: Deviation) -> Int? {
        for index in 0..<min(8, notes.count)
        where notes[index].deviation == deviation && notes[index].tag == tag {
            return index
        }
        return notes.count > 8 ? noteIndex[NotePlace(deviation: deviation, tag: tag)] : nil
    }

    func error(_ reason: PlaylistError.Reason) -> PlaylistError {
        PlaylistError(line: line, tag: tag, reason: reason)
    }

    /// Throws when a count exceeds its bound.
    func check(_ count: Int, _ limit: PlaylistError.Limit, _ maximum: Int) throws(PlaylistError) {
        if count > maximum { throw error(.limit(limit, maximum: maximum)) }
    }

    /// Counts a tag whose number is bounded.
    mutating func countTag() throws(PlaylistError) {
        guard let tag, let most = limits.maximumTagCount(tag) else { return }
        let count = tagCounts[tag, default: 0] + 1
        tagCounts[tag] = count
        try check(count, .tags, most)
    }

    /// Counts memory that is kept; `checkMemory` throws when it is too much.
    mutating func keep(byteCount: Int) {
        memoryByteCount += byteCount
    }

    func checkMemory() throws(PlaylistError) {
        try check(memoryByteCount, .memory, limits.memoryByteCount)
    }

    /// A line that is kept verbatim; nil when the lines before it have used up their share of memory.
    mutating func keptLine(_ line: ArraySlice<UInt8>) -> String? {
        let cost = line.count + Self.arrayByteCount
        guard keptLineByteCount + cost <= limits.keptLineByteCount else {
            note(.surplusLine)
            return nil
        }
        keptLineByteCount += cost
        keep(byteCount: Self.arrayByteCount)
        return text(line)
    }

    /// Bytes that an array with one string takes beside the string's text.
    static let arrayByteCount = 64
}

extension ReadingContext {
    /// A line without control characters, which neither tags nor URIs may contain (RFC 8216bis §4.1).
    mutating func clean(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard line.contains(where: ASCII.isControl) else { return line }
        note(.controlCharacter)
        return line.filter { !ASCII.isControl($0) }[...]
    }

    /// Bytes as a string; variables are not substituted.
    mutating func text(_ bytes: ArraySlice<UInt8>) -> String {
        keepText(of: bytes.count)
        if let string = String(validating: bytes, as: UTF8.self) { return string }
        note(.invalidUTF8)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A URI line with variables substituted; bytes that are not UTF-8 are percent-encoded, which preserves
    /// their value.
    mutating func uri(_ bytes: ArraySlice<UInt8>) throws(PlaylistError) -> String {
        let whole = try substituted(bytes)
        keepText(of: whole.count)
        if let string = String(validating: whole, as: UTF8.self) { return string }
        note(.invalidUTF8)
        return String(decoding: Self.percentEncodingHighBytes(of: whole), as: UTF8.self)
    }

    /// Counts the memory of a string; a short one has none of its own.
    private mutating func keepText(of byteCount: Int) {
        if byteCount > 15 { keep(byteCount: byteCount + 48) }
    }

    private static func percentEncodingHighBytes(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.flatMap { byte in
            byte < 0x80 ? [byte] : [ASCII.percent] + Hexadecimal.digits(of: byte, uppercase: true)
        }
    }
}
