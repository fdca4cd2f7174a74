import Catalogue
import Timeline

/// Compares what was recorded with what the encoders made: what could be kept is kept once, at its place in
/// time, and what is missing has a cause.
struct RecordingChecker {
    let scenario: Scenario
    let encoders: [Encoder]
    /// What is held of each rendition, by start.
    let rows: [RenditionID: [SimulatedCatalogue.Row]]
    var losses: [Loss] = []
    var markers: [Marker] = []
    /// The bytes of segments whose facts PostgreSQL refused.
    var refused: Set<[UInt8]> = []
    /// Segments of the first source of which a transfer brought the beginning.
    var partsOfFirst: [RenditionID: Set<Int>] = [:]

    /// The errors that were found; at most a few of each kind.
    var findings: [String] {
        let renditions = encoders[0].settings.renditions
        return renditions.flatMap { id in
            let rows = rows[id] ?? []
            let placed: [String] =
                duplicates(rows) + overlaps(rows) + displaced(rows)
                + misalignedSegments(rows, with: renditions[0])
            let wrong: [String] =
                placed + badJoins(rows) + badBoundaries(rows) + wrongDurations(rows) + parts(rows)
                + wrongBytes(rows)
            let lost: [String] = Array(missing(rows, of: id).prefix(5)) + lostParts(rows, of: id).prefix(5)
            return wrong.prefix(5) + lost + unexplained(rows).prefix(5)
                + wrongGapReasons(rows, of: id).prefix(5)
        } + wrongMarkers.prefix(5)
    }

    /// What is held, with its time and how far that is from the truth, seconds.
    var placements: [String] {
        rows.sorted { $0.key < $1.key }.flatMap { id, rows in
            rows.map { row in
                let (source, index) = Media.source(row.fact.digest)
                let error = Double(row.fact.start - encoders[source].place(of: index, id)) / 1_000_000
                return "\(id) \(seconds(row.fact.start))…\(seconds(row.fact.end)) s: source \(source), "
                    + "number \(row.fact.identity.number), run \(row.fact.identity.run), off \(error)"
            }
        }
    }

    func seconds(_ instant: Instant) -> Double { Double(instant - Scenario.begin) / 1_000_000 }

    private func duplicates(_ rows: [SimulatedCatalogue.Row]) -> [String] {
        var seen: Set<[UInt8]> = []
        return rows.indices.filter { !seen.insert(rows[$0].fact.digest).inserted }.map { place in
            "\(rows[place].fact.identity) at \(seconds(rows[place].fact.start)) s is held twice"
        }
    }

    private func overlaps(_ rows: [SimulatedCatalogue.Row]) -> [String] {
        rows.indices.dropLast().filter { rows[$0].fact.end > rows[$0 + 1].fact.start }.map { place in
            let (row, next) = (rows[place].fact, rows[place + 1].fact)
            return "\(row.identity) at \(seconds(row.start)) s overlaps \(next.identity) by "
                + "\(row.end - next.start) µs"
        }
    }

    /// Segments of which a part is kept, although all of it was served later and nothing else was wrong.
    private func parts(_ rows: [SimulatedCatalogue.Row]) -> [String] {
        rows.indices.filter { place in
            let shown = rows[place].shownDigest
            guard [.part, .cut].contains(Media.condition(shown)) else { return false }
            let (source, index) = Media.source(rows[place].fact.digest)
            let segment = encoders[source].segments[index]
            let served = servedInPart(segment, of: source)
            let whole = TimeWindow(begin: segment.listedAt + served, end: encoders[source].unlistedAt(index))
            // The recorder does not notice a smaller missing part. Pauses between its tries grow with the
            // time since the first one, so the whole segment must be available for long.
            let missing = segment.duration / Media.packets * (Media.packets - Media.packetCount(shown))
            guard missing > max(500_000, segment.duration / 10) else { return false }
            guard whole.microseconds > served + segment.duration + 10_000_000, whole.end < scenario.quietFrom
            else { return false }
            let span = TimeWindow(begin: segment.listedAt - 60_000_000, end: whole.end + 60_000_000)
            return !scenario.faults.contains {
                $0.kind != .partial && $0.kind != .cut && $0.span.overlaps(span)
            }
        }.map { place in
            let (fact, digest) = (rows[place].fact, rows[place].shownDigest)
            let (source, index) = Media.source(fact.digest)
            let isLast = encoders[source].isDiscontinuity(index + 1)
            return "\(fact.identity) at \(seconds(fact.start)) s is a part, "
                + "\(Media.packetCount(digest)) of \(Media.packets) packets"
                + (isLast ? ", in front of a discontinuity" : "")
        }
    }

