import HLS
import HTTP
import Timeline

/// The parts of one rendition: what the source lists, under names of the folder.
///
/// A playlist that is read again gives known segments their new URLs, and adds the segments after them.
struct RenditionPlan: Sendable {
    let id: RenditionID
    /// The address of the playlist as it is asked for.
    var url: HTTPURL
    var imports: [String: String] = [:]
    /// What the multivariant playlist says, where the folder has none of its own.
    var multivariant: MultivariantPlaylist?
    private(set) var parts: [Part] = []
    /// The latest playlist, without its segments.
    private(set) var head = MediaPlaylist()
    /// What all playlists have listed.
    private(set) var dateRanges = KnownDateRanges()
    /// How much the latest playlist lists; nil if it keeps its segments.
    private(set) var listedTime: ListedTime?
    /// Parts that are there or are gaps, and how many seconds they play.
    private(set) var settledCount = 0
    private(set) var settledSeconds = 0.0
    private(set) var indices: [PartIdentity: Int] = [:]
    /// What was kept in the folder by an earlier process.
    let kept: [PartIdentity: PartNames]
    /// What the folder's playlist says of them; an error if it cannot be read.
    private let recordedResult: Result<RecordedParts?, DownloadError>
    var recorded: RecordedParts? { try? recordedResult.get() }
    private var nextFile = 1
    private var sectionNames: SectionNames
    /// Seconds that the source lists in front of the first segment that is taken.
    private(set) var skippedSeconds = 0.0
    /// The number of discontinuities in the segments before the first one that is taken.
    private var skippedDiscontinuities = 0
    private var firstDiscontinuitySequence: UInt64?
    /// The first part that the latest playlist lists.
    private var firstListed = 0
    /// Whether one of its playlists had no EXT-X-ENDLIST.
    private var wasLive = false
    /// Initialization sections that are stored clear although the source names a key for them.
    var clearSections: Set<String> = []
    /// Distinguishes runs of the encoder that use the same numbers and paths.
    var runs: SegmentRuns

    var isEnded: Bool { head.isEnded }
    var seconds: Double { parts.last.map { $0.position + $0.seconds } ?? 0 }
    var keptKeys: [String] { kept.values.compactMap(\.key) }
    var hasKept: Bool { !kept.isEmpty }
    var hasMedia: Bool { parts.contains(where: \.isDone) }
    /// Whether every part is there or is a gap.
    var isSettled: Bool { settledCount == parts.count }

    init(
        id: RenditionID, url: HTTPURL, kept: [PartNames] = [],
        recorded: Result<RecordedParts?, DownloadError> = .success(nil),
    ) {
        self.id = id
        self.url = url
        recordedResult = recorded
        self.kept = Dictionary(kept.map { ($0.identity, $0) }, uniquingKeysWith: { _, last in last })
        runs = SegmentRuns(kept: kept, recorded: try? recorded.get())
        sectionNames = SectionNames(kept: kept.compactMap(\.initSection))
        nextFile = (kept.compactMap { Int($0.file.prefix { $0 != "." }) }.max() ?? 0) + 1
    }

    /// Takes a playlist; gives the lines that the folder has to keep before the new parts are fetched.
    ///
    /// `base` is the URL of the playlist after redirects, `range` the part of a finished presentation that is
    /// taken; `keys` gives keys their names in the folder.
    mutating func take(
        _ playlist: MediaPlaylist, base: HTTPURL, range: TimeRange?, keys: inout KeyNames,
    ) throws(DownloadError) -> [PartNames] {
        if range != nil, !playlist.isEnded, playlist.type != .videoOnDemand {
            throw .unusable("a range can only be taken of a presentation that has ended")
        }
        guard let listed = try listedParts(of: playlist, base: base) else { return [] }
        let behind = try parts.isEmpty && range == nil ? takeRecorded(beside: playlist, listed) : []
        let entries = try takeEntries(of: playlist, listed, base: base, range: range, &keys)
        if !playlist.segments.isEmpty { firstListed = entries.firstKnown ?? parts.count }
        wasLive = wasLive || !playlist.isEnded
        let lines = entries.new.compactMap { append($0) }
        for part in behind { _ = append(part) }
        if hasKept, !entries.areKnown, playlist.isEnded, !(recorded?.isLive ?? false) {
            throw .conflict("the source lists another presentation than the one that was begun")
        }
        head = playlist
        head.segments = []
        listedTime = ListedTime(playlist)
        dateRanges.take(playlist.dateRanges)
        return lines
    }

