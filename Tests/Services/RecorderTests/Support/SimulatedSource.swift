import HLS
import HTTP
import Timeline

@testable import Recorder

/// A live source in memory: what its playlists list at a time, and what its segments answer.
struct SimulatedSource: Sendable {
    /// What changed at a time, seconds.
    enum Fault: Sendable {
        /// Nothing answers between two times.
        case unreachable(ClosedRange<Double>)
        /// The encoder starts again: numbers begin at zero, dates go on.
        case restart(at: Double)
        /// These segments of a rendition answer 404.
        case missing(RenditionID, ClosedRange<Int64>)
        /// These segments of a rendition are listed with EXT-X-GAP, until a time.
        case gap(RenditionID, ClosedRange<Int64>, until: Double = .infinity)
        /// The playlist of a rendition answers 404 between two times.
        case away(RenditionID, ClosedRange<Double>)
        /// The playlist of a rendition stands still between two times.
        case frozen(RenditionID, ClosedRange<Double>)
        /// The multivariant playlist does not name a rendition from a time on.
        case unnamed(RenditionID, from: Double)
        /// The key with this number answers 404 until a time.
        case keyMissing(Int64, until: Double)
        /// The dates of what is made from a time on are later by so many seconds.
        case dateStep(at: Double, by: Double)
    }

    var url: String
    var renditions: [RenditionID]
    var isDated = true
    /// Whether its multivariant playlist says the same renditions in other words.
    var spellsOtherwise = false
    /// Seconds.
    var segmentDuration = 6.0
    var listed = 5
    /// Segments under one key; nil is clear.
    var segmentsPerKey: Int64?
    var breaks: SimulatedBreaks?
    var faults: [Fault] = []
    /// Lines before the segments with these numbers, in each rendition.
    var lines: [Int64: [String]] = [:]
    /// What is listed besides segments, from the beginning of each on, for so many seconds.
    var dateRanges: [DateRange] = []
    /// What the source's dates are ahead of the true ones, seconds.
    var zone = 0.0
    /// What every playlist begins with instead of the right date, seconds.
    var standingDate: Double?
    /// Whether its other segments have dates that go on from there, or none.
    var datesEach = false
    /// By what share of the time the source's dates go faster than time.
    var dateDrift = 0.0
    /// By what share EXTINF is longer than a segment.
    var durationDrift = 0.0
    /// The only rendition whose EXTINF is; nil: each one's.
    var drifting: RenditionID?

    private func isReachable(at time: Double) -> Bool {
        !faults.contains { if case .unreachable(let span) = $0 { span.contains(time) } else { false } }
    }

    private func isGap(_ id: RenditionID, _ number: Int64, at time: Double) -> Bool {
        faults.contains {
            guard case .gap(id, let numbers, let end) = $0 else { return false }
            return numbers.contains(number) && time < end
        }
    }

    private func date(of number: Int64, after begin: Double) -> Double {
        begin + Double(number) * segmentDuration * (1 + dateDrift) + zone
            + dateStep(of: begin + Double(number) * segmentDuration)
    }

    private func restart(before time: Double) -> Double {
        faults.compactMap { if case .restart(let at) = $0, at <= time { at } else { nil } }.max() ?? 0
    }

    /// The number of the segment that is being made at a time.
    private func current(at time: Double) -> Int64 {
        Int64(((time - restart(before: time)) / segmentDuration).rounded(.down))
    }

    func playlist(_ request: PlaylistRequest, at time: Double) -> Result<Playlist, SourceError> {
        guard isReachable(at: time) else { return .failure(.unreachable("no connection")) }
        guard let url = request.url, url.absoluteString != self.url else {
            return renditions.count == 1
                ? .success(.media(media(renditions[0], at: time)))
                : .success(master(at: time))
        }
        let name = url.absoluteString.split(separator: "/").last?.split(separator: ".").first ?? ""
        guard let id = RenditionID(String(name)), !isAway(id, at: time) else {
            return .failure(.refused(status: 404))
        }
        return .success(.media(media(id, at: stand(of: id, at: time) ?? time)))
    }