    /// How long after its listing a segment is served in part, or its transfers are cut, microseconds.
    private func servedInPart(_ segment: Encoder.Segment, of source: Int) -> Int64 {
        let cuts = scenario.faults.filter {
            $0.kind == .cut && $0.place == source && $0.span.begin - segment.listedAt < 120_000_000
        }
        return
            (cuts.map { $0.span.end - segment.listedAt } + [
                scenario.fault(.partial, of: source, at: segment.listedAt)?.amount ?? 0
            ]).max() ?? 0
    }

    /// Segments of which nothing is held although the beginning came, while no process was stopped.
    private func lostParts(_ rows: [SimulatedCatalogue.Row], of id: RenditionID) -> [String] {
        let disturbs: [Fault.Kind] = [.cut, .sourceUnreachable, .partial, .slow, .latePlaylists]
        guard encoders.count == 1, scenario.nodeCount == 1,
            scenario.faults.allSatisfy({ disturbs.contains($0.kind) })
        else { return [] }
        let held = heldOfFirst(rows, of: id)
        return (partsOfFirst[id] ?? []).subtracting(held).sorted().map {
            "segment \(encoders[0].segments[$0].number) is missing, the beginning of which came"
        }
    }

    /// Segments of which playlists say another duration than their media have.
    private func wrongDurations(_ rows: [SimulatedCatalogue.Row]) -> [String] {
        rows.indices.compactMap { place in
            guard Media.condition(rows[place].shownDigest) == .whole else { return nil }
            let (source, index) = Media.source(rows[place].fact.digest)
            let error = rows[place].shownMediaDuration - encoders[source].segments[index].duration
            guard error.magnitude > 100_000 else { return nil }
            return "EXTINF of \(rows[place].fact.identity) is \(error) µs off"
        }
    }

    // MARK: Place

    private func displaced(_ rows: [SimulatedCatalogue.Row]) -> [String] {
        // A difference of up to two target durations is not a clock step, and starts never go back. So the
        // next source continues from there, whatever its target duration is, and the error shrinks slowly.
        var longest: Int64 = 0
        return rows.indices.compactMap { place in
            let (source, index) = Media.source(rows[place].fact.digest)
            let encoder = encoders[source]
            let begin = encoder.segments[index].begin
            if !rows[place].fact.flags.contains(.late) { longest = max(longest, encoder.settings.target) }
            // What EXTINF says of the first segments of a run cannot be known to be wrong.
            if isUnknown(index, encoder) || followsWrongClock(begin) { return nil }
            let identity = rows[place].fact.identity
            let error = rows[place].fact.start - encoder.place(of: index, identity.rendition)
            guard !tolerance(encoder.settings, longest: longest).contains(error),
                !isNotFollowedYet(index, of: identity.rendition, encoder, error)
            else { return nil }
            return "\(identity) is \(Double(error) / 1_000_000) s off, at \(seconds(begin)) s"
        }
    }

    /// Whether a segment was listed by the first playlist of a run or of a process, with a wrong EXTINF.
    func isUnknown(_ index: Int, _ encoder: Encoder) -> Bool {
        if [.exact, .rounded].contains(encoder.settings.statedDurations) { return false }
        let segment = encoder.segments[index]
        let first = encoder.begin(ofSourceRun: segment.sourceRun)
        if index < max(first + 4, encoder.listed(at: Scenario.begin + 1_000_000).upperBound + 4) {
            return true
        }
        let span = TimeWindow(
            begin: segment.listedAt - 300_000_000, end: encoder.unlistedAt(index) + 20_000_000)
        return scenario.faults.contains {
            $0.span.end > span.begin && $0.span.end < span.end || $0.span.overlaps(span)
        }
    }

    /// Whether a process started near this instant while its host's clock was wrong by at most a minute.
    ///
    /// The database's clock does not reveal so small an error, so the recorder followed the wrong clock, and
    /// then the right one for a while.
    private func followsWrongClock(_ instant: Instant) -> Bool {
        scenario.faults.contains { step in
            guard step.kind == .clockStep, step.amount.magnitude <= 60_000_000 else { return false }
            let beginnings = scenario.faults.filter {
                [.killed, .nodeDisconnected, .frozen].contains($0.kind)
            }
            let isMet = beginnings.contains {
                $0.span.end >= step.span.begin && $0.span.end <= step.span.end
            }
            return isMet && instant > step.span.begin && instant - step.span.end < 1_800_000_000
        }
    }

