import Catalogue
import Timeline

/// Checks the reasons of gaps, boundaries, damage flags and markers.
extension RecordingChecker {
    /// Time that is missing for another reason than the one that is said.
    func wrongGapReasons(_ rows: [SimulatedCatalogue.Row], of id: RenditionID) -> [String] {
        let target = encoders[0].settings.duration
        let losses = losses.filter { $0.rendition == nil || $0.rendition == id }
        return rows.indices.dropLast().compactMap { place in
            let hole = TimeWindow(begin: rows[place].fact.end, end: rows[place + 1].fact.start)
            guard hole.microseconds > target / 2 else { return nil }
            let said = Self.reason(of: hole, losses)
            let right = reasons(for: hole)
            guard !right.isEmpty, !right.contains(said) else { return nil }
            return "\(seconds(hole.begin)) s to \(seconds(hole.end)) s is missing, it is said: \(said.word), "
                + "not: \(right.map(\.word).sorted().joined(separator: ", "))"
        }
    }

    /// The loss that covers most of a hole gives the reason; without one the recorder was down.
    private static func reason(of hole: TimeWindow, _ losses: [Loss]) -> GapReason {
        func overlap(_ loss: Loss) -> Int64 {
            min(loss.window.end, hole.end) - max(loss.window.begin, hole.begin)
        }
        let longest = losses.filter { $0.window.overlaps(hole) }.max { overlap($0) < overlap($1) }
        return longest?.reason ?? .recorderDown
    }

    /// The right reasons for a hole; several where faults came together, none where it is not known.
    private func reasons(for hole: TimeWindow) -> Set<GapReason> {
        // The timeline may lie a little beside the truth.
        guard encoders.count == 1 || hole.end + 120_000_000 < firstIsUsedUntil else { return [] }
        let target = encoders[0].settings.duration
        // Segments that leave the playlist while the recorder is down, or the source is unreachable, were
        // listed before that, so the hole begins earlier. The same holds for the segments that are fetched
        // first afterwards, if a full disk refuses them.
        let list = target * Int64(encoders[0].settings.listed)
        return faultsOfFirst.reduce(into: []) { right, fault in
            let cause = onTimeline(fault.span)
            let refusesList =
                fault.kind == .diskFull
                && faultsOfFirst.contains { Self.leavesList($0.kind) && fault.span.contains($0.span.end) }
            let reachesBack = Self.leavesList(fault.kind) || refusesList
            let span = TimeWindow(
                begin: cause.begin - 3 * target - 10_000_000 - (reachesBack ? list : 0),
                end: cause.end + fault.amount.clamped(to: 0...30_000_000) + 12 * target + 60_000_000)
            guard span.overlaps(hole) else { return }
            right.formUnion(Self.reasons(fault.kind))
            // An end that no playlist was fetched in is a stall.
            if fault.kind == .ended, fault.span.microseconds < 2 * target { right.insert(.sourceStalled) }
        }
    }

    /// Whether all that a playlist lists may still be to be fetched when a fault is over.
    private static func leavesList(_ kind: Fault.Kind) -> Bool {
        kind == .sourceUnreachable || reasons(kind).contains(.recorderDown)
    }

    private static func reasons(_ kind: Fault.Kind) -> Set<GapReason> {
        switch kind {
        case .sourceUnreachable: [.sourceUnreachable, .segmentMissing, .segmentExpired]
        case .restart: [.sourceStalled]
        case .ended: [.sourceEnded]
        case .jump, .dateJump: [.sourceJump]
        case .gap: [.sourceGap]
        case .missing: [.segmentMissing]
        // What was listed could not be fetched in time, or was never seen.
        case .slow, .cut: [.segmentMissing, .segmentExpired]
        case .stale, .repeated: [.sourceStalled, .sourceJump, .segmentMissing, .segmentExpired]
        case .latePlaylists:
            [.sourceUnreachable, .sourceStalled, .sourceJump, .segmentMissing, .segmentExpired]
        case .diskFull: [.diskFull]
        case .killed, .nodeDisconnected, .catalogueUnreachable, .catalogueSlow, .answersLost: [.recorderDown]
        // A process that stood still sees numbers that have jumped.
        case .frozen: [.recorderDown, .sourceJump, .sourceStalled, .segmentMissing, .segmentExpired]
        case .keyServerUnreachable, .wrongKey: [.keyMissing]
        case .refused, .damaged: [.segmentCorrupt]
        case .partial, .clockStep: []
        }
    }

