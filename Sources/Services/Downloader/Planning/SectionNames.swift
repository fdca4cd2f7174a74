import HLS

/// The names of initialization sections in the folder of a rendition: one for each that the source lists.
struct SectionNames: Sendable {
    private var names: [PartInitSection: String] = [:]
    private var used: Set<String>

    init(kept: some Sequence<String> = []) {
        used = Set(kept)
    }

    /// The name of a section; `known` is the one that a segment has already for it.
    mutating func name(for section: PartInitSection, known: String?) -> String {
        let name = known ?? names[section] ?? newName()
        names[section] = name
        used.insert(name)
        return name
    }

    /// Gives sections that are listed from now on other names, so that they are fetched again.
    ///
    /// An encoder that starts again may overwrite its section, which then has the same URL.
    mutating func beginAgain() {
        names = [:]
    }

    private func newName() -> String {
        var number = used.count + 1
        while used.contains("init-\(number).mp4") { number += 1 }
        return "init-\(number).mp4"
    }
}

/// The numbers that stand for the vectors of sections whose keys name none.
///
/// A section needs a vector that is named (RFC 8216 §4.3.2.5). Without one it has the number of the first
/// segment after EXT-X-MAP, and keeps it as long as the playlists that are read list one of its segments.
struct SectionNumbers {
    private var map: MediaMap?
    private var number: UInt64 = 0

    /// The number for a segment's section; `known` is the one that this segment has already.
    mutating func number(
        of map: MediaMap?, before segment: UInt64, known: @autoclosure () -> UInt64?
    ) -> UInt64 {
        if map != self.map { (self.map, number) = (map, known() ?? segment) }
        return number
    }
}