    /// The entries of a playlist, as the plan knows them.
    private struct Entries {
        /// Those after all known ones.
        var new: [Part] = []
        /// The first one that the plan has.
        var firstKnown: Int?
        /// Whether the plan or the folder has any.
        var areKnown = false

        /// Adds an entry that the plan has.
        mutating func addKnown(_ index: Int) {
            areKnown = true
            firstKnown = min(firstKnown ?? index, index)
            // In a playlist older than the previous one, segments before a known segment are not new.
            new = []
        }
    }

    /// Gives known parts what a playlist says of them now, and the others names in the folder.
    private mutating func takeEntries(
        of playlist: MediaPlaylist, _ listed: [ListedPart], base: HTTPURL, range: TimeRange?,
        _ keys: inout KeyNames,
    ) throws(DownloadError) -> Entries {
        var (entries, place, isFirst) = (Entries(), PlaylistPlace(), parts.isEmpty)
        var sectionNumbers = SectionNumbers()
        // All segments of one playlist use the sections that the source has now.
        var hasPresentSections = parts.isEmpty && kept.isEmpty
        for (index, segment) in playlist.segments.enumerated() {
            let identity = listed[index].identity
            let sectionNumber = sectionNumbers.number(
                of: segment.map, before: identity.number,
                known: knownSectionNumber(from: index, of: playlist, listed))
            guard place.enter(segment, isIn: range) else { continue }
            let mayRestart = index == 0 || segment.discontinuityCount > 0
            if !hasPresentSections, mayRestart, !knows(identity) {
                sectionNames.beginAgain()
                hasPresentSections = true
            }
            let part = try part(
                segment, listed[index], sectionNumber: sectionNumber, base: base, &keys)
            if let known = indices[part.names.identity] {
                renew(known, with: part)
                entries.addKnown(known)
                continue
            }
            if isFirst { begin(at: place, in: playlist) }
            isFirst = false
            entries.areKnown = entries.areKnown || kept[part.names.identity] != nil
            entries.new.append(part)
        }
        return entries
    }

    /// The plan begins at a place in a playlist.
    private mutating func begin(at place: PlaylistPlace, in playlist: MediaPlaylist) {
        firstDiscontinuitySequence = playlist.discontinuitySequence
        skippedDiscontinuities = place.skippedDiscontinuities
        skippedSeconds = place.begin
    }

    /// Begins with what was recorded of a live presentation and is no longer listed.
    ///
    /// Returns the parts that play after the listed ones: there are some if the list is older than an earlier
    /// one.
    private mutating func takeRecorded(
        beside playlist: MediaPlaylist, _ listedParts: [ListedPart]
    ) throws(DownloadError) -> [Part] {
        if kept.isEmpty { return [] }
        let listed = Set(listedParts.map(\.identity))
        // What the source no longer lists would be lost when the playlist is written again.
        let isGone = kept.keys.contains { !listed.contains($0) }
        guard let recorded = try isGone ? recordedResult.get() : recorded else { return [] }
        dateRanges.take(recorded.head.dateRanges)
        let first = playlist.number(at: 0)
        // A presentation that had ended lists all of itself.
        let gone = kept.values.filter {
            !listed.contains($0.identity) && (recorded.isLive || $0.identity.number < first)
        }
        let known = recorded.inOrder(kept.values.filter { listed.contains($0.identity) })
        var behind: [Part] = []
        for names in recorded.inOrder(gone) {
            guard let segment = recorded.segment(of: names) else { continue }
            let part = recordedPart(names, segment)
            if let earliest = known.first, recorded.lists(earliest, before: names) {
                behind.append(part)
            } else {
                _ = append(part)
            }
        }
        firstDiscontinuitySequence = parts.isEmpty ? nil : recorded.head.discontinuitySequence
        // What is missing at the end is in the next list, and is fetched then.
        while behind.last?.segment.isGap == true { behind.removeLast() }
        return behind
    }

