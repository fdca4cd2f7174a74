import Catalogue
import HLS
import Timeline

/// Carries cue tags of lost segments to the next published one: a break starts or ends there all the same.
///
/// They stand before the next segment of the rendition that is published. A segment that comes after its turn
/// goes to the archive without them, so that they are not there twice.
struct CarriedCueTags: Sendable {
    private struct Entry {
        var start: Instant
        var tags: [String]
    }

    /// Of listed segments that are neither stored nor given up.
    private var listed: [SegmentIdentity: Entry] = [:]
    /// For the next published segment of a rendition, in order; the newest ones, if they are many.
    private var waiting: [RenditionID: [Entry]] = [:]
    /// Segments that were given up, oldest first.
    private var carried: [SegmentIdentity] = []

    /// Segments whose tags wait for another one.
    var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    mutating func list(_ segment: PlacedSegment, _ tags: [String]) {
        guard !tags.isEmpty, !carried.contains(segment.identity) else { return }
        listed[segment.identity] = Entry(start: segment.start, tags: tags)
    }

    /// A segment comes with its tags, unless its turn has passed meanwhile.
    mutating func stored(_ identity: SegmentIdentity) {
        listed[identity] = nil
    }

    /// The tags that a segment keeps: all, or all but its cue tags if another segment carries these.
    func kept(_ tags: [String], of identity: SegmentIdentity) -> [String] {
        carried.contains(identity) ? tags.filter { !MediaSegment.isCueTag($0) } : tags
    }

    /// A segment does not come in its turn.
    mutating func giveUp(_ identity: SegmentIdentity) {
        guard let entry = listed.removeValue(forKey: identity) else { return }
        waiting[identity.rendition, default: []].append(entry)
        if waiting[identity.rendition]?.count ?? 0 > Limits.carriedTags {
            waiting[identity.rendition]?.removeFirst()
        }
        carried.append(identity)
        if carried.count > Limits.carriedTags { carried.removeFirst() }
    }

    /// Puts the tags of what was given up before the segments that are published next.
    mutating func carry(into decisions: inout Publisher.Decisions) {
        guard !listed.isEmpty || !waiting.isEmpty else { return }
        for segment in decisions.lost + decisions.listed { giveUp(segment.identity) }
        for index in decisions.segments.indices where decisions.segments[index].number != nil {
            let fact = decisions.segments[index].fact
            guard var entries = waiting[fact.identity.rendition] else { continue }
            let passed = entries.prefix { $0.start <= fact.start }
            guard !passed.isEmpty else { continue }
            entries.removeFirst(passed.count)
            waiting[fact.identity.rendition] = entries.isEmpty ? nil : entries
            // Where not all can be kept, the oldest go.
            let tags = (passed.flatMap(\.tags) + fact.cueTags).reversed()
            decisions.segments[index].fact.setTags(tags.bounded.reversed())
        }
    }
}

extension SegmentFact {
    /// Sets the tags, and the flag that some of them are cue tags.
    mutating func setTags(_ tags: [String]) {
        cueTags = tags
        if tags.contains(where: MediaSegment.isCueTag) {
            flags.insert(.hasCueTags)
        } else {
            flags.remove(.hasCueTags)
        }
    }
}