    private func isAway(_ id: RenditionID, at time: Double) -> Bool {
        faults.contains { if case .away(id, let span) = $0 { span.contains(time) } else { false } }
    }

    /// Since when the playlist of a rendition has stood still.
    private func stand(of id: RenditionID, at time: Double) -> Double? {
        for case .frozen(id, let span) in faults where span.contains(time) { return span.lowerBound }
        return nil
    }

    private func isUnnamed(_ id: RenditionID, at time: Double) -> Bool {
        faults.contains { if case .unnamed(id, let begin) = $0 { begin <= time } else { false } }
    }

    private func master(at time: Double) -> Playlist {
        var text = "#EXTM3U\n"
        let renditions = renditions.filter { !isUnnamed($0, at: time) }
        let (name, rate, codecs) =
            spellsOtherwise ? ("aud", 1_100_000, "avc1.64002a,mp4a.40.2") : ("g", 1_000_000, "avc1.640028")
        for id in renditions where id.kind == .audio {
            text += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"\(name)\",NAME=\"\(name)\(id)\""
            text += ",LANGUAGE=\"q\(id.index)a\",URI=\"\(id).m3u8\"\n"
        }
        let group = renditions.contains { $0.kind == .audio } ? ",AUDIO=\"\(name)\"" : ""
        for id in renditions where id.kind == .video {
            text += "#EXT-X-STREAM-INF:BANDWIDTH=\(rate * (id.index + 1)),CODECS=\"\(codecs)\"\(group)\n"
            text += "\(id).m3u8\n"
        }
        guard let read = try? Playlist.reading(Array(text.utf8)) else { return .media(MediaPlaylist()) }
        return read.playlist
    }

    private func media(_ id: RenditionID, at time: Double) -> MediaPlaylist {
        let (end, begin) = (current(at: time), restart(before: time))
        let first = max(0, end - Int64(listed))
        var playlist = MediaPlaylist()
        let said = segmentDuration * (drifting ?? id == id ? 1 + durationDrift : 1)
        playlist.targetDurationSeconds = Int(max(segmentDuration, said))
        playlist.mediaSequence = UInt64(first)
        playlist.discontinuitySequence = breaks?.discontinuitySequence(before: first)
        playlist.segments = (first..<max(first, end)).map { number in
            var segment = MediaSegment(
                uri: "\(id)-\(Int(begin))-\(number).ts",
                durationMicroseconds: Int64(said * 1_000_000),
                keys: segmentsPerKey.map { [Key(method: .aes128, uri: "key\(number / $0)")] } ?? [],
                programDateTimeMicroseconds: isDated ? at(date(of: number, after: begin)).microseconds : nil,
                unknownLines: lines[number] ?? [])
            segment.isGap = isGap(id, number, at: time)
            breaks?.change(&segment, number)
            return segment
        }
        if let standingDate {
            for index in playlist.segments.indices {
                let date = at(standingDate + Double(index) * segmentDuration).microseconds
                let isDated = index == 0 || datesEach
                playlist.segments[index].programDateTimeMicroseconds = isDated ? date : nil
            }
        }
        let (from, until) = (at(Double(first) * segmentDuration + zone), at(time + zone))
        playlist.dateRanges = dateRanges.filter {
            ($0.startMicroseconds ?? 0) <= until.microseconds
                && ($0.endMicroseconds ?? .max) > from.microseconds
        }
        return playlist
    }

    func answers(_ segment: ListedSegment, at time: Double) -> Result<Void, FetchFailure> {
        guard isReachable(at: time) else { return .failure(FetchFailure(.segmentMissing, "no connection")) }
        let isMissing = faults.contains {
            guard case .missing(let id, let numbers) = $0 else { return false }
            return segment.identity.rendition == id && numbers.contains(segment.identity.number)
        }
        return isMissing ? .failure(FetchFailure(status: 404)) : .success(())
    }

    /// Whether the key of a segment is answered.
    func hasKey(_ number: Int64, at time: Double) -> Bool {
        guard let segmentsPerKey else { return true }
        return !faults.contains {
            guard case .keyMissing(let key, let until) = $0 else { return false }
            return number / segmentsPerKey == key && time < until
        }
    }
}