    /// Neighbouring published segments that lack a discontinuity of their source, or have one too many.
    ///
    /// One too many counts only while nothing was wrong, and if the source has none next to it: renditions
    /// without exact dates may differ by more than half a segment, so that a segment lies before a boundary
    /// in one rendition and after it in another.
    func badBoundaries(_ rows: [SimulatedCatalogue.Row]) -> [String] {
        let published = rows.indices.filter {
            rows[$0].number != nil && !rows[$0].fact.flags.contains(.late)
        }
        return zip(published, published.dropFirst()).compactMap { row, next in
            let (one, other) = (Media.source(rows[row].fact.digest), Media.source(rows[next].fact.digest))
            guard one.source == other.source, one.index < other.index else { return nil }
            let encoder = encoders[one.source]
            let isAsked = (one.index + 1...other.index).contains { encoder.isDiscontinuity($0) }
            let isThere = rows[row].discontinuitySequence != rows[next].discontinuitySequence
            let start = rows[next].fact.start
            if isAsked == isThere { return nil }
            if isThere {
                let isNear = (one.index...other.index + 1).contains {
                    encoder.segments.indices.contains($0) && encoder.isDiscontinuity($0)
                }
                guard !isNear, one.index + 1 == other.index, isFaultFree(start) else { return nil }
            }
            return "\(rows[next].fact.identity) at \(seconds(start)) s begins "
                + (isAsked ? "without the boundary of its source" : "with a boundary that its source has not")
        }
    }

    /// Whether nothing was wrong for minutes, and the recording has not just begun.
    func isFaultFree(_ instant: Instant) -> Bool {
        let span = TimeWindow(begin: instant - 600_000_000, end: instant + 120_000_000)
        return instant - Scenario.begin > 120_000_000
            && !scenario.faults.contains { onTimeline($0.span).overlaps(span) }
    }

    /// Bytes that are not what they are said to be.
    func wrongBytes(_ rows: [SimulatedCatalogue.Row]) -> [String] {
        rows.indices.compactMap { place in
            let condition = Media.condition(rows[place].shownDigest)
            var name: String { "\(rows[place].fact.identity) at \(seconds(rows[place].fact.start)) s" }
            if condition == .garbled || condition == .encrypted { return "\(name) is not deciphered" }
            if !refused.isEmpty, refused.contains(rows[place].fact.digest) {
                return "\(name) was refused and is in the catalogue"
            }
            let isDamaged = condition == .damaged || condition == .cut
            guard isDamaged != rows[place].shownFlags.contains(.damaged) else { return nil }
            return "\(name) is \(isDamaged ? "damaged and not" : "whole and") said to be damaged"
        }
    }

    /// Markers that are missing, held twice or at another time.
    var wrongMarkers: [String] {
        guard let encoder = encoders.first, encoders.count == 1, encoder.settings.hasMarkers else {
            return []
        }
        let held = Dictionary(grouping: markers, by: \.id)
        let bad = badSpans
        let breaks = encoder.breaks(in: TimeWindow(begin: Scenario.begin, end: scenario.quietFrom))
        return breaks.compactMap { stated in
            let first = encoder.segments.partitioningIndex { $0.end > stated.window.begin }
            guard first < encoder.segments.count,
                encoder.begin(of: first, encoder.settings.renditions[0]) < stated.window.end
            else { return nil }
            let markers = held[stated.id] ?? []
            if markers.count > 1 { return "marker \(stated.id) is held \(markers.count) times" }
            guard let marker = markers.first else {
                return couldBeKept(first, bad) ? "marker \(stated.id) is missing" : nil
            }
            let error = marker.begin - stated.window.begin
            guard !isUnknown(first, encoder), !tolerance(encoder.settings).contains(error) else { return nil }
            return "marker \(stated.id) is \(Double(error) / 1_000_000) s off"
        }
    }
}