    /// Takes all that the folder's playlist lists, and nothing of the source; false where a file is missing.
    mutating func takeAllRecorded() -> Bool {
        guard let recorded else { return false }
        for names in recorded.inOrder(kept.values) {
            if recorded.lacksFile(of: names) { return false }
            guard let segment = recorded.segment(of: names) else { continue }
            _ = append(recordedPart(names, segment))
        }
        firstDiscontinuitySequence = recorded.head.discontinuitySequence
        head = recorded.head
        head.isEnded = true
        dateRanges.take(head.dateRanges)
        return !parts.isEmpty
    }

    private func recordedPart(_ names: PartNames, _ segment: MediaSegment) -> Part {
        var names = names
        // A gap is not decrypted: its key may never have been fetched.
        let key = segment.isGap ? nil : Self.recordedKey(segment.keys)
        if key == nil { names.key = nil }
        var section: PartInitSection?
        if let map = segment.map, !segment.isGap {
            let name = map.keys.first?.uri.map(RecordedParts.lastPart)
            section = PartInitSection(url: url, range: nil, key: Self.recordedKey(map.keys), keyName: name)
        } else {
            names.initSection = nil
        }
        return Part(
            names: names, segment: segment, url: url, key: key, initSection: section, position: 0)
    }

    /// The key of a segment of the folder, whose playlist always names the vector.
    private static func recordedKey(_ keys: [Key]) -> PartKey? {
        guard let key = keys.first, let vector = key.initializationVector else { return nil }
        return PartKey(uri: key.uri ?? "", vector: vector)
    }

    /// The file of a part is there.
    mutating func markDone(_ index: Int, byteCount: Int64) {
        if !parts[index].isSettled { count(parts[index]) }
        parts[index].isDone = true
        parts[index].byteCount = byteCount
    }

    /// Takes over which parts of an earlier state are done or lost, and which sections are clear.
    mutating func markDone(as earlier: RenditionPlan) {
        clearSections.formUnion(earlier.clearSections)
        for (index, part) in earlier.parts.enumerated() {
            if part.isDone { markDone(index, byteCount: part.byteCount) }
            if part.segment.isGap { lose(index) }
        }
    }

    /// Whether a live source no longer lists a part.
    func isDropped(_ index: Int) -> Bool { wasLive && index < firstListed }

    /// Turns a part that will not be fetched into a gap.
    mutating func lose(_ index: Int) {
        guard !parts[index].isSettled else { return }
        parts[index].segment.isGap = true
        (parts[index].key, parts[index].names.key) = (nil, nil)
        (parts[index].initSection, parts[index].names.initSection) = (nil, nil)
        count(parts[index])
    }

    /// Another key opens a part.
    mutating func nameKey(of index: Int, _ name: String) {
        if parts[index].key != nil { parts[index].names.key = name }
    }

    /// Ends after the last part that is there, or at `seconds`; missing parts before that become gaps.
    mutating func close(at seconds: Double?) {
        let next = parts.lastIndex(where: \.isDone).map { $0 + 1 } ?? 0
        let open = parts[next...].first { !$0.isSettled }
        end(at: [open?.position, seconds].compactMap(\.self).min())
        for index in missingIndices { lose(index) }
    }

    /// Removes the parts that begin at or after `seconds`, if given, and marks the playlist as ended.
    mutating func end(at seconds: Double? = nil) {
        if let seconds, let index = parts.firstIndex(where: { $0.position >= seconds }) {
            for part in parts[index...] where part.isSettled { count(part, by: -1) }
            parts.removeLast(parts.count - index)
        }
        head.isEnded = true
    }

    /// The discontinuity sequence of the first part.
    var discontinuitySequence: UInt64? {
        guard firstDiscontinuitySequence != nil || skippedDiscontinuities > 0 else { return nil }
        return (firstDiscontinuitySequence ?? 0) &+ UInt64(skippedDiscontinuities)
    }

    private mutating func append(_ part: Part) -> PartNames? {
        var part = part
        appendLost(before: part)
        part.position = seconds
        if let last = parts.last, part.segment.discontinuityCount == 0,
            last.isLost || !part.names.identity.follows(last.names.identity)
        {
            part.segment.discontinuityCount = 1
        }
        let line: PartNames?
        if let names = kept[part.names.identity] {
            part.names.file = names.file
            line = nil
        } else {
            part.names.file = Self.fileName(nextFile, of: part)
            nextFile += 1
            line = part.names
        }
        indices[part.names.identity] = parts.count
        runs.note(part.names.identity)
        parts.append(part)
        if part.isSettled { count(part) }
        return line
    }