    /// By how much a start may be off, microseconds; `longest` is the longest target duration of the sources
    /// that were recorded from until then.
    func tolerance(_ encoder: Encoder.Settings, longest: Int64 = 0) -> ClosedRange<Int64> {
        // A difference up to a step of the clock is drift: two target durations, as playlists say them.
        let step = max(2 * encoder.target, 10_000_000)
        let ahead = max(step, 2 * longest)
        // A playlist arrives up to a target duration after its newest segment was listed.
        let late = (encoders.map(\.settings.latency).max() ?? 0) + ahead + max(encoder.target, 1_000_000)
        // Whatever the dates say: one source of the channel without them places the others by arrival, too.
        guard encoders.count == 1,
            encoders.allSatisfy({ $0.settings.dates == .right || $0.settings.dates == .wrongZone })
        else {
            return -step - 2_000_000...late
        }
        guard [.exact, .rounded].contains(encoder.statedDurations) else { return -step - 1_000_000...step }
        // Durations in whole seconds lead the line away a little before the dates lead it back.
        let slack: Int64 = encoder.statedDurations == .exact ? 250_000 : 1_600_000
        return -slack...slack
    }

    // MARK: From one source to another

    /// Changes to another source of the same media that repeat media or have a hole of a wrong length.
    ///
    /// A hole must be as long on the timeline as in the media.
    private func badJoins(_ rows: [SimulatedCatalogue.Row]) -> [String] {
        // A process that begins knows nothing of the media before it.
        let forgets = scenario.faults.contains { [.killed, .frozen, .nodeDisconnected].contains($0.kind) }
        guard scenario.encoders.dropFirst().contains(where: \.sharesFirstMedia), !forgets,
            scenario.nodeCount == 1,
            scenario.encoders.allSatisfy({ [.exact, .rounded].contains($0.statedDurations) })
        else { return [] }
        return rows.indices.dropLast().compactMap { place in
            let (one, other) = (
                Media.source(rows[place].fact.digest), Media.source(rows[place + 1].fact.digest)
            )
            guard one.source != other.source else { return nil }
            let (end, start) = (rows[place].fact.end, rows[place + 1].fact.start)
            let before = encoders[one.source].segments[one.index]
            let after = encoders[other.source].segments[other.index]
            let (media, line) = (after.begin - before.end, start - end)
            let bound = max(scenario.encoders[0].duration, 2_000_000)
            guard media < -bound * 3 / 4 || abs(line - max(media, 0)) > bound else { return nil }
            return
                "from source \(one.source) to \(other.source) at \(seconds(end)) s the media go on "
                + "by \(Double(media) / 1_000_000) s, the timeline by \(Double(line) / 1_000_000) s"
        }
    }

    // MARK: What could be kept

    private func missing(_ rows: [SimulatedCatalogue.Row], of id: RenditionID) -> [String] {
        let aside = refused.filter { $0.starts(with: Media.digest(0, id, 0).prefix(3)) }
        let held = heldOfFirst(rows, of: id).union(aside.map { Media.source($0).index })
        let encoder = encoders[0]
        let (bad, used) = (badSpans, firstIsUsedUntil)
        let first = encoder.listed(at: Scenario.begin + 2_000_000).lowerBound
        return encoder.segments.indices.dropFirst(first).filter { index in
            !held.contains(index) && couldBeKept(index, bad)
                && min(encoder.unlistedAt(index), scenario.end) <= used
        }.map { index in
            let segment = encoder.segments[index]
            return "segment \(segment.number), listed from \(seconds(segment.listedAt)) s to "
                + "\(seconds(encoder.unlistedAt(index))) s, is missing"
        }
    }