    /// Adds gaps for segments that the source has listed and dropped while its playlist was not read.
    ///
    /// They are found by a jump in the media sequence numbers. A jump over more than `Limits.lostSegments`
    /// segments, or over which the dates go on, means another numbering, and adds no gaps.
    private mutating func appendLost(before next: Part) {
        guard let last = parts.last, next.names.identity.run == last.names.identity.run,
            next.names.identity.number > last.names.identity.number
        else { return }
        let skipped = next.names.identity.number - last.names.identity.number - 1
        guard skipped > 0, skipped <= Limits.lostSegments,
            let lost = lost(before: next, skipped: Int64(skipped))
        else { return }
        let each = lost.microseconds / lost.count
        for number in 1...UInt64(lost.count) {
            var gap = last
            (gap.isDone, gap.isLost, gap.byteCount) = (false, true, 0)
            gap.names.identity.number = last.names.identity.number + number
            gap.names.file = Self.fileName(nextFile, of: last)
            gap.segment = MediaSegment(uri: "", durationMicroseconds: each, isGap: true)
            gap.position = seconds
            nextFile += 1
            parts.append(gap)
            count(gap)
        }
    }

    private mutating func count(_ part: Part, by number: Int = 1) {
        settledCount += number
        settledSeconds += Double(number) * part.seconds
    }

    /// Gives a known part what its playlist says now; its names stay.
    private mutating func renew(_ index: Int, with part: Part) {
        parts[index].url = part.url
        // The entry of a gap says nothing of key and section.
        guard part.segment.isGap == parts[index].segment.isGap else { return }
        parts[index].key = part.key
        parts[index].initSection = part.initSection
    }

    /// The number of a segment's section, if it or one of the next ones with the same section is known.
    private func knownSectionNumber(
        from index: Int, of playlist: MediaPlaylist, _ listed: [ListedPart],
    ) -> UInt64? {
        let segments = playlist.segments[index...].prefix { $0.map == playlist.segments[index].map }
        return segments.indices.lazy.compactMap { self.knownSectionNumber(of: listed[$0].identity) }.first
    }

    /// The number that stands for the vector of a known segment's section, if its key names none.
    private func knownSectionNumber(of identity: PartIdentity) -> UInt64? {
        let vector =
            indices[identity].flatMap { parts[$0].initSection?.key?.vector }
            ?? kept[identity].flatMap { recorded?.sectionVector(of: $0) }
        return vector.map { UInt64(truncatingIfNeeded: $0) }
    }

    private mutating func part(
        _ segment: MediaSegment, _ listed: ListedPart, sectionNumber: UInt64, base: HTTPURL,
        _ keys: inout KeyNames,
    ) throws(DownloadError) -> Part {
        let (url, identity) = (listed.url, listed.identity)
        guard !segment.isGap else {
            // A gap needs no key and no initialization section, and they may not exist.
            return Part(
                names: PartNames(identity: identity, file: ""), segment: segment, url: url, position: 0)
        }
        let old = indices[identity].map { parts[$0].names } ?? kept[identity]
        let key = try PartKey.taking(segment.keys, number: identity.number, base: base)
        let keyName = key.map { keys.name(for: $0.uri, known: old?.key) }
        var initSection: PartInitSection?
        if let map = segment.map {
            let mapKey = try PartKey.taking(map.keys, number: sectionNumber, base: base)
            let oldMapKey =
                indices[identity].flatMap { parts[$0].initSection?.keyName }
                ?? old.flatMap { recorded?.sectionKey(of: $0) }
            initSection = PartInitSection(
                url: try Self.url(map.uri, base), range: map.byteRange, key: mapKey,
                keyName: mapKey.map { keys.name(for: $0.uri, known: oldMapKey) })
        }
        let initName = initSection.map { sectionNames.name(for: $0, known: old?.initSection) }
        let names = PartNames(identity: identity, file: "", initSection: initName, key: keyName)
        return Part(
            names: names, segment: segment, url: url, key: key, initSection: initSection, position: 0)
    }

    static func url(_ uri: String, _ base: HTTPURL) throws(DownloadError) -> HTTPURL {
        do {
            return try base.resolving(uri)
        } catch {
            throw .unusable("the URI of a segment cannot be used: \(error)")
        }
    }
}