    /// Whether a segment was listed for long enough while nothing was wrong.
    func couldBeKept(_ index: Int, _ bad: [TimeWindow]) -> Bool {
        let encoder = encoders[0]
        let segment = encoder.segments[index]
        if scenario.faults(.missing, of: 0, at: segment.listedAt) { return false }
        guard let first = availableFrom(segment) else { return false }
        // Playlists are fetched again after the duration that they say of their last segment.
        let pause = encoder.settings.duration * (encoder.settings.statedDurations == .double ? 5 : 3) / 2
        var needed = pause + 2_000_000
        // Five tries show that a key is wrong, and that the segment is not still being written.
        if scenario.faults(.wrongKey, of: 0, at: segment.listedAt) { needed += 5_000_000 }
        var good = max(first, Scenario.begin + 2_000_000)
        // What is listed last may not be seen before the end.
        let unlistedAt = min(encoder.unlistedAt(index), scenario.end - encoder.settings.duration)
        for span in bad where span.end > good {
            if min(span.begin, unlistedAt) - good >= needed { return true }
            good = max(good, span.end)
        }
        return unlistedAt - good >= needed
    }

    /// Whether a source that has only just begun to count otherwise does so once more: two origins might be
    /// answering in turn.
    private func beginsSoonAgain(_ fault: Fault) -> Bool {
        scenario.faults.contains { previous in
            [.restart, .ended, .jump].contains(previous.kind) && previous.span.begin < fault.span.begin
                && fault.span.begin - previous.span.end < 12 * encoders[0].settings.target + 10_000_000
        }
    }

    /// When a segment could not be fetched, with the time that recovering takes; in order.
    var badSpans: [TimeWindow] {
        let settings = encoders[0].settings
        let list = settings.duration * Int64(settings.listed)
        let recovery = max(settings.duration, list / 3) + 3_000_000
        var spans = faultsOfFirst.compactMap { fault -> TimeWindow? in
            let end = fault.span.end
            switch fault.kind {
            case .restart, .ended, .jump:
                let doubt = beginsSoonAgain(fault) ? 4 * settings.target : 0
                return TimeWindow(begin: fault.span.begin, end: end + recovery + doubt)
            case .sourceUnreachable, .stale, .repeated, .cut:
                return TimeWindow(begin: fault.span.begin, end: end + recovery)
            // A request that was made last before the end is answered so much later.
            case .latePlaylists:
                return TimeWindow(begin: fault.span.begin, end: end + fault.amount + recovery)
            case .slow: return TimeWindow(begin: fault.span.begin, end: end + fault.amount * 2)
            case .killed, .frozen, .diskFull:
                return TimeWindow(begin: fault.span.begin, end: leaseAnswerTime(from: end) + recovery)
            case .catalogueSlow where scenario.nodeCount > 1:
                return TimeWindow(begin: fault.span.begin, end: end + fault.amount + recovery + 6_000_000)
            case .nodeDisconnected, .catalogueUnreachable, .catalogueSlow:
                // A node that takes over needs PostgreSQL.
                let takesOver =
                    scenario.nodeCount > 1
                    && scenario.faults.contains { [.killed, .nodeDisconnected, .frozen].contains($0.kind) }
                return takesOver ? TimeWindow(begin: fault.span.begin, end: end + recovery + 6_000_000) : nil
            case .missing, .partial, .clockStep, .answersLost, .damaged, .keyServerUnreachable, .wrongKey,
                .refused,
                .gap, .dateJump:
                return nil
            }
        }
        if scenario.nodeCount > 1 {
            // Another node takes over when the heartbeat has run out.
            spans = spans.map { TimeWindow(begin: $0.begin, end: $0.end + 9_000_000) }
        }
        return spans.sorted { $0.begin < $1.begin }
    }

    /// When a process that asks for the lease at an instant has the answer: it does not record before.
    private func leaseAnswerTime(from instant: Instant) -> Instant {
        let slow = scenario.faults.filter { $0.kind == .catalogueSlow && $0.span.contains(instant) }
        return slow.map { $0.span.end + $0.amount }.max() ?? instant
    }

    // MARK: Holes

    /// Time that is missing although nothing was wrong.
    private func unexplained(_ rows: [SimulatedCatalogue.Row]) -> [String] {
        let target = encoders[0].settings.duration
        let causes = scenario.faults.map { fault in
            let span = onTimeline(fault.span)
            return TimeWindow(
                begin: span.begin - 3 * target - 10_000_000,
                end: span.end + 12 * target + (encoders.count > 1 ? 900_000_000 : 60_000_000))
        }
        return rows.indices.dropLast().compactMap { place in
            let hole = TimeWindow(begin: rows[place].fact.end, end: rows[place + 1].fact.start)
            guard hole.microseconds > target / 2, !causes.contains(where: { $0.overlaps(hole) }) else {
                return nil
            }
            return "nothing from \(seconds(hole.begin)) s to \(seconds(hole.end)) s, and nothing was wrong"
        }
    }
}
